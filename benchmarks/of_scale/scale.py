"""Cost and losses of batches, and of servers for many.

`python -m benchmarks scale` measures all, `scale:drain scale:flood` only these parts.
"""

import asyncio
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.bench import Bench, Table
from benchmarks.of_scale import faults, naps, ray_rates
from strap import testing
from strap.batch.batch import open_batch
from strap.batch.local import LocalEngine
from strap.batch.options import BatchOptions
from strap.config import load

PARTS = ("batches", "keys", "ray", "faults", "identity", "drain", "affinity", "flood", "telemetry")
ITEM = 0.05
"""Seconds of an item: that of a small page."""


def measure(bench: Bench) -> list[Table]:
    if bench.part and bench.part not in PARTS:
        sys.exit(f"no part {bench.part!r} of scale (of {', '.join(PARTS)})")
    return [
        table
        for part in ([bench.part] if bench.part else PARTS)
        if (table := _part(part, bench)) is not None
    ]


def _part(part: str, bench: Bench) -> Table | None:
    if part == "batches":
        return _calls(bench)
    if part == "keys":
        return _keys(bench.runs(1_000_000, 50_000))
    if part == "faults":
        return _faults(bench.runs(20, 3)) if find_spec("ray") else None
    if part == "ray":
        return ray_rates.measure(bench) if find_spec("ray") else None
    table: Table = importlib.import_module(f"benchmarks.serving.{part}").measure(bench)
    return table


def _faults(times: int) -> Table:
    columns = ("killed", "times", "items", "rows lost", "doubled", "finished and run again")
    more = ("ended by itself", "executions beyond one", "rows failed", "browsers gone after, s")
    table = Table(title="Batches on Ray whose processes are killed", columns=(*columns, *more))
    for name, kill in faults.FAULTS.items():
        found = kill(times)
        gone = ""
        if found.seconds:
            gone = f"{statistics.median(found.seconds):.2f} (≤ {max(found.seconds):.2f})"
        row = [name, found.kills, found.items, found.lost, found.doubled, found.repeated]
        row += [len(found.stopped), found.executions, ", ".join(found.failed), gone]
        table.rows.append(row)
        table.notes += [f"{name}, ended by itself: {said}" for said in found.stopped]
    return table


def _calls(bench: Bench) -> Table:
    columns = ("an item of 50 ms, one at a time", "ms", "ratio, median of rounds")
    table = Table(title="Batches", columns=columns)
    rounds, number = bench.runs(7, 3), bench.runs(100, 20)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(_items(Path(folder), rounds, number))
    bare, batched = (statistics.median(times) for times in zip(*found, strict=True))
    ratio = statistics.median(after / before for before, after in found)
    table.rows.append(["a bare call", f"{bare * 1000:.2f}", "1"])
    table.rows.append(["an item of a batch", f"{batched * 1000:.2f}", f"{ratio:.3f}"])
    table.notes.append(
        f"{rounds} rounds in turns, {number} each; journalled, with a session for each item."
    )
    return table


def _keys(number: int) -> Table:
    table = Table(
        title=f"A batch of {number:,} items that all have a row",
        columns=("run with", "s until it is told", "CPU s", "MB"),
    )
    with tempfile.TemporaryDirectory() as folder:
        _finished(Path(folder), number)
        for what in ("a table that has changed", "the same table again"):
            seconds, cpu, most = _resumed(Path(folder), number)
            table.rows.append([what, f"{seconds:.1f}", f"{cpu:.1f}", f"{most:.0f}"])
    return table


async def _items(folder: Path, rounds: int, number: int) -> list[tuple[float, float]]:
    """Seconds of a call of the router, and of an item of a batch on the same router, by round."""
    found = []
    items = [{"id": str(n), **naps.call(ITEM)} for n in range(number)]
    config = load(environ={}, directory=folder, home=folder)
    async with testing.router(naps.Naps(), home=folder) as web:
        for turn in range(rounds):
            started = time.perf_counter()
            for _ in range(number):
                await web.router.call(naps.call(ITEM))
            bare = time.perf_counter() - started
            async with open_batch(folder / str(turn), config=config) as batch:
                options = BatchOptions(concurrency=1)
                batch._engine = LocalEngine(web.router, options)  # noqa: SLF001 - with our action
                started = time.perf_counter()
                rows = [row.status async for row in batch.run(items)]
                batched = time.perf_counter() - started
            assert rows == ["ok"] * number
            found.append((bare / number, batched / number))
    return found


def _finished(folder: Path, number: int) -> None:
    """Write a table, and the journal of a batch that is done with it."""
    from strap.batch.attempts import about
    from strap.batch.folder import JOURNAL
    from strap.batch.items import Reader
    from strap.batch.rows import Row

    (folder / "results").mkdir()
    source, journal = folder / "i.jsonl", folder / "results" / JOURNAL
    with source.open("w") as entries, journal.open("w") as rows:
        for n in range(1, number + 1):
            entry = {"id": f"item-{n}", "action": "x", "url": f"https://a.example/{n}"}
            entries.write(json.dumps(entry) + "\n")
            item = Reader().read(entry, n)
            row = Row(**about(item), status="ok", text="text")
            record = row.record(item.digest)
            rows.write(json.dumps(record, separators=(",", ":")) + "\n")  # as a journal does


def _resumed(folder: Path, number: int) -> tuple[float, float, float]:
    """Run a batch of which everything is done: its seconds, CPU seconds, and most MB."""
    command = [sys.executable, "-m", "strap", "batch", "run", "i.jsonl", "--to", "results"]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--home", "home"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert f"{number} done before" in said, said
    seconds = time.perf_counter() - started
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
