"""Test cases and scenarios: what must never pass, what is never lost, and what it costs.

`python -m benchmarks cases` measures all, `cases:lies cases:kills` only these parts.
"""

import importlib
import sys

from benchmarks.bench import Bench, Table

PARTS = ("replays", "mutations", "healing", "lies", "random", "isolation", "kills", "costs")
"""The modules of `benchmarks.of_cases` that measure."""


def measure(bench: Bench) -> list[Table]:
    if bench.part and bench.part not in PARTS:
        sys.exit(f"no part {bench.part!r} of cases (of {', '.join(PARTS)})")
    found: list[Table] = []
    for part in [bench.part] if bench.part else PARTS:
        module = importlib.import_module(f"benchmarks.of_cases.measuring_{part}")
        found.append(module.measure(bench))
    return found
