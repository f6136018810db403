"""Memory of the server alone, and with a browser open on the form page."""

import time
from pathlib import Path

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.peers import Peer

IDLE = ("idle: server RSS", "idle: server PSS")
OPEN = (
    "open: server RSS",
    "open: server PSS",
    "open: all but the browser, PSS",
    "open: whole tree, PSS",
    "open: processes",
)
SETTLE = 2.0
"""Seconds in which a server ends what it began: imports, first paint, collection."""


def measure(bench: Bench) -> Table:
    samples = Samples((*IDLE, *OPEN))
    for _ in range(bench.runs(3, 1)):
        for peer in (bench.strap, *bench.peers):
            with samples.trial(peer.name):
                _weigh(peer, bench.site, bench.tools.browser.resolve().parent, samples)
    return samples.table("Memory, MB")


def _weigh(peer: Peer, site: str, browser: Path, samples: Samples) -> None:
    with ready(peer) as server:
        server.tools()
        time.sleep(SETTLE)
        root = next(p for p in server.processes() if p.pid == server.process.pid)
        samples.add(peer.name, IDLE[0], root.rss_mb())
        samples.add(peer.name, IDLE[1], root.pss_mb())
        if peer.dialect is None:
            return
        peer.dialect.open(server, f"{site}/form.html")
        server.call(*peer.dialect.snapshot)
        time.sleep(SETTLE)
        everyone = server.processes()
        sizes = {process: process.pss_mb() for process in everyone}
        theirs = sum(size for process, size in sizes.items() if process.folder() == browser)
        ours = sum(sizes.values()) - theirs
        held = (root.rss_mb(), sizes[root], ours, sum(sizes.values()), float(len(everyone)))
        for column, value in zip(OPEN, held, strict=True):
            samples.add(peer.name, column, value)
