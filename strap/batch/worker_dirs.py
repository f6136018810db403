"""Directories of worker processes, named after these, so that none is left behind."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PREFIX = "strap-worker-"


def make_home() -> Path:
    """Make the directory of this process, for the user alone."""
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


def sweep() -> None:
    """Remove what processes left that have ended, of this user and machine."""
    remove_orphans(Path(tempfile.gettempdir()), PREFIX)


def remove_orphans(
    folder: Path, prefix: str, before: Callable[[Path], None] = lambda path: None
) -> None:
    """Remove directories `prefix` PID `-…` of ended processes; calls `before` with each."""
    for path in _orphans(folder, prefix):
        before(path)
        shutil.rmtree(path, ignore_errors=True)


def _orphans(folder: Path, prefix: str) -> Iterator[Path]:
    name = re.compile(rf"{re.escape(prefix)}(\d+)-.*")
    for path in folder.glob(f"{prefix}*"):
        match = name.fullmatch(path.name)
        with suppress(FileNotFoundError):  # another worker sweeps as well
            if match and path.stat().st_uid == os.getuid() and not runs(int(match[1])):
                yield path


def runs(pid: int) -> bool:
    """Whether there is such a process on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
