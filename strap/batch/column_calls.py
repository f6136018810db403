"""Calls in pipelines that map batches of columns: `dataset.map_batches(strap.batch.Calls, …)`."""

import asyncio
import atexit
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from threading import Thread
from typing import Any

from strap import config as configuration
from strap.batch import options as batch_options
from strap.batch.attempts import Attempts
from strap.batch.hosts import Hosts
from strap.batch.items import Item, Reader
from strap.batch.local import LocalEngine
from strap.batch.options import of_workers
from strap.batch.rows import COLUMNS, Row
from strap.batch.worker_dirs import make_home, sweep

STOP_SECONDS = 5.0
"""For browsers to close when the process ends in order; otherwise they end with it."""


class Calls:
    """Makes a call of each row of a dataset, and returns what became of it as another.

    `line` is a call with columns in braces, as of `strap batch run --call`; without one a row is
    the arguments of a call. `options` are those of `[batch]` about items: `concurrency`, `retries`,
    `item_timeout`, `per_host`, `rate`, all of them within one worker. The columns are those of
    `strap batch export`, in the order of the rows given. Raises `StartupError`, and `UsageError`
    for a row that is no call. Configuration and environment are those of its process.
    """

    def __init__(self, line: str | None = None, **options: Any) -> None:
        self._reader = Reader(line)
        config = configuration.load()
        self._options = batch_options.read(config, **options)
        sweep()
        self._home = make_home()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="strap", daemon=True)
        self._thread.start()
        own = replace(config, home=self._home)
        config = of_workers(own, self._home / "files", self._options)
        self._engine = self._wait(self._open(config))
        hosts = Hosts(self._options.per_host, self._options.rate)
        self._attempts = Attempts(self._engine, hosts, self._options, self._home)
        self._room = asyncio.Semaphore(self._options.concurrency)
        atexit.register(self.close)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Make the calls of a batch, a sequence for each column; returns such columns."""
        items = [self._reader.read(entry, n) for n, entry in enumerate(_entries(batch), 1)]
        rows = [asdict(row) for row in self._wait(self._rows(items))]
        return {name: [row[name] for row in rows] for name in COLUMNS}

    def close(self) -> None:
        """Close what the calls opened, once; the end of the process does so too."""
        atexit.unregister(self.close)
        if not self._loop.is_closed():
            self._wait(self._engine.aclose(), STOP_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        shutil.rmtree(self._home, ignore_errors=True)

    async def _open(self, config: configuration.Config) -> LocalEngine:
        return LocalEngine.open(config, self._options)

    async def _rows(self, items: Sequence[Item]) -> list[Row]:
        return await asyncio.gather(*map(self._row, items))

    async def _row(self, item: Item) -> Row:
        async with self._room:
            return await self._attempts.run(item)

    def _wait(self, work: Any, seconds: float | None = None) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)


def _entries(batch: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    columns = {n: v.tolist() if hasattr(v, "tolist") else v for n, v in batch.items()}
    for values in zip(*columns.values(), strict=True):
        yield {n: v for n, v in zip(columns, values, strict=True) if v is not None}
