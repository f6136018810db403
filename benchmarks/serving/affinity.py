"""Requests that reach another replica than that of their session."""

import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.serving.callers import Client
from benchmarks.serving.servers import PROXIES, Proxy, Replica

THREADS = 4
SESSIONS = 12
"""Sessions of a thread."""


def measure(bench: Bench) -> Table:
    columns = ("before three replicas", "requests", "sessions of a · b · c", "errors", "a second")
    table = Table(title="Affinity", columns=columns)
    for name in PROXIES:
        if Proxy.installed(name):
            table.rows.append([name.partition(".")[0], *_calls(name, bench.runs(10_000, 500))])
    return table


def _calls(name: str, number: int) -> list[object]:
    found: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        ports = {
            letter: stack.enter_context(Replica(Path(folder) / letter, letter)).port
            for letter in "abc"
        }
        proxy = stack.enter_context(Proxy(name, ports, Path(folder)))
        sessions = Counter[str]()
        threads = [
            threading.Thread(
                target=_go_round, args=(proxy.port, number // THREADS, found, sessions)
            )
            for _ in range(THREADS)
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - started
    wrong = sum(text != f"done at {letter}" for letter, text in found)
    shares = " · ".join(str(sessions[letter]) for letter in "abc")
    return [len(found), shares, wrong, f"{len(found) / took:.0f}"]


def _go_round(
    port: int, number: int, found: list[tuple[str, str]], sessions: "Counter[str]"
) -> None:
    clients = [Client(port) for _ in range(SESSIONS)]
    for client in clients:
        sessions[client.open()[0]] += 1
    for turn in range(number):
        client = clients[turn % SESSIONS]
        assert client.session is not None
        try:
            text = client.call("nothing")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            text = repr(error)
        found.append((client.session[0], text))
    for client in clients:
        client.close()
