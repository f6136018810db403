"""From the start of the server to the first page shown, the browser's own start included.

A page is opened when the call that goes there is answered. It is shown when a caller knows what is
on it: most servers' answers tell nothing of that, so their callers ask for a snapshot as well.
It is used when a field of it was filled and a button clicked, without a pause.
"""

from contextlib import ExitStack

from benchmarks.bench import Bench, Home, Samples, Table, home

COLUMNS = ("opened", "shown", "used")
SHOWN = "Submit"
"""Text on the page that is neither in its address nor in its title."""


def measure(bench: Bench) -> Table:
    samples = Samples(COLUMNS)
    with ExitStack() as stack:
        homes = [stack.enter_context(home(peer)) for peer in bench.drivers]
        _show(homes[0], bench.site, Samples(COLUMNS))  # prepares the answers to the handshake
        for _ in range(bench.runs(8, 2)):
            for place in homes:
                _show(place, bench.site, samples)
    return samples.table("Server start to first page opened, shown and used, ms")


def _show(place: Home, site: str, samples: Samples) -> None:
    who, dialect = place.peer.name, place.peer.dialect
    assert dialect
    with samples.trial(who), place.server() as server:
        server.initialize()
        opened = dialect.open(server, f"{site}/form.html")
        samples.add(who, COLUMNS[0], server.since_start)
        seen = opened
        if SHOWN not in str(opened.result):
            seen = server.call(*dialect.snapshot)
            assert SHOWN in str(seen.result), who
        samples.add(who, COLUMNS[1], server.since_start)
        server.call(*dialect.fill(dialect.find(seen.text, "textbox", "Name"), "Ada"))
        server.call(*dialect.click(dialect.find(seen.text, "button", SHOWN)))
        samples.add(who, COLUMNS[2], server.since_start)
