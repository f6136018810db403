"""Benchmarks of several parts, of which `NAME:PART` takes one."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table

Measure = Callable[[Bench, Path], Coroutine[Any, Any, Table]]
Parts = Mapping[str, Measure]
"""Measurements by the names of the parts; each gets an empty folder."""


def measured(bench: Bench, name: str, parts: Parts) -> list[Table]:
    """Return the tables of the part that `bench` names, or of all."""
    if bench.part and bench.part not in parts:
        sys.exit(f"no part {bench.part!r} of {name} (of {', '.join(parts)})")
    return [_measured(bench, parts[part]) for part in ([bench.part] if bench.part else parts)]


def _measured(bench: Bench, measure: Measure) -> Table:
    # Browsers that a kill left behind may still write.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return asyncio.run(measure(bench, Path(folder)))
