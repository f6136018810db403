"""From the start of the server to the first page shown, the browser's own start included.

A page is opened when the call that goes there is answered. It is shown when a caller knows what is
on it: most servers' answers tell nothing of that, so their callers ask for a snapshot as well.
"""

from contextlib import ExitStack

from benchmarks.bench import Bench, Home, Samples, Table, home

COLUMNS = ("opened", "shown")
SHOWN = "Submit"
"""What is on the page, and neither in its address nor in its title."""


def measure(bench: Bench) -> Table:
    samples = Samples(COLUMNS)
    with ExitStack() as stack:
        homes = [stack.enter_context(home(peer)) for peer in bench.drivers]
        _show(homes[0], bench.site, Samples(COLUMNS))  # prepares the answers to the handshake
        for _ in range(bench.runs(8, 2)):
            for place in homes:
                _show(place, bench.site, samples)
    return samples.table("Server start to first page opened and shown, ms")


def _show(place: Home, site: str, samples: Samples) -> None:
    who, dialect = place.peer.name, place.peer.dialect
    assert dialect
    with samples.trial(who), place.server() as server:
        server.initialize()
        opened = dialect.open(server, f"{site}/form.html")
        samples.add(who, COLUMNS[0], server.since_start)
        if SHOWN not in str(opened.result):
            assert SHOWN in str(server.call(*dialect.snapshot).result), who
        samples.add(who, COLUMNS[1], server.since_start)
