"""Directories of a Ray of our own, named after the processes that started it."""

import asyncio
import os
import secrets
import signal
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from strap.batch import worker_dirs
from strap.batch.worker_dirs import remove_orphans, runs

PREFIX = "strap-r"
SHORT, ROOM = Path("/tmp"), 40  # noqa: S108 - it is made under a name that nobody else can know
"""Folder used when Ray's path among the temporary files is longer than `ROOM` bytes: Ray adds 64
for its sockets, whose paths have 104 at most, or 107."""
POLL_SECONDS = 0.05
"""Between two looks at processes that end within seconds."""


def make_ray_folder() -> Path:
    """Make the directory of a Ray that this process starts."""
    name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(3)}"
    path = Path(tempfile.gettempdir(), name)
    if len(os.fsencode(path)) > ROOM:
        path = SHORT / name
    path.mkdir(mode=0o700)
    return path


def sweep() -> None:
    """Remove what workers and drivers left that have ended, of this user and machine."""
    worker_dirs.sweep()
    for folder in {Path(tempfile.gettempdir()), SHORT}:
        remove_orphans(folder, PREFIX, _end_those_in)


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
                await asyncio.sleep(POLL_SECONDS)
    await asyncio.to_thread(sweep)
