"""Processes on this machine, and files that a profile leaves on its disk."""

import asyncio
import json
import subprocess
from pathlib import Path

from tests.support.processes import of_browsers
from tests.support.waiting import becomes

TRACES = ("SingletonLock", "SingletonSocket", "SingletonCookie")


def browser_pid(home: Path, profile: str = "nebo") -> int:
    """The process that the profile's record names."""
    return json.loads((home / "profiles" / profile / "running.json").read_text())["pid"]


def children(pid: int, name: str) -> list[int]:
    """The direct children of a process whose command contains `name`."""
    return [p for p, parent, _, _, args in _processes() if parent == pid and name in args]


def tree(home: Path, leader: int = -1) -> list[str]:
    """The live processes on a profile below `home`, or in the process group of `leader`."""
    return [
        args
        for _, _, group, state, args in _processes()
        if not state.startswith("Z") and (str(home) in args or group == leader)
    ]


def renderers(home: Path) -> list[int]:
    """The processes that draw the pages of the browsers below `home`."""
    return of_browsers("renderer", home)


def socket_directory(home: Path, profile: str = "nebo") -> Path:
    """The temporary directory of a running browser, outside its profile."""
    return (home / "profiles" / profile / "user-data" / "SingletonSocket").readlink().parent


def litter(home: Path, profile: str = "nebo") -> list[str]:
    """Locks, records and temporary files of a profile that is not in use."""
    root = home / "profiles" / profile
    left = [name for name in TRACES if (root / "user-data" / name).is_symlink()]
    left += [path.name for path in root.iterdir() if path.is_file()]
    return left + [path.name for path in (root / "downloads").iterdir()]


def _processes() -> list[tuple[int, int, int, str, str]]:
    listing = subprocess.run(
        ["ps", "-axww", "-o", "pid=,ppid=,pgid=,stat=,args="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = (line.split(None, 4) for line in listing.splitlines())
    return [(int(r[0]), int(r[1]), int(r[2]), r[3], r[4]) for r in rows if len(r) == 5]


async def gone(home: Path, leader: int = -1, within: float = 15.0) -> None:
    """Return when the process tree is gone; fails if it is there after some seconds."""
    await becomes(lambda: tree(home, leader), [], within)
    await asyncio.sleep(0.05)  # for a strap in this process to hear of it
