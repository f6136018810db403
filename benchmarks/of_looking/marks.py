"""Marks on pictures: whether a click at each reaches its element, and what the page sees of it.

The pages are those of widget libraries, of strap's own tests, and pages of many controls; then
those of a theme and of the web. They are drawn in windows of three sizes, scrolled, zoomed, from
right to left, and in frames of another site.
"""

import html
import math
import random
import time
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table, ready
from benchmarks.of_content import corpora
from benchmarks.of_looking.looking import Call, browser
from benchmarks.of_pages.widgets import PAGES, REQUIREMENTS
from benchmarks.peers import Absent, Peer, npm
from benchmarks.site import serve_files
from benchmarks.wire import Failed
from strap import StrapError

SITE = Path(__file__).parents[2] / "tests" / "site" / "pages"
OWN = (
    "article",
    "buttons",
    "form",
    "frames",
    "menu",
    "overlay",
    "places",
    "shadow",
    "table",
    "tall",
)
THEME = "startbootstrap-sb-admin-2@4.1.4"
SEED = 59
SIZES = ((1280, 720), (390, 844), (1024, 768))
ZOOMS = (1, 1, 0.75, 1.5)
SETTLED = 0.3
"""Seconds for a page's scripts, before anything is noted of it."""
COUNTED = ("clicked", "hit", "moved", "drawings", "failed", "seen")
MOST_WAITS = 10
A_PAGE = 8
"""Marks that are clicked of one drawing of a page."""
EVENTS = (
    *("click", "mousemove", "mouseover", "pointermove", "pointerdown", "mousedown", "wheel"),
    *("scroll", "resize", "focus", "blur", "visibilitychange", "selectionchange", "keydown"),
    *("beforeprint", "animationstart", "transitionstart"),
)
SPY = f"""(() => {{ const seen = window.__seen = [];
new MutationObserver((all) => seen.push(...all.map((one) => one.type))).observe(document,
  {{ subtree: true, childList: true, attributes: true, characterData: true }});
for (const name of {[*EVENTS]}) for (const at of [window, document])
  at.addEventListener(name, (event) => seen.push(event.type), true);
window.__styles = () => document.styleSheets.length + document.adoptedStyleSheets.length;
window.__before = __styles(); return 0; }})()"""
SEEN = "[...new Set(__seen), ...(__styles() === __before ? [] : ['style'])].join()"
LISTEN = """(element) => { const { defaultView: at } = element.ownerDocument; at.__path = [];
at.__stop ||= (event) => { event.preventDefault(); event.stopImmediatePropagation();
  if (event.type === "pointerdown") at.__path = event.composedPath(); };
for (const name of ["pointerdown", "mousedown", "mouseup", "click", "submit"])
  at.addEventListener(name, at.__stop, true);
return 0; }"""
REACHED = """(element) => { const path = element.ownerDocument.defaultView.__path;
return path.includes(element) || path.some((one) => one.control === element); }"""
ODD = {
    "grid": "".join(
        f"<button style='position:absolute;left:{x * 90}px;top:{y * 44}px'>G{x}.{y}</button>"
        for x in range(12)
        for y in range(30)
    ),
    "turned": "".join(
        f"<p style='margin:30px;transform:rotate({n * 7}deg) scale({1 + n / 20})'>"
        f"<button>Turned {n}</button> <a href=#{n}>Link {n}</a></p>"
        for n in range(14)
    ),
    "fixed": "<nav style='position:fixed;inset:0 0 auto 0;background:#eee'><button>Top</button>"
    "</nav><div style='position:sticky;top:30px;background:#fff'><button>Sticky</button></div>"
    + "".join(f"<p><button>Row {n}</button> <input aria-label=F{n}>" for n in range(60)),
    "lines": "<p style='width:200px'>"
    + " ".join(f"<a href=#{n}>a link of some words {n}</a> and text" for n in range(30)),
    "boxes": "".join(
        f"<label style='display:block'><input type={kind}> Choice {n}</label>"
        for n, kind in enumerate(["checkbox", "radio"] * 15)
    ),
    "scrollers": "".join(
        f"<div style='overflow:auto;width:240px;height:90px;border:1px solid'>"
        f"{''.join(f'<p><button>S{n}.{m}</button></p>' for m in range(9))}</div>"
        for n in range(6)
    ),
    "shadows": "<script>for (let n = 0; n < 12; n++) { const host = document.createElement('div');"
    "document.body.append(host); host.attachShadow({ mode: n % 2 ? 'open' : 'closed' }).innerHTML ="
    " `<button>In ${n}</button> <a href=#x>L${n}</a>`; }</script>",
    "layers": "".join(
        f"<div style='position:absolute;left:{n * 60}px;top:{n * 40}px;width:200px;height:100px;"
        f"background:#{n}{n}c;opacity:.9'><button>Layer {n}</button></div>"
        for n in range(9)
    ),
}


