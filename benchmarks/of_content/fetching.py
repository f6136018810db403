"""Fetching what is long, large or hostile: how long it takes, and how much memory."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.of_content import hostile
from benchmarks.peers import Peer
from benchmarks.wire import Answer, Failed, Server

ARTICLE, FIRST, SECOND = "60 KB article, ms", "2 MB page, first part, ms", "second part, ms"
HUGE, HUGE_MB = "50 MB body, ms", "50 MB body, peak MB"
BOMB, BOMB_MB = "bomb (100 KB to 100 MB), ms", "bomb, peak MB"
DRIP, LOOP = "drip, ms", "redirect loop, ms"
PATIENCE = 5
"""Seconds that strap is given for the drip; the peer has no such limit."""
LONGEST = 150.0
"""Seconds that anyone is waited for."""
PEER = "mcp-server-fetch"


def measure(bench: Bench) -> Table:
    samples = Samples((ARTICLE, FIRST, SECOND, HUGE, HUGE_MB, BOMB, BOMB_MB, DRIP, LOOP))
    seconds = bench.runs(120, 20)
    with hostile.serve() as address:
        for peer in (bench.strap, *(peer for peer in bench.peers if peer.name == PEER)):
            with samples.trial(peer.name), _warm(peer, address) as server:
                _read(bench, server, peer, address, samples)
            for path, took, peak in (("huge", HUGE, HUGE_MB), ("bomb", BOMB, BOMB_MB)):
                with samples.trial(peer.name), _warm(peer, address) as server:
                    _survive(server, peer, f"{address}/{path}", samples, took, peak)
            with samples.trial(peer.name), _warm(peer, address) as server:
                _end(server, peer, address, seconds, samples)
    table = samples.table("Fetching")
    table.notes.append(
        "Memory is the PSS of the server and all below it, looked at ten times a second. The "
        f"body of 50 MB does not say how long it is. The drip takes {seconds} s; strap is given "
        f"{PATIENCE} s for it. Nobody is waited for longer than {LONGEST:.0f} s."
    )
    return table


@contextmanager
def _warm(peer: Peer, address: str) -> Iterator[Server]:
    """A server that has its workers running."""
    with ready(_opened(peer)) as server:
        _ask(server, peer, f"{address}/article")
        yield server


def _opened(peer: Peer) -> Peer:
    """Without its guard and robots.txt, as it cannot reach loopback otherwise."""
    if peer.name != PEER:
        return peer
    return peer.with_arguments(peer.name, "--allow-private-ips", "--ignore-robots-txt")


def _ask(server: Server, peer: Peer, url: str, **fields: Any) -> Answer:
    if peer.name == PEER:
        known = {"start": "start_index"}
        arguments = {known[key]: value for key, value in fields.items() if key in known}
        return _call(server, "fetch", {"url": url} | arguments)
    return _call(server, "web", {"resource": "http", "action": "fetch", "url": url} | fields)


def _call(server: Server, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """Call; an error is an answer here."""
    return server.request("tools/call", {"name": tool, "arguments": arguments}, timeout=LONGEST)


def _read(bench: Bench, server: Server, peer: Peer, address: str, samples: Samples) -> None:
    for _ in range(bench.runs(9, 2)):
        answer = _ask(server, peer, f"{address}/article")
        _expect(not answer.failed, answer)
        samples.add(peer.name, ARTICLE, answer.ms)
    for _ in range(bench.runs(5, 1)):
        first = _ask(server, peer, f"{address}/large")
        _expect(not first.failed, first)
        starts = re.findall(r"start(?:_index)?(?:=| of )(\d+)", first.text)
        _expect(bool(starts), first)
        second = _ask(server, peer, f"{address}/large", start=int(starts[-1]))
        _expect(not second.failed, second)
        samples.add(peer.name, FIRST, first.ms)
        samples.add(peer.name, SECOND, second.ms)


def _survive(server: Server, peer: Peer, url: str, samples: Samples, took: str, peak: str) -> None:
    """Note time and memory; who gives no answer in time is given the time that it had."""
    with _peak(server) as seen:
        try:
            spent = _ask(server, peer, url).ms
        except Failed as error:
            spent = LONGEST * 1_000
            samples.failures.setdefault(peer.name, f"{url.rpartition('/')[2]}: {error}")
    samples.add(peer.name, took, spent)
    samples.add(peer.name, peak, max(seen))


def _end(server: Server, peer: Peer, address: str, seconds: int, samples: Samples) -> None:
    drip = f"{address}/drip/{seconds}"
    samples.add(peer.name, DRIP, _ask(server, peer, drip, timeout=PATIENCE).ms)
    looped = _ask(server, peer, f"{address}/loop")
    _expect(looped.failed, looped)
    samples.add(peer.name, LOOP, looped.ms)


def _expect(right: bool, answer: Answer) -> None:
    if not right:
        raise Failed(f"not what was asked for: {answer.text[:200]}")


@contextmanager
def _peak(server: Server) -> Iterator[list[float]]:
    """Yield a list of what the server and all below it hold, in MB, filled until it is left."""
    seen: list[float] = []
    done = Event()

    def look() -> None:
        while True:
            seen.append(sum(process.pss_mb() for process in server.processes()))
            if done.wait(0.1):
                return

    watcher = Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()
