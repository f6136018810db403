"""The pages that everyone is measured on, served on a free port of loopback."""

import mimetypes
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

FORM = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign up</title>
<h1>Sign up</h1>
<nav>
  <a href="article.html">Article</a> <a href="table.html">Table</a>
  <a href="buttons.html">Buttons</a>
</nav>
<form>
  <p><label>Name <input name="name" autocomplete="off"></label></p>
  <p><label>Email <input name="email" type="email"></label></p>
  <p><label>Country
    <select name="country"><option>France<option>Japan<option>Peru</select></label></p>
  <p><label>Comments <textarea name="comments"></textarea></label></p>
  <p><label><input type="checkbox" name="news"> Newsletter</label></p>
  <p><label><input type="radio" name="plan" value="free" checked> Free</label>
     <label><input type="radio" name="plan" value="paid"> Paid</label></p>
  <button>Submit</button>
</form>
<button type="button" id="counter">Count</button>
<p id="clicks">Clicked 0</p>
<p id="status" role="status"></p>
<script>
  let clicks = 0
  document.getElementById("counter").addEventListener("click", () => {
    document.getElementById("clicks").textContent = `Clicked ${++clicks}`
  })
  document.querySelector("form").addEventListener("submit", event => {
    event.preventDefault()
    const name = event.target.elements.name.value
    document.getElementById("status").textContent = `Submitted ${name}`
  })
</script>
</html>
"""
COMMON = (
    "a an and are at be been but by for from had has have he her his in is it its not of on or "
    "she that the their they this to was were which with analysis building century city common "
    "country development early example family form general government group history important "
    "language large later local method modern named nature north number order part people period "
    "place power present public region result river science several small social south state "
    "study system term theory time town trade university used value water western work world year"
)


def article(size: int = 60_000) -> str:
    """An encyclopedic page of about `size` bytes: sections, paragraphs, links, a list of notes."""
    chance = random.Random(1)
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        number = len(parts)
        if number % 6 == 0:
            parts.append(f"<h2>{_title(chance)}</h2>")
        parts.append(f"<p>{_sentences(chance)}</p>")
    notes = "".join(f'<li><a href="#n{n}">{_title(chance)}</a></li>' for n in range(30))
    body = "\n".join(parts)
    return _page("Article", f"<main><h1>Article</h1>\n{body}\n<ol>{notes}</ol></main>")


def table(rows: int = 2_000) -> str:
    """A table of `rows` rows with a link in each."""
    chance = random.Random(2)
    body = "\n".join(
        f"<tr><td>{n}</td><td>{_title(chance)}</td><td>{chance.randrange(10_000)}</td>"
        f'<td><a href="#row{n}">View {n}</a></td></tr>'
        for n in range(1, rows + 1)
    )
    head = "<tr><th>Id</th><th>Name</th><th>Amount</th><th>Action</th></tr>"
    return _page(
        "Table", f"<h1>Table</h1><table><thead>{head}</thead><tbody>{body}</tbody></table>"
    )


def buttons(number: int = 500) -> str:
    """Controls, every second a button and every second a link."""
    controls = (
        f"<button>Action {n}</button>" if n % 2 else f'<a href="#{n}">Action {n}</a>'
        for n in range(number)
    )
    return _page("Buttons", "<h1>Buttons</h1>\n" + "\n".join(controls))


def pages() -> dict[str, str]:
    return {"form": FORM, "article": article(), "table": table(), "buttons": buttons()}


@contextmanager
def serve() -> Iterator[str]:
    """Serve the pages; yields the address that their names are below."""
    content = {f"/{name}.html": text.encode() for name, text in pages().items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = content.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        yield address


@contextmanager
def serve_files(
    folder: Path, pages: Mapping[str, str] | None = None, *, policy: str = ""
) -> Iterator[str]:
    """Serve the files in a folder, and pages by their paths, until the block is left.

    `policy` is the Content-Security-Policy of all of them.
    """
    texts = {path: text.encode() for path, text in (pages or {}).items()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            file = (folder / path.lstrip("/")).resolve()
            there = file.is_file() and file.is_relative_to(folder.resolve())
            body = file.read_bytes() if there else texts.get(path)
            kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        yield address


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Let `handler` answer on a free port of loopback until the block is left."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n{body}\n'
    )


def _title(chance: random.Random) -> str:
    return " ".join(chance.choices(COMMON.split(), k=3)).capitalize()


def _sentences(chance: random.Random) -> str:
    words = chance.choices(COMMON.split(), k=chance.randrange(60, 140))
    for place in range(12, len(words), 14):
        words[place] += "."
    link = chance.randrange(len(words))
    words[link] = f'<a href="#{words[link].strip(".")}">{words[link]}</a>'
    return " ".join(words).capitalize() + "."
