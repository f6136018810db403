"""The folder of a batch: what it is about (`manifest.json`) and what is done (`journal.jsonl`)."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from strap.atomic_files import write_atomically
from strap.batch.rows import Row, row_of
from strap.errors import UsageError
from strap.journal import Journal, read_journal
from strap.version import __version__

FORMAT = 1
"""Of the journal and the manifest; columns may be added without another one."""
JOURNAL, MANIFEST = "journal.jsonl", "manifest.json"


@dataclass(slots=True)
class Known:
    """What a journal tells: digests of keys and calls only, so that a million fits into memory."""

    calls: dict[bytes, bytes] = field(default_factory=dict)
    """The calls of each key."""
    finished: set[bytes] = field(default_factory=set)
    failed: dict[bytes, str] = field(default_factory=dict)
    """The codes of those that failed."""
    begun: dict[bytes, Row] = field(default_factory=dict)
    """Items of `once` that were begun, and have no row."""


def known_of(records: Iterator[dict[str, Any]], digest_of: Any) -> Known:
    """Read what is known; `digest_of` makes the digest of a key."""
    known = Known()
    for record in records:
        key = digest_of(record["key"])
        known.calls[key] = bytes.fromhex(record["calls"])
        if record["status"] == "begun":
            known.begun[key] = row_of({**record, "status": "unknown"})
            continue
        known.begun.pop(key, None)
        known.finished.add(key)
        known.failed.pop(key, None)
        if record["status"] != "ok":
            known.failed[key] = record.get("code", "")
    return known


def rows(folder: Path) -> Iterator[Row]:
    """Yield the last row of each key; raises `UsageError` where there is no batch."""
    path = folder / JOURNAL
    if not path.is_file():
        raise UsageError(f"There is no batch in {str(folder)!r}.")
    last: dict[str, int] = {}
    for number, record in enumerate(read_journal(path)):
        if record["status"] != "begun":
            last[record["key"]] = number
    for number, record in enumerate(read_journal(path)):
        if last.get(record["key"]) == number:
            yield row_of(record)


def open_journal(folder: Path) -> Journal:
    """Open the journal of a batch for its one writer; raises `JournalInUse`, `OSError`."""
    return Journal(folder / JOURNAL)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest; raises `UsageError` where there is none, or one of a later strap."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"There is no batch in {str(folder)!r}.") from None
    if manifest.get("format", FORMAT) > FORMAT:
        raise UsageError(f"The batch in {str(folder)!r} is of a later strap.")
    return manifest


def write_manifest(folder: Path, **entries: Any) -> None:
    """Keep what a batch is about; what was said before stays unless it is said anew."""
    before: Mapping[str, Any] = {"format": FORMAT, "started": time.time()}
    with suppress(UsageError):
        before = read_manifest(folder)
    manifest = {**before, "strap": __version__, **entries}
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=2).encode())
