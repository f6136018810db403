"""How many small fetches a batch on Ray does in a second, and what Ray adds to one."""

import statistics
from collections import defaultdict

from benchmarks.bench import Bench, Table
from benchmarks.of_content.throughput import serving
from benchmarks.of_scale.costs import Cost, batch_cost

LINE = "http fetch url={url}"
RAY = ("--engine", "ray", "--workers", "2", "--concurrency", "8")
WAYS = {
    "one process, 16 at a time": (("--concurrency", "16"), 10),
    "Ray, 2 workers of 8, one item a call": (RAY, 1),
    "Ray, 2 workers of 8, ten items a call": (RAY, 10),
}
"""Options, and how many items a worker of Ray has ahead."""


def measure(bench: Bench) -> Table:
    few, many = bench.runs(500, 50), bench.runs(2_500, 150)
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with serving() as url:
        for _ in range(bench.runs(3, 1)):
            for name, (options, chunk) in WAYS.items():
                costs = [_cost(url, number, options, chunk) for number in (few, many)]
                used = [cost.cpu * n for cost, n in zip(costs, (few, many), strict=True)]
                cpu = (used[1] - used[0]) / (many - few)  # what start and end take is in both
                found[name].append((costs[1].steady, cpu * 1000))
    table = Table(
        title="Small fetches in batches",
        columns=("how", "a second, median", "best", "CPU ms an item", "added by Ray"),
    )
    plain = statistics.median(cpu for _, cpu in found[next(iter(WAYS))])
    for name, rounds in found.items():
        rates, cpus = [rate for rate, _ in rounds], [cpu for _, cpu in rounds]
        cpu = statistics.median(cpus)
        row = [f"{statistics.median(rates):.0f}", f"{max(rates):.0f}", f"{cpu:.1f}"]
        table.rows.append([name, *row, f"{cpu - plain:.1f}" if cpu is not plain else ""])
    table.notes.append(
        f"{len(rounds)} rounds in turns, of {few:,} and {many:,} fetches of 2 kB of JSON each. "
        "Rates are those between the first and the last row; CPU is of all processes, by the "
        "difference."
    )
    return table


def _cost(url: str, number: int, options: tuple[str, ...], chunk: int) -> Cost:
    urls = [f"{url}?n={n}" for n in range(number)]
    return batch_cost(LINE, urls, *options, STRAP_BATCH__CHUNK=str(chunk))
