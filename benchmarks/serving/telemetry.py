"""What metrics, logs and spans add to a call over HTTP, in processor time of the server."""

import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.serving.callers import Client
from benchmarks.serving.servers import HOUSE, Replica, free_port

OPTIONAL = ("prometheus_client", "opentelemetry.sdk", "jwt", "ray")
LOADED = """
import sys
import strap.mcp.http.server
print([name for name in {names} if name in sys.modules])
"""


def measure(bench: Bench) -> Table:
    calls, rounds = bench.runs(400, 60), bench.runs(9, 3)
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        replicas = {
            "nothing": Replica(Path(folder) / "plain"),
            "metrics": Replica(Path(folder) / "metrics", metrics=free_port()),
            "spans": Replica(Path(folder) / "spans", collect_spans=True),
        }
        clients = {}
        for name, replica in replicas.items():
            stack.enter_context(replica)
            clients[name] = Client(replica.port)
            clients[name].open()
            _seconds(replicas[name], clients[name], calls)
        for _ in range(rounds):
            for name, client in clients.items():
                found.setdefault(name, []).append(_seconds(replicas[name], client, calls))
        for client in clients.values():
            client.reconnect()
            client.close()
    table = Table(
        title="A call over HTTP that does nothing", columns=("with", "µs of the server", "ratio")
    )
    plain = found["nothing"]
    for name, times in found.items():
        ratio = statistics.median(a / b for a, b in zip(times, plain, strict=True))
        table.rows.append([name, f"{statistics.median(times):.0f}", f"{ratio:.3f}"])
    table.notes.append(
        f"{rounds} rounds in turns, {calls} calls each. Loaded when off: {_loaded()}."
    )
    return table


def _seconds(replica: Replica, client: Client, calls: int) -> float:
    """Processor time of a call in µs, whatever else the machine does."""
    client.reconnect()
    before = replica.cpu_ns()
    for _ in range(calls):
        client.call("nothing")
    return (replica.cpu_ns() - before) / calls / 1000


def _loaded() -> str:
    """What a server imports of the optional libraries where nobody wants them."""
    program = LOADED.format(names=OPTIONAL)
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=HOUSE, check=True, capture_output=True, text=True
    ).stdout.strip()
