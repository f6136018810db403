"""Cost of metrics, logs and spans for a call over HTTP, in processor time of the server."""

import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.serving.callers import Client
from benchmarks.serving.servers import HOUSE, Replica, free_port

REAL = 0.05
"""Seconds of a call that does something: a small page fetched."""
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
            "spans, exported to memory": Replica(Path(folder) / "spans", collect_spans=True),
            "metrics and spans": Replica(
                Path(folder) / "both", metrics=free_port(), collect_spans=True
            ),
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
    columns = ("with", "µs of the server", "ratio", f"added, of a call of {REAL * 1000:.0f} ms")
    table = Table(title="A call over HTTP that does nothing", columns=columns)
    plain = found["nothing"]
    for name, times in found.items():
        ratio = statistics.median(a / b for a, b in zip(times, plain, strict=True))
        added = statistics.median(a - b for a, b in zip(times, plain, strict=True))
        share = f"{added / REAL / 1e6:.2%}"
        table.rows.append([name, f"{statistics.median(times):.0f}", f"{ratio:.3f}", share])
    table.notes.append(
        f"{rounds} rounds in turns, {calls} calls each. Spans are two: strap's, and the SDK's of "
        f"the request. Loaded when off: {_loaded()}."
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
    """Names of the optional libraries that a server imports where nobody wants them."""
    program = LOADED.format(names=OPTIONAL)
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=HOUSE, check=True, capture_output=True, text=True
    ).stdout.strip()
