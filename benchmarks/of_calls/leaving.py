"""Remains of a server with an open browser once it goes, in each of three ways."""

import signal
import time

from benchmarks.bench import Bench, Table, ready
from benchmarks.peers import Peer
from benchmarks.processes import wait_until
from benchmarks.wire import Failed, Server

WAYS = {"end of input": None, "SIGTERM": signal.SIGTERM, "SIGKILL": signal.SIGKILL}
PATIENCE = 10.0
"""Seconds until what still lives counts as left behind."""


def measure(bench: Bench) -> Table:
    table = Table(title="What is left when the server goes", columns=("", *WAYS))
    for peer in bench.drivers:
        table.rows.append([peer.name, *(_leave(bench, peer, number) for number in WAYS.values())])
    table.notes.append(f"With the form page open; looked at for up to {PATIENCE:.0f} s.")
    return table


def _leave(bench: Bench, peer: Peer, number: signal.Signals | None) -> str:
    assert peer.dialect
    try:
        with ready(peer) as server:
            peer.dialect.open(server, f"{bench.site}/form.html")
            server.processes()
            return _watch(server, number)
    except Failed as error:
        return f"failed: {str(error)[:80]}"


def _watch(server: Server, number: signal.Signals | None) -> str:
    started = time.monotonic()
    if number is None:
        server.close_input()
    else:
        server.process.send_signal(number)
    exited = server.exits(PATIENCE)
    gone_after = time.monotonic() - started
    said = f"exit {gone_after:.2f} s" if exited else f"no exit in {PATIENCE:.0f} s"
    if wait_until(lambda: not server.left(), PATIENCE - gone_after, pause=0.02):
        return f"{said}, all gone {time.monotonic() - started:.2f} s"
    left = server.left()
    names = ", ".join(sorted({process.name for process in left}))
    return f"{said}, **{len(left)} left** ({names})"
