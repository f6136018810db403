"""How much memory the browsers take that this process launched, as far as the system tells."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
DATA = b"--user-data-dir="
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Weight(NamedTuple):
    """Browsers, and the bytes that they take with all their processes."""

    browsers: int
    size: int


def weigh(folders: tuple[Path, ...]) -> Weight:
    """Weigh the browsers whose data is below one of `folders`; elsewhere than on Linux, none.

    Pages that several processes share count once (PSS). Of a sandboxed process the system tells
    only what it has to itself.
    """
    beginnings = tuple(DATA + os.fsencode(folder) + b"/" for folder in folders)
    children: dict[int, list[int]] = {}
    for pid, parent in _processes():
        children.setdefault(parent, []).append(pid)
    roots = [pid for pid in children.get(os.getpid(), ()) if _is_browser(pid, beginnings)]
    return Weight(len(roots), sum(map(_size, _with_children(roots, children))))


def _processes() -> Iterator[tuple[int, int]]:
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        if entry.name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                # The name, in parentheses, may hold anything.
                after = (entry / "stat").read_bytes().rpartition(b")")[2].split()
                yield int(entry.name), int(after[1])


def _is_browser(pid: int, beginnings: tuple[bytes, ...]) -> bool:
    with suppress(OSError):
        words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
        return any(word.startswith(beginnings) for word in words)
    return False


def _with_children(roots: list[int], children: dict[int, list[int]]) -> Iterator[int]:
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += children.get(pid, ())


def _size(pid: int) -> int:
    folder = PROC / str(pid)
    with suppress(OSError, ValueError, IndexError):
        for line in (folder / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = map(int, (folder / "statm").read_bytes().split())
        return max(0, resident - shared) * PAGE
    return 0
