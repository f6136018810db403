"""A file of results, a JSON object a line: appended as they come, read again after a crash.

Once `append` has returned, a record is safe from the end of the process, once `sync` has, from that
of the machine. What a crash leaves of an unfinished record the next writer cuts off.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from strap.atomic_files import make_private
from strap.errors import UsageError

BLOCK = 64 * 1024
"""Bytes that are read at a time in search of the last line end: one read finds it in nearly all."""
Record = dict[str, Any]


class JournalInUse(UsageError):
    """Another writer has the journal open."""

    code = "journal_in_use"


class JournalDamaged(UsageError):
    """A line is no record although others follow it: no crash leaves that."""

    code = "journal_damaged"


class Journal:
    """The one writer of a journal, a context manager: nobody else opens it meanwhile.

    `path` is made if it is not there, for the user alone, with the folders that it is in. `torn`
    says how many bytes of an unfinished record were cut off. Threads may share it.
    Raises `JournalInUse`, `JournalDamaged`, `OSError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._appending = Lock()
        make_private(path.parent)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _lock(self._descriptor, path)
            _sync_folder(path.parent)
            self.torn = self._cut_torn()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record; raises `OSError` (a full disk), and then nothing of it is left.

        Raises `TypeError` or `ValueError` for what JSON has no form for, infinite numbers among it.
        """
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = memoryview(text.encode("utf-8", "replace") + b"\n")
        with self._appending:
            end = os.fstat(self._descriptor).st_size
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
            except BaseException:
                os.ftruncate(self._descriptor, end)
                raise

    def sync(self) -> None:
        """Wait until all that was appended is on the disk; raises `OSError`.

        It takes as long as the disk does: call it in a thread, after one record or after many.
        """
        os.fsync(self._descriptor)

    def clear(self) -> None:
        """Forget all records: another job begins."""
        with self._appending:
            os.ftruncate(self._descriptor, 0)

    def records(self) -> Iterator[Record]:
        """Yield what stands in the journal, in its order: what a resumed job need not do again."""
        return read_journal(self.path)

    def close(self) -> None:
        """Let others write; what was appended stays."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _cut_torn(self) -> int:
        """Cut off what stands behind the last line end; raises `JournalDamaged`."""
        next(self.records(), None)  # a file of another kind is left as it is
        size = os.fstat(self._descriptor).st_size
        whole = _end_of_lines(self._descriptor, size)
        if not whole and os.pread(self._descriptor, 1, 0) not in (b"", b"{", b"\0"):
            raise _damaged(self.path, 1)
        os.ftruncate(self._descriptor, whole)
        return size - whole


def read_journal(path: Path) -> Iterator[Record]:
    """Yield the records of a journal that somebody may be writing, without an unfinished last one.

    Raises `JournalDamaged` where a line is no record, `OSError`.
    """
    for number, line in enumerate(read_lines(path), 1):
        yield record_of(line, path, number)


def is_torn(path: Path) -> bool:
    """Whether an unfinished record stands at the end, which readers pass over; raises `OSError`."""
    with path.open("rb") as lines:
        size = lines.seek(0, os.SEEK_END)
        return _end_of_lines(lines.fileno(), size) < size


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a journal as they stand there, for those who need not read them whole."""
    with path.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            yield line


def record_of(line: bytes, path: Path, number: int) -> Record:
    """Return the record of a line, which has this `number`; raises `JournalDamaged`."""
    from pydantic_core import from_json

    try:
        record = from_json(line, cache_strings="keys")  # thrice as fast as the standard library
    except ValueError:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
    if not isinstance(record, dict):
        raise _damaged(path, number)
    return record


def _damaged(path: Path, number: int) -> JournalDamaged:
    what = f"{path}:{number}: this line is not a record of a journal."
    return JournalDamaged(what, hint="Remove the line, or name another file.")


def _end_of_lines(descriptor: int, size: int) -> int:
    end = size
    while end:
        start = max(0, end - BLOCK)
        if (newline := os.pread(descriptor, end - start, start).rfind(b"\n")) >= 0:
            return start + newline + 1
        end = start
    return 0


def _lock(descriptor: int, path: Path) -> None:
    """Hold the file until the descriptor is closed, also by the end of the process."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(descriptor).st_nlink:  # its writer has removed it meanwhile
            raise BlockingIOError
    except BlockingIOError:
        what = f"{path} is being written by another process."
        raise JournalInUse(what, hint="Wait for its end, or name another file.") from None


def _sync_folder(folder: Path) -> None:
    """Put the name of a new file on the disk; some file systems have no such thing."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
