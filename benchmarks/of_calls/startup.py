"""From the start of the process to the first answers."""

import sys
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench, Home, Samples, Table, home
from benchmarks.peers import Peer

COLUMNS = ("initialize", "tools/list", "first call")
BARE = "bare SDK server"
COLD = "strap, first start ever"


def measure(bench: Bench) -> Table:
    script = str(Path(__file__).with_name("bare_server.py"))
    bare = Peer(name=BARE, command=(sys.executable, script))
    samples = Samples(COLUMNS)
    with ExitStack() as stack:
        homes = [stack.enter_context(home(p)) for p in (bench.strap, bare, *bench.peers)]
        _start(homes[0], Samples(COLUMNS))  # prepares the answers to the handshake
        for _ in range(bench.runs(12, 3)):
            for place in homes:
                _start(place, samples)
            with home(bench.strap) as fresh:
                _start(fresh, samples, COLD)
    rivals = [peer.name for peer in bench.peers]
    table = samples.table("Start-up, ms since the process was spawned", others=[*rivals, BARE])
    table.rows.append(["strap / playwright-mcp", *_against(samples, "playwright-mcp"), "-"])
    return table


def _against(samples: Samples, who: str) -> list[str]:
    return [samples.ratio("strap", [who], column) for column in COLUMNS[:2]]


def _start(place: Home, samples: Samples, name: str = "") -> None:
    who = name or place.peer.name
    with samples.trial(who), place.server() as server:
        server.initialize()
        samples.add(who, "initialize", server.since_start)
        server.tools()
        samples.add(who, "tools/list", server.since_start)
        if place.peer.name == "strap":
            server.call("web", {"resource": "http", "action": "help"})
        elif place.peer.name == BARE:
            server.call("help", {})
        else:
            return
        samples.add(who, "first call", server.since_start)
