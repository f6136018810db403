"""Cost of the network guard per call, without a look-up."""

import time

from benchmarks.bench import Bench, Table
from strap.network import Guard

URLS = (
    "https://example.com/a/b?c=",
    "http://127.0.0.1:8000/x?c=",
    "http://[2606:4700:4700::1111]/?c=",
    "http://bücher.example/ä?c=",
)


def measure(bench: Bench) -> Table:
    calls = bench.runs(5_000, 1_000)
    guard = Guard("local", ("10.0.0.5:80",))
    guard.check_url(URLS[-1])  # loads the tables of international names
    table = Table(title="Network guard, per check", columns=("address", "mean, µs"))
    for url in URLS:
        distinct = [f"{url}{number}" for number in range(calls)]  # no cache helps
        started = time.perf_counter()
        for one in distinct:
            guard.check_url(one)
        table.rows.append([url, f"{(time.perf_counter() - started) / calls * 1e6:.1f}"])
    return table
