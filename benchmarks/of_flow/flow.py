"""All measurements of the flow guard; `flow:attacks` takes one of them."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_flow import attacking, benign, costs, injections

PARTS: Mapping[str, Callable[[Bench, Path], Awaitable[Table]]] = {
    "attacks": attacking.measure,
    "injections": injections.measure,
    "benign": benign.measure,
    "cost": costs.measure,
}


def measure(bench: Bench) -> list[Table]:
    names = [bench.part] if bench.part else list(PARTS)
    with tempfile.TemporaryDirectory() as folder:
        return [asyncio.run(_measured(bench, name, Path(folder))) for name in names]


async def _measured(bench: Bench, name: str, folder: Path) -> Table:
    own = folder / name
    own.mkdir()
    return await PARTS[name](bench, own)
