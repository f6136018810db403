"""The wire of a stdio server: the process's stdin and stdout, taken away from everybody else."""

import fcntl
import json
import os
import select
import threading
from collections.abc import Iterator
from typing import Any

MAX_LINE = 64 << 20
"""Longest message taken from the client, in bytes."""

_CHUNK = 1 << 18
_OVERHEAD = 1024
_ATOMIC = 4096
"""Bytes that a pipe which polls as writable takes without blocking (PIPE_BUF on Linux)."""


class Wire:
    """Owns the client's ends of fd 0 and fd 1 as private duplicates.

    fd 0 becomes the null device and fd 1 becomes stderr, for this process and its children: a
    stray `print` cannot corrupt the protocol. A standard stream that is closed counts as ended.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in = _duplicate(0, os.O_RDONLY)
        self._out = _duplicate(1, os.O_WRONLY)
        _replace(0, os.open(os.devnull, os.O_RDONLY))
        try:
            os.dup2(2, 1)
        except OSError:
            _replace(1, os.open(os.devnull, os.O_WRONLY))

    def lines(self) -> Iterator[bytes | None]:
        """Yield each line without its end, None for one above `MAX_LINE`; stop at end of input."""
        buffer, skipping = bytearray(), False
        while chunk := self._read():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                buffer += end
                yield None if skipping or len(buffer) > MAX_LINE else bytes(buffer)
                buffer.clear()
                skipping = False
            buffer += rest
            if len(buffer) > MAX_LINE:
                buffer.clear()
                skipping = True
        if buffer:
            yield bytes(buffer)

    def _read(self) -> bytes:
        try:
            return os.read(self._in, _CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Write all of `data`, waiting for the client to read; raises `OSError` if it is gone."""
        with self._lock:
            self._write(data)

    def write_now(self, data: bytes) -> bool:
        """Write `data` if that cannot block, and tell whether it was done."""
        if len(data) > _ATOMIC or not self._lock.acquire(blocking=False):
            return False
        try:
            poll = select.poll()
            poll.register(self._out, select.POLLOUT)
            if not poll.poll(0):
                return False
            self._write(data)
            return True
        finally:
            self._lock.release()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]

    def send(self, message: dict[str, Any]) -> None:
        """Write one JSON-RPC message; raises `OSError` if the client is gone."""
        self.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")


class ReadBudget:
    """Room for messages that were read and not yet served: beyond it the client's writes wait."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._used = 0
        self._changed = threading.Condition()

    def enter(self, line: bytes, *, wait: bool = True) -> None:
        """Wait until there is room for `line`; there always is for one."""
        with self._changed:
            while wait and self._used and self._used + _weight(line) > self._limit:
                self._changed.wait()
            self._used += _weight(line)

    def leave(self, line: bytes) -> None:
        """Give the room back."""
        with self._changed:
            self._used -= _weight(line)
            self._changed.notify()


def _weight(line: bytes) -> int:
    return len(line) + _OVERHEAD


def _duplicate(fd: int, flags: int) -> int:
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:
        return fcntl.fcntl(os.open(os.devnull, flags), fcntl.F_DUPFD_CLOEXEC, 3)


def _replace(fd: int, by: int) -> None:
    if fd != by:
        os.dup2(by, fd)
        os.close(by)
