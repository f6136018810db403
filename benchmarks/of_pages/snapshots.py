"""The size of a look at the reference pages, in tokens, and the time that it takes."""

from benchmarks.bench import Bench, Samples, Table, ready
from benchmarks.peers import Peer
from benchmarks.wire import Failed

PAGES = ("form", "article", "table", "buttons")


def measure(bench: Bench) -> list[Table]:
    sizes, times = Samples(PAGES), Samples(PAGES)
    for peer in bench.drivers:
        with sizes.trial(peer.name):
            _look(bench, peer, sizes, times)
    return [
        sizes.table("Snapshot of the reference pages, tokens"),
        times.table("Snapshot of the reference pages, ms"),
    ]


def _look(bench: Bench, peer: Peer, sizes: Samples, times: Samples) -> None:
    dialect = peer.dialect
    assert dialect
    with ready(peer) as server:
        dialect.open(server, f"{bench.site}/form.html")
        for page in PAGES:
            server.call(*dialect.navigate(f"{bench.site}/{page}.html"))
            for _ in range(bench.runs(5, 2)):
                answer = server.call(*dialect.snapshot)
                if not answer.text:
                    raise Failed(f"an empty snapshot of {page}")
                times.add(peer.name, page, answer.ms)
            sizes.add(peer.name, page, bench.tokens(answer.text))
