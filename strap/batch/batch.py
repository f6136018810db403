"""A batch from Python: `async with strap.open_batch("results/") as batch: …`."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from strap import config as configuration
from strap.batch import options as batch_options
from strap.batch.attempts import Attempts
from strap.batch.driver import Driver
from strap.batch.engine import Engine
from strap.batch.executors import executor_named, open_engine
from strap.batch.folder import Known, known_of, open_journal
from strap.batch.hosts import Hosts
from strap.batch.items import Item, Reader, digest_of
from strap.batch.options import BatchOptions, of_workers
from strap.batch.rows import Row
from strap.config import Config
from strap.errors import UsageError
from strap.journal import Journal
from strap.text import short_repr

FOREMOST = 1_000
"""Items that are looked at before any is run."""
Entry = Mapping[str, Any]


class Batch:
    """A batch that is open: its folder belongs to it, and its engine is ready."""

    def __init__(self, journal: Journal, engine: Engine, options: BatchOptions) -> None:
        self.counts = Counter[str]()
        """Rows of this run by status; `skipped` were finished before, `again` are alike."""
        self._journal = journal
        self._engine = engine
        self._options = options
        self._known = known_of(journal.path)
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
        """Count the entries of a source without running any; raises `UsageError`."""
        reader, index = Reader(line), 0
        for index, entry in enumerate(items, 1):
            self._remember(reader.read(entry, index))
        return index

    def refuse_alike(self, items: Iterable[Entry], *, line: str | None = None) -> None:
        """Raise `UsageError` where each of up to 1,000 items is refused for the same reason."""
        reader, why = Reader(line), None
        for number, entry in enumerate(islice(items, FOREMOST + 1), 1):
            if number > FOREMOST:
                return
            refusal = self._engine.refusal(reader.read(entry, number).calls)
            if refusal is None or (why and str(why) != str(refusal)):
                return
            why = refusal
        if why is not None:
            raise UsageError(f"Every item is refused: {why.message}", hint=why.hint)

    async def run(
        self,
        items: Iterable[Entry] | AsyncIterable[Entry],
        *,
        line: str | None = None,
        limit: int | None = None,
        again: Collection[str] | None = None,
        checked: bool = False,
    ) -> AsyncIterator[Row]:
        """Run the items that have no row yet; yields their rows as they come, already journalled.

        `line` is a call with columns in braces. At most `limit` items are run. `again` runs those
        anew that failed with one of these codes, none named: that failed at all. `checked` items
        are those that `check` saw, for this folder, in whichever process: their calls are not
        compared anew. Raises `UsageError` for an entry that is no item, `OSError` where the journal
        cannot be written.
        """
        for unknown in self._given_up():
            yield unknown
        key_of = _key if checked else self._remember
        todo = self._todo(_items(items, Reader(line)), key_of, limit, again)
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
        items: AsyncIterator[Item],
        key_of: Callable[[Item], bytes],
        limit: int | None,
        again: Collection[str] | None,
    ) -> AsyncIterator[Item]:
        finished = _finished(self._known, again)
        taken = set[bytes]()
        async for item in items:
            if limit is not None and len(taken) >= limit:
                return
            key = key_of(item)
            if key in taken:
                self.counts["again"] += 1
            elif key in finished:
                self.counts["skipped"] += 1
            else:
                taken.add(key)
                yield item

    def _remember(self, item: Item) -> bytes:
        try:
            key, calls = digest_of(item.key), item.digest
        except (TypeError, ValueError, RecursionError) as error:
            problem = f"Item {item.number}: its fields are no values of JSON: {error}."
            raise UsageError(problem) from None
        if self._known.calls.setdefault(key, calls) != calls:
            raise UsageError(
                f"Item {item.number}: another item has the id {short_repr(item.key)}.",
                hint="Give each its own, or another folder where the calls have changed.",
            )
        return key

    def _note(self, row: Row) -> None:
        key = digest_of(row.key)
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
    executor = executor_named(chosen.engine, config)
    place = _absolute(folder)
    with open_journal(place) as journal:
        engine = await open_engine(executor, of_workers(config, place / "files", chosen), chosen)
        batch = Batch(journal, engine, chosen)
        try:
            yield batch
        finally:
            await batch.aclose()
            await engine.aclose()


def _absolute(folder: str | Path) -> Path:
    return Path(folder).absolute()


def _finished(known: Known, again: Collection[str] | None) -> set[bytes]:
    if again is None:
        return known.finished  # and what is finished meanwhile, which is taken by then
    redo = {key for key, code in known.failed.items() if not again or code in again}
    return known.finished - redo


async def _items(
    entries: Iterable[Entry] | AsyncIterable[Entry], reader: Reader
) -> AsyncIterator[Item]:
    index = 0
    if isinstance(entries, AsyncIterable):
        async for entry in entries:
            index += 1
            yield reader.read(entry, index)
    else:
        for index, entry in enumerate(entries, 1):
            yield reader.read(entry, index)


def _key(item: Item) -> bytes:
    return digest_of(item.key)
