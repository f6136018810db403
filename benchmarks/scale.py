"""What it costs to serve many: who calls, what they may, counted; and an item of a batch."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.bench import Bench, Table
from strap.batch.batch import open_batch
from strap.config import load
from strap.mcp.http.identity.tokens import Tokens, bearer, digest
from strap.mcp.http.rate import Rate

ROUNDS = 7
ITEM = 0.05
"""Seconds of an item: that of a small page."""


def measure(bench: Bench) -> Table:
    table = Table(title="Serving many, and batches", columns=("what", "cost"))
    tokens = Tokens({digest(f"token-{n}"): f"token:{n}" for n in range(100)})
    rate = Rate(10**9)
    calls = bench.runs(20_000, 2_000)
    identity = _each(calls, lambda: tokens.principal(bearer("Bearer token-57")))
    table.rows.append(["a caller's identity, of 100 tokens", f"{identity:.2f} µs"])
    table.rows.append(["a caller's rate", f"{_each(calls, rate.take):.2f} µs"])
    resumed = bench.runs(200_000, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        bare, batched = asyncio.run(_items(Path(folder), bench.runs(200, 50)))
        table.rows.append([f"an item of {ITEM * 1000:.0f} ms, bare", f"{bare * 1000:.2f} ms"])
        table.rows.append(["the same in a batch", f"{batched * 1000:.2f} ms"])
        seconds = asyncio.run(_resume(Path(folder) / "resumed", resumed))
        table.rows.append([f"{resumed:,} finished keys read again", f"{seconds:.1f} s"])
    return table


def _each(calls: int, do: Callable[[], object]) -> float:
    """The median over rounds of the mean of a call, in µs."""
    means = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(calls):
            do()
        means.append((time.perf_counter() - started) / calls * 1e6)
    return statistics.median(means)


class _Sleeper:
    """An engine whose items sleep."""

    slots = capacity = 1

    async def run(self, key: str, calls: object) -> dict[str, object]:
        await asyncio.sleep(ITEM)
        return {"status": "ok"}

    async def aclose(self) -> None:
        pass


async def _items(folder: Path, number: int) -> tuple[float, float]:
    """Seconds of an item, bare and in a batch, in turns."""
    seconds: dict[str, list[float]] = {"bare": [], "batched": []}
    config = load(environ={}, directory=folder, home=folder)
    for turn in range(4):
        sleeper = _Sleeper()
        started = time.perf_counter()
        for _ in range(number // 4):
            await sleeper.run("", ())
        seconds["bare"].append(time.perf_counter() - started)
        items = [{"id": str(n), "action": "x"} for n in range(number // 4)]
        async with open_batch(folder / str(turn), config=config) as batch:
            batch._engine = sleeper  # noqa: SLF001 - an item of a known time
            started = time.perf_counter()
            async for _ in batch.run(items):
                pass
            seconds["batched"].append(time.perf_counter() - started)
    each = number // 4
    return statistics.median(seconds["bare"]) / each, statistics.median(seconds["batched"]) / each


async def _resume(folder: Path, number: int) -> float:
    """Seconds until a batch of so many finished items knows that there is nothing to do."""
    from strap.batch.attempts import about
    from strap.batch.folder import open_journal
    from strap.batch.items import Reader
    from strap.batch.rows import Row

    entries = [{"id": f"item-{n}", "action": "x", "url": f"a.example/{n}"} for n in range(number)]
    with open_journal(folder) as journal:
        for index, entry in enumerate(entries, 1):
            item = Reader().read(entry, index)
            journal.append(Row(**about(item), status="ok", text="text").record(item.digest))
    config = load(environ={}, directory=folder, home=folder)
    started = time.perf_counter()
    async with open_batch(folder, config=config) as batch:
        async for _ in batch.run(entries):
            pass
        return time.perf_counter() - started
