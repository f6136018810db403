"""One browser for all tests of this folder; every test is a caller with a page of its own."""

import base64
import json
import re
import threading
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from strap import testing
from strap_browser.engine.frames.frame import Frame
from tests.site.server import Reply, drip, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.kept import compare
from tests.support.playwright_server import playwright_server

TEXT = """<!doctype html><title>Text</title>
<h1>One</h1><p>Some <b>bold</b> words and <a href="/there">a link</a>.<br>Next line</p>
<ul><li>First<ul><li>Inner</li></ul></li><li>Second</li></ul>
<ol start=3><li>Third</li></ol>
<pre>a
  b</pre>
<table><tr><th>Id</th><th>Name</th></tr><tr><td>1</td><td>Ada</td></tr></table>
<script>nothing</script><input value="typed"><input type="password" value="hunter2">
<img src="data:," alt="A picture">"""
CLOSED = """<title>Closed</title><x-box></x-box><script>
customElements.define("x-box", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "closed" });
    root.innerHTML = "<button>Inside</button><p></p>";
    root.querySelector("button").onclick = () => {
      root.querySelector("p").textContent = this.shadowRoot ? "Not closed" : "Pressed inside";
    };
  }
});</script>"""
PAGES = Path(__file__).parents[3] / "site" / "pages"


class Page(Caller):
    """A caller with a page, and its refs."""

    async def show(self, html: str) -> None:
        """Have the page show this and nothing else."""
        await self.open("menu.html")
        await self("evaluate", text=f"document.body.innerHTML = {html!r}; 0")

    async def ref(self, text: str) -> str:
        """The ref of the only control whose line contains `text`."""
        lines = (await self("snapshot", text=text)).splitlines()
        found = [line for line in lines if text in line and not line.startswith('"')]
        assert len(found) == 1, lines
        return ref_in(found[0], text)


def ref_in(answer: str, text: str) -> str:
    """The ref that follows `text` in an answer."""
    rest = answer.split(text, 1)[1]
    word = rest.lstrip('" ').split()[0].rstrip(":]")
    assert word.lstrip("f0123456789").startswith("e"), (word, answer)
    return word


def engine_of(caller):
    """The engine's own page, in which a script changes things without a word to anybody."""
    web = caller.web
    state = web.router._lifespans["browser"]._ready.result()[0]
    [session] = [
        known
        for profile in state.profiles.values()
        for key, known in profile._sessions.items()
        if key.endswith(web.caller.session)
    ]
    return session.current.page


async def colour(page, image, x, y):
    """The colour of a pixel of a picture, as the browser decodes it."""
    source = base64.b64encode(image).decode()
    result = await page.result(
        "evaluate",
        text=f"""const image = new Image(); image.src = 'data:image/jpeg;base64,{source}';
        await image.decode(); const canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext('2d'); pen.drawImage(image, 0, 0);
        return [...pen.getImageData({x}, {y}, 1, 1).data]""",
    )
    return tuple(round(value / 255) for value in result.data["result"][:3])


def lines_of(shown: str) -> list[str]:
    """The lines of a snapshot below its first, refs as `#`."""
    return [re.sub(r"\b(f\d+)?e\d+\b", r"\1#", line) for line in shown.splitlines()[1:]]


