"""Looks at large pages: the first, one where nothing or a hundredth changed, and one for a text.

Wall time, and the processor time of the browser's renderers, which a busy machine stretches less.
"""

import os
from functools import partial
from http.server import BaseHTTPRequestHandler

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.peers import Peer
from benchmarks.processes import PROC
from benchmarks.site import serving
from benchmarks.wire import Failed, Server

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
PER_ITEM = 3
"""Elements of an item: itself, its link, its text."""
FLAT = (3_000, 10_000, 30_000, 100_000)
"""Elements of the flat pages."""
ROWS = 5_000
FRAMES = 150
LIMIT = 300.0
"""Seconds for a call."""
LOOKS = ("first", "again", "1 % changed", "a text")
CHANGE = (
    "document.querySelectorAll('[id^=n]')"
    ".forEach((one, n) => { if (n % 100 === 0) one.append('!') })"
)


def pages() -> dict[str, str]:
    """Return the pages by their names."""
    found = {f"{size:,} elements": _flat(size // PER_ITEM) for size in FLAT}
    return {**found, f"{ROWS:,} rows": _table(), f"{FRAMES} frames": _framed()}


def measure(bench: Bench) -> list[Table]:
    content = {f"/{n}": (name, text) for n, (name, text) in enumerate(pages().items())}
    kinds = [name for name, _ in content.values() if bench.part in name]
    wall = {kind: Samples(LOOKS) for kind in kinds}
    work = {kind: Samples(LOOKS) for kind in kinds}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = content.get(self.path, ("", "<p>Inside</p>"))[1].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        for path, (kind, _) in content.items():
            for _ in range(bench.runs(3, 1) if kind in kinds else 0):
                for peer in bench.drivers:
                    with wall[kind].trial(peer.name):
                        _look(peer, f"{address}{path}", wall[kind], work[kind])
    return [
        table
        for kind in kinds
        for table in (
            wall[kind].table(f"Looks at a page of {kind}, ms"),
            work[kind].table(f"Looks at a page of {kind}, ms of the renderers' processor"),
        )
    ]


def _look(peer: Peer, url: str, wall: Samples, work: Samples) -> None:
    dialect = peer.dialect
    assert dialect
    with ready(peer) as server:
        dialect.open(server, url)
        add = partial(_add, server, peer.name, wall, work)
        add("first", dialect.snapshot)
        add("again", dialect.snapshot)
        if dialect.evaluate:
            server.call(*dialect.evaluate(CHANGE), timeout=LIMIT)
            add("1 % changed", dialect.snapshot)
        if peer.name == "strap":
            add("again", dialect.snapshot)
            tool, fields = dialect.snapshot
            add("a text", (tool, {**fields, "text": "Item 77"}))


def _add(
    server: Server, who: str, wall: Samples, work: Samples, what: str, call: tuple[str, dict]
) -> None:
    before = _renderers_ms(server)
    answer = server.call(*call, timeout=LIMIT)
    if not answer.text:
        raise Failed(f"an empty answer to {what}")
    wall.add(who, what, answer.ms)
    work.add(who, what, _renderers_ms(server) - before)


def _renderers_ms(server: Server) -> float:
    """Return the processor time of the browser's renderers (proc_pid_stat(5))."""
    total = 0
    for process in server.processes():
        try:
            folder = PROC / str(process.pid)
            if b"--type=renderer" in (folder / "cmdline").read_bytes():
                fields = (folder / "stat").read_text().rpartition(") ")[2].split()
                total += int(fields[11]) + int(fields[12])
        except OSError:
            continue
    return total * TICK_MS


def _flat(items: int) -> str:
    rows = (
        f'<li id=n{n}><a href="#{n}">Item {n}</a> <span>text of it {n}</span>' for n in range(items)
    )
    return _page(f"<ul>{''.join(rows)}</ul>")


def _table() -> str:
    rows = (
        f"<tr id=n{n}><td>{n}<td>Name {n}<td>{n * 7}<td><a href=#{n}>Item {n}</a>"
        for n in range(ROWS)
    )
    return _page(f"<table><tr><th>Id<th>Name<th>Amount<th>Action{''.join(rows)}</table>")


def _framed() -> str:
    inner = "&lt;p id=n0>Frame &lt;button>Item&lt;/button>"
    return _page("".join(f'<iframe srcdoc="{inner} {n}"></iframe>' for n in range(FRAMES)))


def _page(body: str) -> str:
    return f"<!doctype html><meta charset=utf-8><title>Large</title><h1>Large</h1>{body}"
