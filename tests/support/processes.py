"""Processes that tests start, or that are started for them."""

import time
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether the process is there, and not only as a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(*pids: int, within: float = 20.0) -> bool:
    """Whether none of the processes is left within so many seconds."""
    end = time.monotonic() + within
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(alive, pids))


def descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found, todo = list[int](), [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def of_browsers(kind: str, home: Path) -> list[int]:
    """The processes of one kind, such as `renderer`, of the browsers below `home`."""
    numbers = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    browsers = [pid for pid in numbers if f"={home}".encode() in command_of(pid)]
    below = sorted({child for pid in browsers for child in descendants(pid)})
    return [pid for pid in below if f"--type={kind}".encode() in command_of(pid)]


def command_of(pid: int) -> bytes:
    """The words of a process's command, each with a zero byte behind it; none where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
