"""Twenty sessions over HTTP, each with a context and a page of its own, at the form task at once.

Memory is that of the whole tree with all pages open, browser included, by session.
"""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Samples, Table, home
from benchmarks.dialects import Dialect
from benchmarks.of_pages.task import fill_in
from benchmarks.peers import Peer
from benchmarks.processes import wait_until
from benchmarks.serving.callers import Client, Refused
from benchmarks.serving.servers import free_port, listens
from benchmarks.wire import Answer, Failed, Server

OVER_HTTP = {
    "strap": ("--http", "--network", "local", "--port"),
    "playwright-mcp": ("--host", "127.0.0.1", "--allowed-hosts", "*", "--port"),
}
"""Servers for many over HTTP, and their arguments before the port."""
COLUMNS = ("whole tree, PSS MB a session", "of it the browser", "tasks a second", "ms of a task")
SESSIONS = 20
SETTLE = 2.0
"""Seconds in which what was begun ends: first paint, collection."""


class Session:
    """A client over HTTP, spoken to as servers over stdio are."""

    def __init__(self, port: int) -> None:
        self._client = Client(port)
        try:
            self._client.open()
        except Refused as refused:
            raise Failed(f"no session: {refused}") from None

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool; raises `Failed` where the server says that it did not work."""
        started = time.perf_counter()
        result = self._client.tool(tool, arguments)
        answer = Answer(result=result, size=0, ms=(time.perf_counter() - started) * 1000)
        if answer.failed:
            raise Failed(f"{tool} {dict(arguments)}: {answer.text[:300]}")
        return answer

    def reconnect(self) -> None:
        self._client.reconnect()

    def close(self) -> None:
        self._client.close()


def measure(bench: Bench) -> Table:
    samples, number = Samples(COLUMNS, rising=COLUMNS[2]), bench.runs(SESSIONS, 5)
    contenders = [peer for peer in bench.variants if peer.name.split(",")[0] in OVER_HTTP]
    browser = bench.tools.browser.resolve().parent
    with ExitStack() as stack:
        crowds: dict[Peer, list[Session]] = {}
        for peer in contenders:
            with samples.trial(peer.name):
                server, port = stack.enter_context(_listening(peer))
                crowds[peer] = _open(stack, peer, port, number, bench.site)
                _weigh(peer.name, server, number, browser, samples)
        for turn in range(bench.runs(6, 2) + 1):
            kept = samples if turn else Samples(COLUMNS)  # the first round warms up
            for peer, crowd in crowds.items():
                with kept.trial(peer.name):
                    _work(peer, crowd, f"Ada {turn}", bench.site, kept)
    rivals = [peer.name for peer in contenders if peer is not bench.strap]
    return samples.table(f"{number} sessions over HTTP, a page each", others=rivals)


@contextmanager
def _listening(peer: Peer) -> Iterator[tuple[Server, int]]:
    port = free_port()
    kind = OVER_HTTP[peer.name.split(",")[0]]
    serving = peer.with_arguments(peer.name, *kind, str(port))
    with home(serving) as place, place.server() as server:
        if not wait_until(lambda: listens(port), 60):
            raise Failed("it does not listen")
        yield server, port


def _open(stack: ExitStack, peer: Peer, port: int, number: int, site: str) -> list[Session]:
    assert peer.dialect
    crowd = []
    for _ in range(number):
        session = Session(port)
        stack.callback(session.close)
        _begin(session, peer.dialect, f"{site}/form.html")
        crowd.append(session)
    return crowd


def _begin(session: Session, dialect: Dialect, url: str) -> None:
    for call in (*dialect.opening, dialect.navigate(url), dialect.snapshot):
        session.call(*call)


def _weigh(who: str, server: Server, number: int, browser: Path, samples: Samples) -> None:
    time.sleep(SETTLE)
    sizes = [(process.folder(), process.pss_mb()) for process in server.processes()]
    theirs = sum(size for folder, size in sizes if folder == browser)
    samples.add(who, COLUMNS[0], sum(size for _, size in sizes) / number)
    samples.add(who, COLUMNS[1], theirs / number)


def _work(peer: Peer, crowd: list[Session], name: str, site: str, samples: Samples) -> None:
    dialect = peer.dialect
    assert dialect

    def do(session: Session) -> float:
        session.reconnect()  # the others were measured meanwhile
        return sum(answer.ms for answer in fill_in(session.call, dialect, site, name))

    started = time.perf_counter()
    with ThreadPoolExecutor(len(crowd)) as pool:
        times = list(pool.map(do, crowd))
    samples.add(peer.name, COLUMNS[2], len(crowd) / (time.perf_counter() - started))
    for took in times:
        samples.add(peer.name, COLUMNS[3], took)
