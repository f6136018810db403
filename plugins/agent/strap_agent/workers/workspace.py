"""Folders for the time that a process runs: private, and removed also after a crash."""

import fcntl
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from strap import make_private
from strap_browser.api import Singleton


class WorkFolder:
    """A folder that its process holds a lock on; what nobody holds any more is swept away."""

    def __init__(self, root: Path) -> None:
        make_private(root)
        self.path = root / secrets.token_hex(8)
        self.path.mkdir(mode=0o700)
        self._descriptor = os.open(self.path, os.O_RDONLY)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder and everything in it."""
        if self._descriptor >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._descriptor)
            self._descriptor = -1


def sweep(root: Path) -> None:
    """Remove the folders below `root` whose processes are gone."""
    for path in root.glob("*") if root.is_dir() else ():
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                Singleton(path).remove()
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)
