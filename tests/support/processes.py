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
