"""Calls that are lost where replicas are restarted one after the other under load."""

import http.client
import random
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.serving.callers import Client, Refused
from benchmarks.serving.servers import Proxy, Replica

CALLERS = 6
PAUSE = 0.2
"""Seconds after which a caller who was sent away comes again."""


def measure(bench: Bench) -> Table:
    table = Table(
        title="Restarts under load",
        columns=(
            "before three replicas",
            "restarts",
            "calls begun",
            "answered",
            "lost",
            "told to come again",
            "cut off",
        ),
    )
    for name in ("nginx.conf", "haproxy.cfg"):
        if Proxy.installed(name):
            table.rows.append([name.partition(".")[0], *_restarts(name, bench.runs(25, 3))])
    table.notes.append(
        f"{CALLERS} callers, calls of 20 to 500 ms. Begun is what the servers noted. Sent away are "
        "calls that were answered 404, 502, 503 or `shutting_down`, before they were begun; cut "
        "off are requests without any answer."
    )
    return table


def _restarts(name: str, number: int) -> list[int]:
    end, told = threading.Event(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        replicas = {
            letter: stack.enter_context(Replica(Path(folder) / letter, letter, drain=30))
            for letter in "abc"
        }
        ports = {letter: replica.port for letter, replica in replicas.items()}
        proxy = stack.enter_context(Proxy(name, ports, Path(folder)))
        threads = [
            threading.Thread(target=_go_on, args=(proxy.port, seed, end, told))
            for seed in range(CALLERS)
        ]
        for thread in threads:
            thread.start()
        for turn in range(number):
            time.sleep(1)
            replica = replicas["abc"[turn % 3]]
            assert replica.end() == 0
            replica.start()
        end.set()
        for thread in threads:
            thread.join()
        begun, ended = (sum(r.noted(w) for r in replicas.values()) for w in ("began", "ended"))
    assert ended <= begun
    return [
        number,
        begun,
        told["answered"],
        begun - told["answered"],
        told["sent away"],
        told["cut off"],
    ]


def _go_on(port: int, seed: int, end: threading.Event, told: "Counter[str]") -> None:
    lengths, client = random.Random(seed), Client(port)
    while not end.is_set():
        try:
            if client.session is None:
                client.open()
            client.call("nap", number=lengths.choice((0.02, 0.1, 0.5)))
            told["answered"] += 1
        except (Refused, OSError, http.client.HTTPException) as error:
            told["sent away" if isinstance(error, Refused) else "cut off"] += 1
            client.session = None
            time.sleep(PAUSE)
    client.close()
