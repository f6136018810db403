"""Delay of a caller while another one floods the server with calls beyond the limits."""

import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.serving.callers import Client, Refused
from benchmarks.serving.servers import HOUSE, Replica

FLOODERS = 8
SETTINGS = """
[serve.limits]
calls_per_minute = 0
[serve.tokens.quiet]
value = "a-quiet-caller"
[serve.tokens.noisy]
value = "a-noisy-caller"
limits = { calls = 4, calls_per_minute = 600 }
"""


def measure(bench: Bench) -> Table:
    calls, rounds = bench.runs(200, 30), bench.runs(7, 3)
    alone, beside, told = _measured(rounds, calls)
    ratios = [after / before for before, after in zip(alone, beside, strict=True)]
    table = Table(
        title="One caller floods",
        columns=("95 % of another's calls", "ms", "ratio, median of rounds"),
    )
    table.rows.append(["alone", f"{statistics.median(alone) * 1000:.1f}", "1"])
    row = [f"{statistics.median(beside) * 1000:.1f}", f"{statistics.median(ratios):.2f}"]
    table.rows.append(["beside the flood", *row])
    table.notes.append(
        f"{rounds} rounds in turns, {calls} calls of 50 ms each. The flood: {FLOODERS} connections "
        f"of a principal with 600 calls a minute, as fast as they can: {told['sent']:,} requests, "
        f"{told['refused']:,} of them refused."
    )
    return table


def _measured(rounds: int, calls: int) -> tuple[list[float], list[float], "Counter[str]"]:
    alone, beside, told = list[float](), list[float](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "strap.toml").write_text(SETTINGS)
        with Replica(Path(folder)) as replica:
            quiet = Client(replica.port, "a-quiet-caller")
            quiet.open()
            _p95(quiet, calls)
            for _ in range(rounds):
                alone.append(_p95(quiet, calls))
                with _Flood(replica.port, told):
                    beside.append(_p95(quiet, calls))
            quiet.close()
    return alone, beside, told


def _p95(client: Client, calls: int) -> float:
    client.reconnect()  # the server has closed a connection that waited for a slow machine
    client.call("nap", number=0.01)
    times = []
    for _ in range(calls):
        started = time.perf_counter()
        client.call("nap", number=0.05)
        times.append(time.perf_counter() - started)
    return statistics.quantiles(times, n=20)[-1]


class _Flood:
    """A process whose connections call as fast as they can, whatever is said."""

    def __init__(self, port: int, told: "Counter[str]") -> None:
        self._port, self._told = port, told

    def __enter__(self) -> None:
        command = [sys.executable, "-m", "benchmarks.serving.flood", str(self._port)]
        self._process = subprocess.Popen(
            command, cwd=HOUSE, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def __exit__(self, *_: object) -> None:
        told, _none = self._process.communicate()
        self._told.update(json.loads(told))


def _flood(port: int) -> None:
    """Flood until the end of input, then tell what came of it."""
    told, end = Counter[str](), threading.Event()
    threads = [threading.Thread(target=_go_on, args=(port, told, end)) for _ in range(FLOODERS)]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    sys.stdin.read()
    end.set()
    for thread in threads:
        thread.join()
    print(json.dumps(told))


def _go_on(port: int, told: "Counter[str]", end: threading.Event) -> None:
    client = Client(port, "a-noisy-caller")
    while not end.is_set():
        told["sent"] += 1
        try:
            if client.session is None:
                client.open()
            else:
                client.call("nothing")
        except Refused:
            told["refused"] += 1
    client.close()


if __name__ == "__main__":
    _flood(int(sys.argv[1]))
