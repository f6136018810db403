"""From the start of the server to the first page shown, the browser's own start included."""

from contextlib import ExitStack

from benchmarks.bench import Bench, Home, Samples, Table, home

COLUMNS = ("start to first page", "of this in the browser's calls")


def measure(bench: Bench) -> Table:
    samples = Samples(COLUMNS)
    with ExitStack() as stack:
        homes = [stack.enter_context(home(peer)) for peer in bench.drivers]
        _show(homes[0], bench.site, Samples(COLUMNS))  # prepares the answers to the handshake
        for _ in range(bench.runs(8, 2)):
            for place in homes:
                _show(place, bench.site, samples)
    return samples.table("Server start to first page shown, ms")


def _show(place: Home, site: str, samples: Samples) -> None:
    who, dialect = place.peer.name, place.peer.dialect
    assert dialect
    with samples.trial(who), place.server() as server:
        server.initialize()
        before = server.since_start
        dialect.open(server, f"{site}/form.html")
        samples.add(who, COLUMNS[0], server.since_start)
        samples.add(who, COLUMNS[1], server.since_start - before)