@pytest.fixture(scope="module")
def site():
    release = threading.Event()

    def slow(request):
        release.wait(1.2)
        return Reply(body="Loaded", headers={"Content-Type": "text/plain"})

    def slow_page(request):
        release.wait(0.6)
        return "<title>Late</title><h1>Late page</h1>"

    def later(request):
        release.wait(2)
        return "<title>Later</title><h1>Later page</h1>"

    def silent(request):
        release.wait(600)
        return ""

    seen = set()

    def once(request):
        """Answer the first request with this query; the next ones get nothing."""
        key = request.query["key"][0]
        if key in seen:
            return silent(request)
        seen.add(key)
        return Reply(headers={"Cache-Control": "no-store"}, body="<title>Once</title>")

    routes = {
        "/once": once,
        "/slow": slow,
        "/slow-page": slow_page,
        "/later": later,
        "/endless": lambda request: Reply(body=drip(b"x", every=0.2)),
        "/empty": Reply(status=204),
        "/missing": Reply(status=404, body="<title>Lost</title><h1>No such page</h1>"),
        "/old": Reply(status=302, headers={"Location": "/form.html"}),
        "/file.bin": Reply(
            body=b"12345",
            headers={
                "Content-Type": "application/octet-stream",
                "Content-Disposition": 'attachment; filename="file.bin"',
            },
        ),
        "/stuck-image": '<title>Picture</title><h1>Picture</h1><img src="/never" alt="x">',
        "/stuck-script": "<h1>Above</h1><script src=/silent></script><h1>Below</h1>",
        "/alert": "<script>alert('Loading')</script><h1>After the alert</h1>",
        "/confirm": "<script>confirm('Go on?')</script><h1>After the question</h1>",
        "/fetching": "<p id=p>Fetching</p><script>fetch('/slow').then((r) => r.text())"
        ".then((text) => { p.textContent = `Fetched ${text}`; })</script>",
        "/late": "<p id=p></p><script>setTimeout(() => { p.textContent = 'It came late' }, 400)"
        "</script>",
        "/form-get": "<form action=/sent><input aria-label=Word name=q></form>",
        "/sent": "<title>Sent</title><h1>Sent</h1>",
        "/loop": "<title>Loop</title><script>while (true) {}</script>",
        "/strict": Reply(
            body="<title>Strict</title><h1>Strict page</h1>",
            headers={"Content-Security-Policy": "default-src 'none'"},
        ),
        "/text": TEXT,
        "/data.json": Reply(body='{"a": 1}', headers={"Content-Type": "application/json"}),
        "/drawing.svg": Reply(
            body='<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Drawn</text></svg>',
            headers={"Content-Type": "image/svg+xml"},
        ),
        "/more": Reply(body="ok", headers={"Content-Type": "text/plain"}),
        "/shadow-closed": CLOSED,
        "/feed.xml": Reply(body="<a><b>1</b></a>", headers={"Content-Type": "text/xml"}),
        "/silent": silent,
        "/never": lambda request: Reply(body=drip(b"x", every=0.2)),
    }
    with serve(routes, folder=PAGES) as running:
        yield running
        release.set()


@pytest.fixture(scope="package")
def anyio_backend():
    return "asyncio"


@pytest.fixture(autouse=True)
def whole(request, monkeypatch):
    """With `--kept` each outline that was kept is compared with a whole one."""
    differences = compare(monkeypatch) if request.config.getoption("--kept") else []
    yield
    assert differences == []


@pytest.fixture(scope="package")
async def driver(request, tmp_path_factory, anyio_backend):
    """The settings of the browser: one of strap's own, with `--playwright` a server's.

    With `--firefox` strap's own is one.
    """
    if request.config.getoption("--firefox"):
        yield {"headless": True, "profiles": {"nebo": {"driver": "firefox"}}}
        return
    if not request.config.getoption("--playwright"):
        yield SETTINGS
        return
    async with playwright_server(tmp_path_factory.mktemp("server")) as (address, _):
        yield {"profiles": {"nebo": {"driver": "playwright", "playwright_url": address}}}


@pytest.fixture(scope="package")
async def shared(tmp_path_factory, driver):
    home = tmp_path_factory.mktemp("home")
    async with testing.router(home=home, network="local", plugins={"browser": driver}) as web:
        await web(resource="browser", action="launch")
        yield web


@pytest.fixture(scope="package")
def sessions():
    return count(1)


@pytest.fixture
async def page(shared, site, sessions):
    """A blank page of a new caller."""
    async with a_page(shared, site, sessions) as opened:
        yield opened


@pytest.fixture(scope="module")
async def one_page(shared, site, sessions):
    """A page for all tests of a module: to open a document costs less than to open a window."""
    async with a_page(shared, site, sessions) as opened:
        yield opened


@asynccontextmanager
async def a_page(shared, site, sessions):
    session = f"caller{next(sessions)}"
    yield Page(shared.as_caller(session), site)
    await shared.router.end_session(f"local/{session}")


@pytest.fixture
def outline(one_page, serve_site):
    """Return the lines of the page with this body, refs as `#`."""

    async def lines(body):
        site = serve_site({"/": f"<!doctype html><title>T</title>{body}"})
        await one_page("navigate", url=site)
        shown = await one_page("snapshot")
        return lines_of(shown)

    return lines


@pytest.fixture
def echo():
    """The port of a WebSocket that says what it is told."""
    from websockets.sync.server import serve

    def answer(socket):
        for message in socket:
            socket.send(message)

    with serve(answer, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def outputs(shared):
    return shared.router.config.outputs


@pytest.fixture
def exchanged(monkeypatch):
    """Questions to pages from now on, each with its answer."""
    exchanged = []
    ask = Frame.ask

    async def noting(frame, question):
        answer = await ask(frame, question)
        exchanged.append((json.loads(question), json.loads(answer)))
        return answer

    monkeypatch.setattr(Frame, "ask", noting)
    return exchanged
