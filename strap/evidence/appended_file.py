"""A file that is valid after each addition: every one is written over the end, and ends it anew."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from strap.atomic_files import make_private, write_atomically
from strap.errors import UsageError


class AppendedFile:
    """A new file for the user alone: its head, parts with `separator` between them, its tail.

    Not for several threads at a time. Raises `OSError`, also where the file exists.
    """

    def __init__(self, path: Path, head: bytes, tail: bytes, separator: bytes = b",\n") -> None:
        self.path, self.tail, self._separator = path, tail, separator
        make_private(path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(path, flags, 0o600)
        self._end, self.count = 0, 0
        self._put(head, tail)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._end + len(self.tail)

    def append(self, *parts: bytes, tail: bytes | None = None) -> None:
        """Add parts, and end with another `tail` from now on.

        Raises `OSError`, as where the disk is full; the file is then what it was.
        """
        before = self._separator if self.count else b""
        self._put(before + self._separator.join(parts) if parts else b"", tail)
        self.count += len(parts)

    def close(self) -> None:
        """Write no more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _put(self, content: bytes, tail: bytes | None) -> None:
        tail = self.tail if tail is None else tail
        try:
            self._write(content + tail, self._end)
            os.ftruncate(self._descriptor, self._end + len(content) + len(tail))
        except OSError:
            self._write(self.tail, self._end)  # where it was before: that takes no room
            os.ftruncate(self._descriptor, self._end + len(self.tail))
            raise
        self._end += len(content)
        self.tail = tail

    def _write(self, content: bytes, at: int) -> None:
        left = memoryview(content)
        while left:
            written = os.pwrite(self._descriptor, left, at)
            left, at = left[written:], at + written


def as_line(value: Any) -> bytes:
    """Return JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def mend(path: Path) -> int:
    """Cut a recording that a crash left after its last whole entry; return how many it has.

    Raises `UsageError` for a file that is no recording of strap's, and `OSError`.
    """
    lines = path.read_bytes().split(b"\n")
    tail = next((end for head, end in ENVELOPES.items() if lines[0].startswith(head)), None)
    if tail is None:
        raise UsageError(
            f"{path.name!r} is not a recording of strap's.",
            hint="It mends .har and .trace.json files.",
        )
    entries = list[bytes]()
    for line in lines[1:]:
        entry = line.removesuffix(b",")
        try:
            is_whole = isinstance(json.loads(entry), dict)
        except ValueError:
            is_whole = False
        if not is_whole:
            break
        entries.append(entry)
    write_atomically(path, lines[0], b"\n", b",\n".join(entries), tail)
    return len(entries)


ENVELOPES: Mapping[bytes, bytes] = {b'{"log":{': b"\n]}}\n", b'{"traceEvents":[': b"\n]}\n"}
"""How recordings begin, by the protocol of their kind, and how each ends."""
