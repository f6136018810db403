"""Commands of `strap batch`: running with progress and signals, status, retry, export."""

import asyncio
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from strap.batch import folder as folders
from strap.batch import options as batch_options
from strap.batch.batch import Batch, open_batch
from strap.batch.engine import NoWorkers
from strap.batch.items import Reader
from strap.batch.sources import Entries, entries
from strap.batch.table import export
from strap.config import Config
from strap.errors import UsageError
from strap.faults import runner
from strap.text import counted

OK, FAILED, STOPPED = 0, 1, 3
"""Exit statuses."""
NAMED = 20
"""Keys that `status` names of those that are no longer in the source."""
ON_SCREEN, IN_A_LOG = 1.0, 30.0
"""Seconds between two lines of progress."""


def run_source(
    config: Config, source: Path, arguments: dict[str, Any], options: dict[str, Any]
) -> int:
    """Run a source and return the exit status; `arguments`: `folder`, `line`, `limit`, `again`."""
    # Engines tell on standard output which of their workers died.
    with redirect_stdout(sys.stderr), runner() as running:
        return running.run(_run(config, source.absolute(), arguments, options))


def retry(config: Config, folder: Path, codes: Sequence[str], options: dict[str, Any]) -> int:
    """Run what failed again, as it was run before; raises `UsageError` where it has no source."""
    manifest = folders.read_manifest(folder)
    arguments = {"folder": folder, "line": manifest.get("line"), "limit": None, "again": codes}
    return run_source(config, _source(manifest), arguments, manifest.get("options", {}) | options)


def status_lines(folder: Path) -> Iterator[str]:
    """Tell how many items there are, by status and code, and what is not in the source any more."""
    manifest = folders.read_manifest(folder)
    keys = _keys_of(manifest)
    counts, codes, gone = Counter[str](), Counter[str](), set[str]()
    for row in folders.rows(folder):
        if keys is not None and row.key not in keys:
            gone.add(row.key)
            continue
        counts[row.status] += 1
        if row.status != "ok":
            codes[row.code or row.status] += 1
    number = manifest.get("items") if keys is None else len(keys)
    of_all = "" if number is None else f" of {number}"
    # without a row it may as well be a batch whose table is still being checked
    source = manifest.get("source") or ("run from Python" if counts else "")
    yield f"{source}: {counts.total()}{of_all} items have a row".removeprefix(": ")
    yield from (f"{status}: {number}" for status, number in sorted(counts.items()))
    yield from (f"  {code}: {number}" for code, number in codes.most_common())
    yield from (f"no longer in the source: {key}" for key in sorted(gone)[:NAMED])
    if len(gone) > NAMED:
        yield f"and {len(gone) - NAMED} more that are no longer there"


def _keys_of(manifest: dict[str, Any]) -> set[str] | None:
    """The keys of the items in the source, as it is now; None where there is no such file."""
    source = Path(manifest.get("source") or "")
    if not source.is_file():
        return None
    reader = Reader(manifest.get("line"))
    return {reader.read(entry, number).key for number, entry in enumerate(entries(source), 1)}


def export_rows(folder: Path, file: Path, *, with_input: bool) -> int:
    """Write the rows of a batch to a table; returns how many."""
    inputs = None
    if with_input:
        manifest = folders.read_manifest(folder)
        reader = Reader(manifest.get("line"))
        numbered = enumerate(entries(_source(manifest)), 1)
        inputs = {reader.read(entry, number).key: entry for number, entry in numbered}
    return export(folders.rows(folder), file, inputs)


def _source(manifest: dict[str, Any]) -> Path:
    if not manifest.get("source"):
        raise UsageError("The batch was not run from a file.")
    return Path(manifest["source"])


async def _run(
    config: Config, source: Path, arguments: dict[str, Any], options: dict[str, Any]
) -> int:
    folder, line = arguments.pop("folder"), arguments.pop("line")
    chosen = batch_options.read(config, **options)
    reader = Reader(line)
    for entry in entries(source):  # what is no table makes no folder, and starts no worker
        reader.read(entry, 1)
        break
    try:
        async with open_batch(folder, config=config, **options) as batch:
            batch.refuse_alike(entries(source), line=line)
            manifest: dict[str, Any] = {"source": str(source), "line": line}
            manifest["checked"] = await asyncio.to_thread(folders.fingerprint, source, line)
            if not folders.is_checked(folder, manifest["checked"]):
                manifest["items"] = batch.check(entries(source), line=line)
            arguments["checked"] = True  # once is enough: of a million it takes some seconds
            folders.write_manifest(folder, **manifest, options=chosen.model_dump(mode="json"))
            status = await _work(batch, entries(source), line, arguments, chosen.drain)
            if batch.failed:  # in an earlier run, too
                _say(
                    f"{batch.failed} failed in all: `strap batch status {folder}` tells why, "
                    f"`strap batch retry {folder}` runs them again"
                )
            return status
    except NoWorkers as error:
        _say(f"stopped: {error} Run it again to go on.")
        return STOPPED
    except OSError as error:
        _say(f"stopped: {folder}: {error.strerror}; run it again when that is mended")
        return STOPPED


async def _work(
    batch: Batch, items: Entries, line: str | None, arguments: dict[str, Any], drain: float
) -> int:
    stopped = _stops_on_signals(batch, drain)
    progress = asyncio.create_task(_progress(batch))
    try:
        async for _ in batch.run(items, line=line, **arguments):
            pass
    finally:
        progress.cancel()
        _say(_summary(batch))
    if stopped.is_set():
        _say("stopped before the end: run it again to go on")
        return STOPPED
    return FAILED if batch.failed else OK


def _stops_on_signals(batch: Batch, drain: float) -> asyncio.Event:
    """Finish what runs on the first signal, end it on the second, or when its time is over."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def signalled() -> None:
        if stopped.is_set():
            batch.cancel()
            return
        stopped.set()
        batch.stop()
        _say(f"finishing {counted(batch.running, 'item')}; another signal ends them")
        loop.call_later(drain, batch.cancel)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, signalled)
    return stopped


async def _progress(batch: Batch) -> None:
    begun = time.monotonic()
    while True:
        await asyncio.sleep(ON_SCREEN if sys.stderr.isatty() else IN_A_LOG)
        seconds = time.monotonic() - begun
        _say(f"{_summary(batch)}, {batch.running} running, {seconds:.0f} s")


def _summary(batch: Batch) -> str:
    counts = batch.counts
    parts = [f"{counts['ok']} ok", f"{counts['failed']} failed"]
    more = {"unknown": "unknown", "skipped": "done before", "again": "the same as another"}
    parts += [f"{counts[name]} {words}" for name, words in more.items() if counts[name]]
    return ", ".join(parts)


def _say(text: str) -> None:
    sys.stderr.write(f"strap: {text}\n")
    sys.stderr.flush()
