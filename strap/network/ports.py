"""The ports on which strap listens, as its processes tell each other.

Each port is an empty file in one folder of the user, `PORT-KIND-PID-…`. Its process holds a lock on
it that the system releases when the process ends, however that ends: what can be locked is stale.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

from strap.runtime_folder import changed

Kind = Literal["devtools", "gate", "http", "live", "relay"]

SETTLED = 2_000_000_000
"""Nanoseconds after which a folder has another time of change when it changes again."""
ATTEMPTS = 10


class SharedPorts:
    """The ports of all processes that use `folder`; without one, or an unsafe one, of none."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._mine: dict[int, tuple[Path, int]] = {}
        """The file of each port that was added here, and the descriptor that holds its lock."""
        self._known: dict[int, list[Path]] = {}
        self._read_at = -1

    def add(self, port: int, kind: Kind) -> None:
        """Tell the other processes that this one listens on `port`."""
        if self._folder is None or port in self._mine:
            return
        name = f"{port}-{kind}-{os.getpid()}-{os.urandom(4).hex()}"
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        if changed(self._folder) is None:
            return
        path = self._folder / name
        with suppress(OSError):
            self._mine[port] = path, _held(path)

    def remove(self, port: int) -> None:
        """Undo `add`."""
        if port in self._mine:
            path, descriptor = self._mine.pop(port)
            with suppress(OSError):
                path.unlink()
            os.close(descriptor)

    def __contains__(self, port: int) -> bool:
        """Whether a process that is alive listens on `port`."""
        return any(map(_is_held, self._recorded().get(port, ())))

    def _recorded(self) -> dict[int, list[Path]]:
        """Return the files of each port; they are listed again when the folder has changed."""
        at = None if self._folder is None else changed(self._folder)
        if self._folder is None or at is None:
            return {}
        if at != self._read_at:
            self._known = _listed(self._folder)
            self._read_at = at if time.time_ns() - at > SETTLED else -1
        return self._known


def _listed(folder: Path) -> dict[int, list[Path]]:
    known: dict[int, list[Path]] = {}
    with suppress(OSError):
        for path in folder.iterdir():
            port = path.name.partition("-")[0]
            if port.isdecimal() and _is_held(path):
                known.setdefault(int(port), []).append(path)
    return known


def _held(path: Path) -> int:
    """Make the file and return the descriptor that holds its lock; raises `OSError`."""
    import fcntl

    for _ in range(ATTEMPTS):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            path.stat()  # else somebody has taken it for a stale one meanwhile
        except FileNotFoundError:
            os.close(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        else:
            return descriptor
    raise OSError("the file does not stay")


def _is_held(path: Path) -> bool:
    """Whether the process that made the file is alive; else it is removed."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        path.unlink()
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
