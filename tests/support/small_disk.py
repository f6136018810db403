"""A disk that can be filled."""

import os
import shutil
import subprocess
from contextlib import contextmanager, suppress

import pytest

HELD = "held"
"""The folder of what fills a disk."""


@contextmanager
def small_disk_in(folder):
    """A file system of 24 MB below a folder; skips the test where only root may make one."""
    place = folder / "small"
    place.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)]
    if (
        shutil.which("mount") is None
        or subprocess.run(made, capture_output=True, check=False).returncode
    ):
        pytest.skip("needs the right to mount a tmpfs")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place):
    """Leave no room on a disk, also where what is on it now is deleted."""
    files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    (held := place / HELD).mkdir()
    for number, path in enumerate(files):
        with suppress(FileNotFoundError):
            os.link(path, held / str(number))
    with (held / "filler").open("wb", buffering=0) as filler:
        block = b"x" * 65_536
        while block:
            try:
                filler.write(block)
            except OSError:
                block = block[: len(block) // 2]


def make_room(place):
    """Take back what `fill` did."""
    shutil.rmtree(place / HELD)
