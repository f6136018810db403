"""The folder of a batch: what it is about (`manifest.json`) and what is done (`journal.jsonl`)."""

import json
import re
import time
from binascii import unhexlify
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from strap.atomic_files import write_atomically
from strap.batch.items import digest_of
from strap.batch.rows import Row, row_of
from strap.errors import UsageError
from strap.journal import Journal, Record, read_journal, read_lines, record_of
from strap.version import __version__

FORMAT = 1
"""Version of the journal and the manifest; new columns do not change it."""
_BEGIN = b'{"key":"'
"""Beginning of a row, and nowhere within one: quotes in a string are escaped."""
_OK = re.compile(
    _BEGIN + rb'([^"\\\0-\x1f]+)","index":\d+,"status":"ok",.*"calls":"([0-9a-f]{32})"}\n'
)
"""A row of which nothing else need be known: of a million, reading them whole takes seconds."""
JOURNAL, MANIFEST = "journal.jsonl", "manifest.json"


@dataclass(slots=True)
class Known:
    """Content of a journal: only digests of keys and calls, so that a million fits into memory."""

    calls: dict[bytes, bytes] = field(default_factory=dict)
    finished: set[bytes] = field(default_factory=set)
    failed: dict[bytes, str] = field(default_factory=dict)
    begun: dict[bytes, Row] = field(default_factory=dict)
    """Items of `once` that were begun, and have no row."""


def known_of(path: Path) -> Known:
    """Read what a journal tells; raises `JournalDamaged`, `OSError`."""
    known = Known()
    for number, line in enumerate(read_lines(path), 1):
        match = _OK.fullmatch(line)
        if match and line.count(_BEGIN) == 1 and b"\0" not in line:
            key = digest_of(match[1])
            known.calls[key] = unhexlify(match[2])
            known.finished.add(key)
            if known.begun or known.failed:
                known.begun.pop(key, None)
                known.failed.pop(key, None)
        else:
            _note(known, record_of(line, path, number))
    return known


def _note(known: Known, record: Record) -> None:
    key = digest_of(record["key"])
    known.calls[key] = bytes.fromhex(record["calls"])
    if record["status"] == "begun":
        known.begun[key] = row_of({**record, "status": "unknown"})
        return
    known.begun.pop(key, None)
    known.finished.add(key)
    known.failed.pop(key, None)
    if record["status"] != "ok":
        known.failed[key] = record.get("code", "")


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


@contextmanager
def open_journal(folder: Path) -> Iterator[Journal]:
    """Open the journal for one writer, undone on failure; raises `JournalInUse`, `OSError`."""
    made = not folder.exists()
    with Journal(folder / JOURNAL) as journal:
        try:
            yield journal
        except BaseException:
            if not (journal.path.stat().st_size or (folder / MANIFEST).exists()):
                journal.path.unlink()
                with suppress(OSError):  # it is not empty: something else was put there
                    if made:
                        folder.rmdir()
            raise


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest, empty without one; raises `UsageError` if damaged or too new."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        if not (folder / JOURNAL).is_file():
            raise UsageError(f"There is no batch in {str(folder)!r}.") from None
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        manifest = None
    match manifest:
        case {"format": int(its_format)} if its_format > FORMAT:
            raise UsageError(f"The batch in {str(folder)!r} is of a later strap.")
        case {"format": int()}:
            return dict(manifest)
    hint = "Remove it, and run the batch again: what is done stays so."
    raise UsageError(f"{path} is not the manifest of a batch.", hint=hint)


def fingerprint(source: Path, line: str | None) -> str:
    """Return what tells a source, and the call that is made of each of its lines, from others."""
    with suppress(OSError), source.open("rb") as file:
        return file_digest(file, lambda: sha256(repr(line).encode())).hexdigest()
    return ""


def is_checked(folder: Path, source: str) -> bool:
    """Whether the source with this fingerprint was checked last; raises `UsageError`."""
    return read_manifest(folder).get("checked") == source != ""


def write_manifest(folder: Path, **entries: Any) -> None:
    """Merge into the manifest what a batch is about; raises `UsageError`."""
    new = {"format": FORMAT, "started": time.time()}
    manifest = {**new, **read_manifest(folder), "strap": __version__, **entries}
    write_atomically(folder / MANIFEST, json.dumps(manifest, indent=2).encode())
