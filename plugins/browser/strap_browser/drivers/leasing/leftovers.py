"""Notes on disk of lent browsers: those of a process that was killed are given back."""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from strap import make_private, write_atomically

if sys.platform != "win32":
    import fcntl

FORGOTTEN = 86_400.0
"""Seconds after which nobody has a browser any more, whatever the service says."""
Lent = tuple[str, str]
"""A profile, and the id of a browser."""


class LeaseNotes:
    """The file of this process, which holds a lock on it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{secrets.token_hex(8)}.jsonl"
        self._descriptor = -1
        self._held: set[Lent] = set()

    def add(self, profile: str, lease_id: str) -> None:
        """Note a browser; raises `OSError`."""
        if self._descriptor < 0:
            make_private(self._path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._descriptor = os.open(self._path, flags, 0o600)
            _lock(self._descriptor)
        self._held.add((profile, lease_id))
        self._write(profile, lease_id, "lent")

    def remove(self, profile: str, lease_id: str) -> None:
        """Note that a browser was given back."""
        self._held.discard((profile, lease_id))
        if self._descriptor >= 0:
            with suppress(OSError):
                self._write(profile, lease_id, "back")

    def close(self) -> None:
        """Leave the file only if there is something in it to give back."""
        if self._descriptor >= 0:
            if not self._held:
                self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, profile: str, lease_id: str, what: str) -> None:
        line = {"profile": profile, "id": lease_id, "what": what, "time": time.time()}
        os.write(self._descriptor, json.dumps(line).encode() + b"\n")


@contextmanager
def abandoned(path: Path) -> Iterator[set[Lent]]:
    """Yield what a file of nobody's says is lent, nothing of one that is somebody's.

    What is still in the set at the end stays in the file; an empty file goes.
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        if not _lock(descriptor):
            yield set()
            return
        lent = _read(path)
        left = set(lent)
        yield left
        if not left:
            path.unlink(missing_ok=True)
        elif left != set(lent):
            _keep(path, {key: lent[key] for key in left})
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Whether the file is this process's now; where there are no such locks, nobody is sure."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def _read(path: Path) -> dict[Lent, float]:
    lent: dict[Lent, float] = {}
    for line in path.read_bytes().splitlines():
        with suppress(ValueError, KeyError, TypeError):  # the last line may be torn
            entry = json.loads(line)
            key = (str(entry["profile"]), str(entry["id"]))
            lent.pop(key, None)
            if entry["what"] == "lent" and time.time() - entry["time"] < FORGOTTEN:
                lent[key] = entry["time"]
    return lent


def _keep(path: Path, lent: dict[Lent, float]) -> None:
    lines = [
        {"profile": profile, "id": lease_id, "what": "lent", "time": since}
        for (profile, lease_id), since in lent.items()
    ]
    write_atomically(path, *(json.dumps(line).encode() + b"\n" for line in lines))
