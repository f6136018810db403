"""Data directories of workers, named after their processes, so that none is left behind."""

import os
import re
import shutil
import tempfile
from pathlib import Path

PREFIX = "strap-worker-"
_NAME = re.compile(rf"{PREFIX}(\d+)-.*")


def make_home() -> Path:
    """Make the directory of this process, for the user alone."""
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


def sweep() -> None:
    """Remove what processes left that have ended, of this user and machine."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = _NAME.fullmatch(path.name)
        if found and path.stat().st_uid == os.getuid() and not _runs(int(found[1])):
            shutil.rmtree(path, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
