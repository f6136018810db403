"""All measurements of long work; `long_work:runs` takes one of them."""

from benchmarks.bench import Bench, Table
from benchmarks.of_long_work import kills, principals, runs, watches
from benchmarks.parts import Parts, measured

PARTS: Parts = {
    "runs": runs.measure,
    "watches": watches.measure,
    "kills": kills.measure,
    "principals": principals.measure,
}


def measure(bench: Bench) -> list[Table]:
    return measured(bench, "long_work", PARTS)