async def measured(bench: Bench) -> Table:
    notes: list[str] = []
    rows: list[list[Any]] = []
    with ExitStack() as stack:
        for name, urls in {
            "pages of tests and widgets": _own(bench, stack, notes),
            "public pages": _foreign(bench, stack, notes),
        }.items():
            if not urls:
                continue
            counts = await _drawn(bench, stack, urls)
            rows.append([f"strap, {len(urls)} {name}", *(counts[each] for each in COUNTED)])
            rows += [_peer(peer, urls) for peer in bench.peers if peer.name == "agent-browser"]
    return Table(
        title="Marks of pages, in frames and windows of three sizes, clicked",
        columns=(
            "",
            "clicked",
            "reached",
            "moved, or barred",
            "pictures",
            "failed",
            "seen",
        ),
        rows=rows,
        notes=[
            *notes,
            "Seen: the page noticed a change of its document, a style or an event.",
            "agent-browser's annotated pictures are of the pages as they are, and are not clicked.",
        ],
    )


async def _drawn(bench: Bench, stack: ExitStack, urls: list[str]) -> Counter[str]:
    """Click marks of the pages in turn, each fourth time in a frame of another site."""
    counts, drawn, wanted = Counter[str](), random.Random(SEED), bench.runs(500, 60)
    frames = {f"/{n}.html": _framed(url) for n, url in enumerate(urls)}
    outer = stack.enter_context(serve_files(SITE, frames)).replace("127.0.0.1", "localhost")
    async with browser() as call:
        while counts["clicked"] < wanted:
            at = counts["drawings"] % len(urls)
            framed = counts["drawings"] % 4 == 3
            counts["drawings"] += 1
            await _draw(call, f"{outer}/{at}.html" if framed else urls[at], drawn, counts)
    return counts


def _own(bench: Bench, stack: ExitStack, notes: list[str]) -> list[str]:
    """Return the addresses of the pages that were looked at while marks were written."""
    pages = {f"/{n}.html": f"<!doctype html><title>{n}</title>{body}" for n, body in ODD.items()}
    try:
        folder = npm(bench.tools, "widgets", *REQUIREMENTS)
        pages |= {f"/{n}.html": f"<!doctype html><title>{n}</title>{b}" for n, b in PAGES.items()}
    except Absent as error:
        folder = SITE
        notes.append(f"absent: {error}")
    address = stack.enter_context(serve_files(folder, pages))
    own = stack.enter_context(serve_files(SITE))
    return [f"{address}{path}" for path in pages] + [f"{own}/{name}.html" for name in OWN]


def _foreign(bench: Bench, stack: ExitStack, notes: list[str]) -> list[str]:
    """Return the addresses of 40 pages of others: of a theme, and as they stood in the web."""
    try:
        theme = npm(bench.tools, "theme", THEME) / THEME.partition("@")[0]
        saved = [*islice(corpora.mixed(), 18), *islice(corpora.news(bench.tools), 8)]
    except Absent as error:
        notes.append(f"absent: {error}")
        return []
    pages = {f"/{number}.html": page.html for number, page in enumerate(saved)}
    address = stack.enter_context(serve_files(theme, pages))
    names = sorted(path.name for path in theme.glob("*.html"))
    return [f"{address}/{name}" for name in names] + [f"{address}{path}" for path in pages]


