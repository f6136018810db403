"""Forty ways to send something: shown before it is sent, not sent until then, and then the same."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import Web, callers
from tests.site.server import Reply, Request, serve

PATIENCE = 3.0
"""Seconds for a request to be held, or to arrive; most take milliseconds."""
FIELDS = "<input name=item value=spade><input name=note value='a b&c'>"
JSON = "JSON.stringify({item: 'spade', note: 'a b&c'})"
PAIRS = "new URLSearchParams({item: 'spade', note: 'a b&c'})"
PARTS = "(() => { const f = new FormData(); f.set('item', 'spade'); return f; })()"
BODIES = {"json": JSON, "urlencoded": PAIRS, "multipart": PARTS}
BLOB = f"new Blob([{JSON}], {{type: 'application/json'}})"
SCRIPT = {"Content-Type": "text/javascript"}
POST = f"fetch('/take', {{method: 'POST', body: {JSON}}})"
WORKERS = {
    "/worker.js": POST,
    "/shared.js": f"onconnect = () => {POST}",
    "/sw.js": f"onmessage = () => {POST}; oninstall = () => skipWaiting()",
}
ITEM = '"item": "spade"'
Way = tuple[str, str, str]
"""The HTML of a page whose `#go` sends, and method and words that are to be shown."""


def ways() -> Iterator[tuple[str, Way]]:
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
        for target in ("_self", "_blank", "frame"):
            yield f"form {kind} {target}", (_form(f"enctype={kind} target={target}"), "POST", ITEM)
    button = "<button id=go formaction=/take formmethod=post>Go</button>"
    yield "formaction", (f"<form>{FIELDS}{button}</form>", "POST", ITEM)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        for name, body in BODIES.items():
            way = f"fetch('/take', {{method: '{method}', body: {body}}})"
            yield f"fetch {method} {name}", (_button(way), method, ITEM)
    for name, body in (("json", JSON), ("urlencoded", PAIRS)):
        way = f"fetch('/take', {{method: 'POST', keepalive: true, body: {body}}})"
        yield f"keepalive {name}", (_button(way), "POST", ITEM)
    for query in ("query { items { name } }", "mutation { buy(item: 7) { id } }"):
        body = f"JSON.stringify({{query: '{query}'}})"
        way = f"fetch('/take', {{method: 'POST', body: {body}}})"
        yield f"GraphQL {query[:8]}", (_button(way), "POST", query)
    typed = f"new TextEncoder().encode({JSON})"
    for name, body in (*BODIES.items(), ("bytes", typed)):
        way = f"const x = new XMLHttpRequest(); x.open('POST', '/take'); x.send({body})"
        yield f"XMLHttpRequest {name}", (_button(way), "POST", ITEM)
    for name, body in (*BODIES.items(), ("blob", BLOB)):
        yield f"beacon {name}", (_button(f"navigator.sendBeacon('/take', {body})"), "POST", ITEM)
    yield "worker", (_button("new Worker('/worker.js')"), "POST", ITEM)
    yield "shared worker", (_button("new SharedWorker('/shared.js')"), "POST", ITEM)
    begun = "navigator.serviceWorker.register('/sw.js').then((r) => (r.active ?? r.installing"
    yield "service worker", (_button(f"{begun} ?? r.waiting).postMessage(1))"), "POST", ITEM)
    framed = (
        "document.body.append(Object.assign(document.createElement('iframe'), {src: '/frame'}))"
    )
    yield "frame", (_button(framed) + "<p>", "POST", ITEM)
    file = "new File(['secret plans'], 'plan.txt', {type: 'text/plain'})"
    parts = f"(() => {{ const f = new FormData(); f.set('file', {file}); return f; }})()"
    way = f"fetch('/take', {{method: 'POST', body: {parts}}})"
    yield "file", (_button(way), "POST", "plan.txt")
    way = f"onpagehide = () => navigator.sendBeacon('/take', {PAIRS}); location = '/left'"
    yield "at pagehide", (_button(way), "POST", ITEM)


def _form(attributes: str) -> str:
    form = f"<form method=post action=/take {attributes}>{FIELDS}<button id=go>Go</button></form>"
    return f"<iframe name=frame></iframe>{form}"


def _button(script: str) -> str:
    return f'<button id=go onclick="{script}">Go</button>'


class Arrivals:
    """Requests that a server got, with their times; `first` waits for one."""

    def __init__(self) -> None:
        self._loop, self._came = asyncio.get_running_loop(), asyncio.Queue[tuple[float, bytes]]()

    def take(self, request: Request) -> str:
        self._loop.call_soon_threadsafe(self._came.put_nowait, (perf_counter(), _body(request)))
        return "taken"

    @property
    def is_empty(self) -> bool:
        return self._came.empty()

    async def first(self) -> tuple[float, bytes]:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._came.get()
        except TimeoutError:
            return 0.0, b""


async def measure(bench: Bench, folder: Path) -> Table:
    arrivals, known = Arrivals(), dict(ways())
    pages = {f"/{at}": page for at, (page, *_) in enumerate(known.values())}
    scripts = {path: Reply(body=body, headers=SCRIPT) for path, body in WORKERS.items()}
    others = {"/left": "left", "/frame": f"<script>{POST}</script>", "/take": arrivals.take}
    table = Table(title="Ways to send", columns=("way", "shown", "unsent", "same", "ms after send"))
    took = list[float]()
    with serve({**pages, **scripts, **others}) as site:
        address = site.replace("127.0.0.1", "localhost")
        async with callers(folder) as caller:
            for at, (name, (_, method, words)) in enumerate(known.items()):
                web = caller(f"way-{at}")
                marks, ms = await _way(web, f"{address}/{at}", arrivals, (f": {method} ", words))
                took += [ms] if ms else []
                table.rows.append([name, *("yes" if each else "NO" for each in marks), f"{ms:.1f}"])
                await web("close")
    marks = [sum(row[column] == "yes" for row in table.rows) for column in (1, 2, 3)]
    table.notes.append("Shown {}, unsent {}, same {} of {}.".format(*marks, len(table.rows)))
    table.notes.append(f"{median(took):.1f} ms from the call that sends to the server.")
    return table


async def _way(
    web: Web, url: str, arrivals: Arrivals, words: tuple[str, str]
) -> tuple[tuple[bool, bool, bool], float]:
    """Send plainly, then held; return what was so, and the milliseconds from `send` on."""
    await web("navigate", url=url)
    await web("click", selector="#go")
    _, plain = await arrivals.first()
    await web("navigate", url=url)
    await web("mock", value="hold")
    said = (await web("click", selector="#go")).text
    ends = perf_counter() + PATIENCE
    while "Held h" not in said and perf_counter() < ends:
        said = (await web("mock")).text
    is_shown = all(each in said for each in words)
    is_unsent, refs = arrivals.is_empty, re.findall(r"Held (h\d+)", said)
    if not refs:
        await arrivals.first()
        return (is_shown, is_unsent, False), 0.0
    began = perf_counter()
    await web("mock", value=f"send={refs[-1]}")
    at, held = await arrivals.first()
    return (is_shown, is_unsent, held == plain), (at - began) * 1000 if at else 0.0


def _body(request: Request) -> bytes:
    """Return method, type and body, with the boundary of parts as one word."""
    kind = request.headers.get("content-type", "")
    found = re.search(r"boundary=(\S+)", kind)
    whole = f"{request.method} {kind}\n".encode() + request.body
    return whole.replace(found[1].encode(), b"BOUNDARY") if found else whole
