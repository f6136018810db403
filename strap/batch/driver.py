"""The one writer of a batch: takes items as there is room, and keeps their rows."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable
from contextlib import suppress

from strap.batch.attempts import Attempts, Suspect, about
from strap.batch.engine import Engine
from strap.batch.items import Item
from strap.batch.options import BatchOptions
from strap.batch.rows import Row
from strap.journal import Journal

SYNC_SECONDS = 0.5
SYNC_ROWS = 100
"""Seconds and rows that a crash of the machine can take: rows come faster than a disk syncs."""


class Driver:
    """Runs the items of a source, as many at a time as the engine takes."""

    def __init__(
        self,
        items: AsyncIterator[Item],
        attempts: Attempts,
        journal: Journal,
        options: BatchOptions,
        engine: Engine,
    ) -> None:
        self.counts = Counter[str]()
        self.running = 0
        self._items = items
        self._attempts = attempts
        self._journal = journal
        self._once = options.once
        self._engine = engine
        self._reading = asyncio.Lock()
        self._stopping = False
        self._suspects: list[Suspect] = []
        self._rows = asyncio.Queue[Row | None]()
        self._ended = asyncio.Event()
        self._places = asyncio.Semaphore(2 * engine.slots)
        """Items that run, and rows that nobody has taken: a slow reader holds the batch up."""
        self._slots: list[asyncio.Task[None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._unsynced = 0
        self._written = asyncio.Event()

    def stop(self) -> None:
        """Take no further items; those that run are finished."""
        self._stopping = True
        self._ended.set()

    def cancel(self) -> None:
        """End the items that run; they get no row."""
        self.stop()
        for slot in self._slots:
            slot.cancel()

    async def rows(self) -> AsyncGenerator[Row]:
        """Yield the rows, each journalled; raises `OSError` and errors of the source."""
        running = asyncio.create_task(self._run())
        self._tasks = [running, asyncio.create_task(self._sync())]
        try:
            while (row := await self._rows.get()) is not None:
                self._places.release()
                yield row
            await running
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """End what runs, once; what was journalled is on the disk then."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
            await asyncio.to_thread(self._journal.sync)

    async def _run(self) -> None:
        try:
            await self._beside_each_other([self._slot() for _ in range(self._engine.slots)])
            for suspect in self._suspects:
                if not self._stopping:
                    await self._beside_each_other([self._alone(suspect)])
        finally:
            for slot in self._slots:
                slot.cancel()
            if self._slots:
                await asyncio.wait(self._slots)
            self._rows.put_nowait(None)

    async def _beside_each_other(self, work: Iterable[Coroutine[None, None, None]]) -> None:
        """Do work that `cancel` can end; raises the first error of it."""
        self._slots = [asyncio.create_task(coroutine) for coroutine in work]
        await asyncio.wait(self._slots, return_when=asyncio.FIRST_EXCEPTION)
        for slot in self._slots:
            if slot.done() and not slot.cancelled() and (error := slot.exception()):
                raise error

    async def _alone(self, suspect: Suspect) -> None:
        self.running += 1
        try:
            await self._done(suspect.item, suspect.losses, alone=True)
        finally:
            self.running -= 1

    async def _slot(self) -> None:
        while (item := await self._next()) is not None:
            try:
                await self._done(item)
            except Suspect as suspect:
                self._suspects.append(suspect)
                self._places.release()
            finally:
                self.running -= 1
                self._ended.set()

    async def _next(self) -> Item | None:
        await self._places.acquire()
        async with self._reading:
            while self.running >= self._engine.capacity and not self._stopping:
                self._ended.clear()
                await self._ended.wait()
            item = None if self._stopping else await anext(self._items, None)
            self.running += item is not None
        return item

    async def _done(self, item: Item, losses: int = 0, *, alone: bool = False) -> None:
        if self._once:
            begun = {**about(item), "status": "begun", "calls": item.digest.hex()}
            self._journal.append(begun)
            await asyncio.to_thread(self._journal.sync)
        row = await self._attempts.run(item, losses=losses, alone=alone)
        self._keep(item, row)
        self._rows.put_nowait(row)

    def _keep(self, item: Item, row: Row) -> None:
        self._journal.append(row.record(item.digest))
        self.counts[row.status] += 1
        self._unsynced += 1
        if self._unsynced >= SYNC_ROWS:
            self._written.set()

    async def _sync(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._written.wait(), SYNC_SECONDS)
            self._written.clear()
            if self._unsynced:
                self._unsynced = 0
                await asyncio.to_thread(self._journal.sync)