def _peer(peer: Peer, urls: list[str]) -> list[Any]:
    """Return in how many annotated pictures the page of a peer saw something."""
    dialect, pictures, seen = peer.dialect, 0, 0
    assert dialect
    assert dialect.evaluate
    for url in urls:
        with suppress(Failed), ready(peer) as server:
            dialect.open(server, url)
            time.sleep(SETTLED)
            server.call(*dialect.evaluate(SPY))
            server.call("agent_browser_screenshot", {"annotate": True})
            noticed = server.call(*dialect.evaluate(SEEN)).text
            pictures += 1
            seen += any(word in noticed for word in ("childList", "attributes", "style", *EVENTS))
    return [peer.name, "-", "-", "-", len(urls), len(urls) - pictures, seen]


def _framed(url: str) -> str:
    return (
        "<!doctype html><title>Outer</title><button>Before</button><iframe title=Inner "
        f"src='{html.escape(url)}' style='width:80%;height:70%;position:absolute'></iframe>"
    )


async def _draw(call: Call, url: str, drawn: random.Random, counts: Counter[str]) -> None:
    """Take one picture of a page in a state that is drawn, and click some of its marks."""
    width, height = drawn.choice(SIZES)
    zoom, rtl, share = drawn.choice(ZOOMS), drawn.random() < 0.3, drawn.choice((0, 0, 0.3, 0.7))
    await call("resize", width=width, height=height)
    await call("navigate", url=url)
    await call("wait", value="0.3")
    state = f"document.documentElement.style.zoom = {zoom};" if zoom != 1 else ""
    state += "document.documentElement.dir = 'rtl';" if rtl else ""
    state += f"scrollTo(0, {share} * document.documentElement.scrollHeight); 0"
    await call("evaluate", text=state)
    await _come_to_rest(call)
    try:
        result = await call("screenshot", value="marks")
    except StrapError as error:
        counts["failed"] += 1
        print(f"{url}, {width} x {height}, {state}: {error}")
        return
    marks: list[dict[str, Any]] = result.data["marks"]
    noticed = (await call("evaluate", text=SEEN)).data["result"]
    if noticed:
        counts["seen"] += 1
        print(f"{url} noticed {noticed}")
    for mark in drawn.sample(marks, min(A_PAGE, len(marks))):
        await _click(call, url, mark, counts)


async def _come_to_rest(call: Call) -> None:
    """Wait until the page notices nothing: it may answer to being scrolled, or load pictures."""
    for _ in range(MOST_WAITS):
        await call("evaluate", text=SPY)
        await call("wait", value="0.3")
        if not (await call("evaluate", text=SEEN)).data["result"]:
            return


async def _click(call: Call, url: str, mark: dict[str, Any], counts: Counter[str]) -> None:
    ref, (x, y) = mark["ref"], mark["at"]
    try:
        await call("evaluate", text=LISTEN, ref=ref)
        await call("click", x=x, y=y)
        reached = (await call("evaluate", text=REACHED, ref=ref)).data["result"]
        if reached is not True and await _is_elsewhere(call, mark):
            counts["moved"] += 1
            return
    except StrapError as error:
        counts["moved"] += 1
        print(f"{url} {ref}: {error}")
        return
    counts["clicked"] += 1
    counts["hit"] += reached is True
    if reached is not True:
        print(f"{url}: {ref} at {x}, {y} was missed")


async def _is_elsewhere(call: Call, mark: dict[str, Any]) -> bool:
    """Tell whether the page moved the element after its picture was taken."""
    again = (await call("screenshot", value="marks")).data["marks"]
    places = [one["at"] for one in again if one["ref"] == mark["ref"]]
    return all(math.dist(place, mark["at"]) > 1 for place in places)
