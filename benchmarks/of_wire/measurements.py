"""All measurements of the wire; `wire:recording` takes one of them."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_wire import files, filling, forms, recording, rules, secrets, vaults

PARTS: Mapping[str, Callable[[Bench, Path], Awaitable[Table]]] = {
    "files": files.measure,
    "filling": filling.measure,
    "forms": forms.measure,
    "recording": recording.measure,
    "rules": rules.measure,
    "secrets": secrets.measure,
    "vaults": vaults.measure,
}


def measure(bench: Bench) -> list[Table]:
    names = [bench.part] if bench.part else list(PARTS)
    with tempfile.TemporaryDirectory() as folder:
        return [asyncio.run(_measured(bench, name, Path(folder))) for name in names]


async def _measured(bench: Bench, name: str, folder: Path) -> Table:
    own = folder / name
    own.mkdir()
    return await PARTS[name](bench, own)
