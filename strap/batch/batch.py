"""A batch from Python: `async with strap.open_batch("results/") as batch: …`."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from strap import config as configuration
from strap.batch import options as batch_options
from strap.batch.attempts import Attempts
from strap.batch.driver import Driver
from strap.batch.engine import Engine
from strap.batch.folder import Known, known_of, open_journal
from strap.batch.hosts import Hosts
from strap.batch.items import DIGEST, Item, Reader
from strap.batch.local import LocalEngine
from strap.batch.options import BatchOptions, of_workers
from strap.batch.rows import Row
from strap.config import Config
from strap.errors import UsageError
from strap.journal import Journal
from strap.text import short_repr

Entry = Mapping[str, Any]


class Batch:
    """A batch that is open: its folder belongs to it, and its engine is ready."""

    def __init__(self, journal: Journal, engine: Engine, options: BatchOptions) -> None:
        self.counts = Counter[str]()
        """Rows of this run by status; `skipped` were finished before, `again` are alike."""
        self.unfinished = 0
        """Entries without a row, as the last `check` found them."""
        self._journal = journal
        self._engine = engine
        self._options = options
        self._known = known_of(journal.records(), _digest)
        self._driver: Driver | None = None

    @property
    def running(self) -> int:
        """Items that run now."""
        return self._driver.running if self._driver else 0

    @property
    def failed(self) -> int:
        """Keys whose last row is not ok, of all runs."""
        return len(self._known.failed)

    def check(self, items: Iterable[Entry], *, line: str | None = None) -> int:
        """Read a source to its end and return the number of its entries; nothing is run.

        Raises `UsageError` for an entry that is no item, and where an id stands for two.
        """
        reader, index = Reader(line), 0
        self.unfinished = 0
        for index, entry in enumerate(items, 1):
            key = self._remember(reader.read(entry, index))
            self.unfinished += key not in self._known.finished
        return index

    async def run(
        self,
        items: Iterable[Entry] | AsyncIterable[Entry],
        *,
        line: str | None = None,
        limit: int | None = None,
        again: Collection[str] | None = None,
    ) -> AsyncIterator[Row]:
        """Run the items that have no row yet; yields their rows as they come, already journalled.

        `line` is a call with columns in braces. At most `limit` items are run. `again` runs those
        anew that failed with one of these codes, none named: that failed at all. Raises
        `UsageError` for an entry that is no item, `OSError` where the journal cannot be written.
        """
        for unknown in self._given_up():
            yield unknown
        todo = self._todo(_each(items), Reader(line), limit, again)
        attempts = Attempts(
            self._engine,
            Hosts(self._options.per_host, self._options.rate),
            self._options,
            self._journal.path.parent,
        )
        driver = Driver(todo, attempts, self._journal, self._options, self._engine)
        self._driver = driver
        rows = driver.rows()
        try:
            async for row in rows:
                self._note(row)
                yield row
        finally:
            await rows.aclose()

    def stop(self) -> None:
        """Take no further items; those that run are finished."""
        if self._driver is not None:
            self._driver.stop()

    def cancel(self) -> None:
        """End the items that run, without rows: the next run does them again."""
        if self._driver is not None:
            self._driver.cancel()

    async def aclose(self) -> None:
        """End what still runs, where nobody took the last row."""
        if self._driver is not None:
            await self._driver.aclose()

    def _given_up(self) -> list[Row]:
        """Journal items of `once` that ran when a batch ended: nobody knows what became of them."""
        rows = list(self._known.begun.items())
        for key, row in rows:
            self._journal.append(row.record(self._known.calls[key]))
            self._known.finished.add(key)
            self._note(row)
        self._known.begun.clear()
        return [row for _, row in rows]

    async def _todo(
        self,
        items: AsyncIterator[Entry],
        reader: Reader,
        limit: int | None,
        again: Collection[str] | None,
    ) -> AsyncIterator[Item]:
        finished = _finished(self._known, again)
        taken, index = set[bytes](), 0
        async for entry in items:
            if limit is not None and len(taken) >= limit:
                return
            index += 1
            item = reader.read(entry, index)
            key = self._remember(item)
            if key in taken:
                self.counts["again"] += 1
            elif key in finished:
                self.counts["skipped"] += 1
            else:
                taken.add(key)
                yield item

    def _remember(self, item: Item) -> bytes:
        """Return the digest of an item's key; raises `UsageError` where it had other calls."""
        key, calls = _digest(item.key), item.digest
        if self._known.calls.setdefault(key, calls) != calls:
            raise UsageError(
                f"Item {item.index}: another item has the id {short_repr(item.key)}.",
                hint="Give each its own, or another folder where the calls have changed.",
            )
        return key

    def _note(self, row: Row) -> None:
        key = _digest(row.key)
        self.counts[row.status] += 1
        self._known.finished.add(key)
        self._known.failed.pop(key, None)
        if row.status != "ok":
            self._known.failed[key] = row.code


@asynccontextmanager
async def open_batch(
    folder: str | Path, *, config: Config | None = None, **options: Any
) -> AsyncIterator[Batch]:
    """Open the batch in `folder`, which is made or gone on with.

    `options` are those of `[batch]`: `engine`, `concurrency`, `retries`, … Actions write files to
    `folder/files`; each item begins without cookies. Raises `StartupError`, `JournalInUse` where
    another process has the batch open, `JournalDamaged`, `OSError`.
    """
    config = config or configuration.load()
    chosen = batch_options.read(config, **options)
    place = _absolute(folder)
    with open_journal(place) as journal:
        engine = await _engine(of_workers(config, place / "files", chosen), chosen)
        batch = Batch(journal, engine, chosen)
        try:
            yield batch
        finally:
            await batch.aclose()
            await engine.aclose()


async def _engine(config: Config, options: BatchOptions) -> Engine:
    if options.engine == "local":
        return LocalEngine.open(config, options)
    from strap.batch.on_ray.engine import RayEngine

    return await RayEngine.open(config, options)


def _absolute(folder: str | Path) -> Path:
    return Path(folder).absolute()


def _finished(known: Known, again: Collection[str] | None) -> set[bytes]:
    if again is None:
        return set(known.finished)
    redo = {key for key, code in known.failed.items() if not again or code in again}
    return known.finished - redo


def _digest(key: str) -> bytes:
    return sha256(key.encode("utf-8", "replace")).digest()[:DIGEST]


async def _each(items: Iterable[Entry] | AsyncIterable[Entry]) -> AsyncIterator[Entry]:
    if isinstance(items, AsyncIterable):
        async for entry in items:
            yield entry
    else:
        for entry in items:
            yield entry
