"""Directories of workers and of Ray, named after their processes, so that none is left behind."""

import asyncio
import os
import re
import secrets
import shutil
import signal
import tempfile
from collections.abc import Collection
from contextlib import suppress
from itertools import chain
from pathlib import Path

PREFIX = "strap-worker-"
RAY = "strap-r"
SHORT, ROOM = Path("/tmp"), 40  # noqa: S108 - it is made under a name that nobody else can know
"""Where Ray's directory is, where its path among the temporary files were longer than so many
bytes: Ray adds 64 for its sockets, whose paths have 104 at most, or 107."""
_NAME = re.compile(rf"(?:{PREFIX}|{RAY})(\d+)-.*")


def make_home() -> Path:
    """Make the directory of this process, for the user alone."""
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


def make_ray_folder() -> Path:
    """Make the directory of a Ray that this process starts."""
    name = f"{RAY}{os.getpid()}-{secrets.token_hex(3)}"
    path = Path(tempfile.gettempdir(), name)
    if len(os.fsencode(path)) > ROOM:
        path = SHORT / name
    path.mkdir(mode=0o700)
    return path


def sweep() -> None:
    """Remove what processes left that have ended, of this user and machine."""
    places = {Path(tempfile.gettempdir()), SHORT}
    for path in chain.from_iterable(place.glob("strap-*") for place in places):
        found = _NAME.fullmatch(path.name)
        with suppress(FileNotFoundError):  # another worker sweeps as well
            if found and path.stat().st_uid == os.getuid() and not runs(int(found[1])):
                _end_those_in(path)
                shutil.rmtree(path, ignore_errors=True)


def _end_those_in(path: Path) -> None:
    """End what Ray started and still writes to this directory.

    Two agents live for a minute after a driver that was killed: so long they try to tell its
    cluster, which is gone as well.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if (process / "cmdline").read_bytes().startswith(b"ray::") and any(
                descriptor.readlink().is_relative_to(path)
                for descriptor in (process / "fd").iterdir()
            ):
                os.kill(int(process.name), signal.SIGKILL)


async def sweep_after(pids: Collection[int], seconds: float) -> None:
    """Remove what these processes leave, once they have ended; wait no longer than so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while any(map(runs, pids)):  # noqa: ASYNC110 - they are no children of this process
                await asyncio.sleep(0.05)
    await asyncio.to_thread(sweep)


def runs(pid: int) -> bool:
    """Whether there is such a process on this machine."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
