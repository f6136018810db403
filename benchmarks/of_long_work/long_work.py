"""All measurements of long work; `long_work:runs` takes one of them."""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_long_work import kills, principals, runs, watches

PARTS: Mapping[str, Callable[[Bench, Path], Awaitable[Table]]] = {
    "runs": runs.measure,
    "watches": watches.measure,
    "kills": kills.measure,
    "principals": principals.measure,
}


def measure(bench: Bench) -> list[Table]:
    if bench.part and bench.part not in PARTS:
        sys.exit(f"no part {bench.part!r} of long_work (of {', '.join(PARTS)})")
    names = [bench.part] if bench.part else list(PARTS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return [asyncio.run(_measured(bench, name, Path(folder))) for name in names]


async def _measured(bench: Bench, name: str, folder: Path) -> Table:
    own = folder / name
    own.mkdir()
    return await PARTS[name](bench, own)
