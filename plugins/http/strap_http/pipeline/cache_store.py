"""Entries of the cache on disk: whole or not there, private to the user, bounded."""

import contextlib
import hashlib
import logging
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from strap import write_atomically

log = logging.getLogger(__name__)
MAX_ENTRIES = 2_000
STALE = 60.0
"""Seconds after which a file that is not finished belongs to a process that was killed."""
_SUFFIX, _PART = ".entry", ".part"
_MAGIC = b"strap-http-cache-1 "
_HEADER = len(_MAGIC) + 64 + 1


@dataclass(frozen=True, slots=True)
class CacheStore:
    """A folder of cache entries shared by processes, `limit` bytes in all; no method raises."""

    folder: Path
    limit: int

    def has(self, key: str) -> bool:
        """Whether there is an entry; it may be gone, or found damaged, when it is read."""
        return os.path.exists(self._path(key))  # noqa: PTH110 - a tenth of pathlib's time

    def read(self, key: str) -> bytes | None:
        """Return an entry; a damaged one is removed."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        if content[:_HEADER] != _header(content[_HEADER:]):
            self.drop(key)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what was used last is kept longest
        return content[_HEADER:]

    def write(self, key: str, entry: bytes) -> None:
        """Keep an entry, and drop those used longest ago beyond the bounds."""
        if len(entry) > self.limit // 4:
            self.drop(key)
            return
        part = self.folder / f"{secrets.token_hex(8)}{_PART}"
        try:
            write_atomically(self._path(key), _header(entry), entry, part=part)
            self._bound()
        except OSError as error:
            log.warning("The cache of http.fetch cannot be written: %s", error.strerror)

    def drop(self, prefix: str) -> None:
        """Remove the entries whose keys begin with `prefix`."""
        for path, _ in self._files():
            if path.name.startswith(prefix):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for item in entries:
                with contextlib.suppress(OSError):
                    yield Path(item.path), item.stat(follow_symlinks=False)

    def _bound(self) -> None:
        """Newest first, entries stay as long as there is room; parts, while they are written."""
        now, room = time.time(), self.limit
        files = sorted(self._files(), key=lambda file: -file[1].st_mtime)
        for number, (path, state) in enumerate(files):
            room -= state.st_size
            if path.suffix == _PART:
                stays = now - state.st_mtime < STALE
            else:
                stays = room >= 0 and number < MAX_ENTRIES
            if not stays:
                with contextlib.suppress(OSError):
                    path.unlink()


def _header(entry: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(entry).hexdigest().encode() + b"\n"
