"""Chromium's own lock on a user data directory (`process_singleton_posix.cc`)."""

import os
import socket
from contextlib import suppress
from pathlib import Path

NAMES = ("SingletonLock", "SingletonSocket", "SingletonCookie")


class Singleton:
    """The lock in the directory `data`, and the folder of its socket among the temporary files."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._folder: Path | None = None

    def holder(self) -> int | None:
        """Return the id of the live process of this machine that holds the lock."""
        host, pid = self._locked_by()
        if host != socket.gethostname() or not pid.isdigit() or not exists(int(pid)):
            return None
        return int(pid) if self._is_browser(int(pid)) else None

    def note(self) -> None:
        """Remember where the browser that runs now has its socket.

        One that is killed while it quits may have removed the links that lead there, and no more.
        """
        self._folder = self._socket_folder()

    def remove(self, pid: int | None = None) -> None:
        """Remove what a browser that is gone has left; of no other than `pid`, if given."""
        noted, self._folder = self._folder, None
        _clear(noted)
        if pid is not None and self._locked_by()[1] != str(pid):
            return
        _clear(self._socket_folder())
        for name in NAMES:
            (self._data / name).unlink(missing_ok=True)

    def _socket_folder(self) -> Path | None:
        with suppress(OSError):
            return (self._data / "SingletonSocket").readlink().parent
        return None

    def _locked_by(self) -> tuple[str, str]:
        """Return host name and process id in the lock, empty if there is none."""
        try:
            host, _, pid = str((self._data / "SingletonLock").readlink()).rpartition("-")
        except OSError:
            return "", ""
        return host, pid

    def _is_browser(self, pid: int) -> bool:
        """Whether process `pid` runs on this directory; assumed where there is no `/proc`."""
        try:
            return os.fsencode(self._data) in Path(f"/proc/{pid}/cmdline").read_bytes()
        except FileNotFoundError:
            return not Path("/proc/self").exists()
        except OSError:
            return True


def _clear(folder: Path | None) -> None:
    if folder is not None:
        with suppress(OSError):
            for name in NAMES:
                (folder / name).unlink(missing_ok=True)
            folder.rmdir()


def exists(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
