"""Process trees as Linux tells them: who belongs to a run, what they hold, how they are ended."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
MARKER = "BENCH_RUN"
"""The variable that tells the processes of a run, also of those that detach themselves."""


@dataclass(frozen=True, kw_only=True)
class Process:
    """One living process; its start time tells it from a later one with the same id."""

    pid: int
    parent: int
    started: int
    name: str

    def lives(self) -> bool:
        found = _read(self.pid)
        return found is not None and found.started == self.started

    def send(self, number: signal.Signals) -> None:
        """Signal this very process, if it still lives."""
        if self.lives():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def pss_mb(self) -> float:
        """Proportional set size (`/proc/PID/smaps_rollup`), in MB; 0 once it is gone."""
        return _kilobytes(self.pid, "smaps_rollup", "Pss:") / 1024

    def folder(self) -> Path:
        """The folder of its program, by which a browser's processes are told from the server's."""
        try:
            return (PROC / str(self.pid) / "exe").readlink().parent
        except OSError:
            return Path()

    def rss_mb(self) -> float:
        return _kilobytes(self.pid, "status", "VmRSS:") / 1024


def tree(root: int, run: str) -> set[Process]:
    """All living processes below `root`, and below any that carries the mark of `run`."""
    everyone = list(_all())
    children: dict[int, list[Process]] = {}
    for process in everyone:
        children.setdefault(process.parent, []).append(process)
    found: set[Process] = set()
    waiting = [p for p in everyone if p.pid == root or _is_marked(p.pid, run)]
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            waiting.extend(children.get(process.pid, ()))
    return found


def living(processes: Iterable[Process]) -> list[Process]:
    return [process for process in processes if process.lives()]


def wait_until(done: Callable[[], bool], seconds: float, pause: float = 0.005) -> bool:
    """Wait for `done`; returns whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def end(processes: Iterable[Process]) -> None:
    """Kill each of these processes by its id, and wait until it is gone."""
    mine = living(processes)
    for process in mine:
        process.send(signal.SIGKILL)
    wait_until(lambda: not living(mine), 5)


def _all() -> Iterator[Process]:
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            process = _read(int(entry.name))
            if process is not None:
                yield process


def _read(pid: int) -> Process | None:
    """Read `/proc/PID/stat` (proc_pid_stat(5)); a zombie counts as gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    name, _, rest = text.partition(" (")[2].rpartition(") ")
    fields = rest.split()
    if fields[0] in "ZX":
        return None
    return Process(pid=pid, parent=int(fields[1]), started=int(fields[19]), name=name)


def _is_marked(pid: int, run: str) -> bool:
    try:
        return f"{MARKER}={run}\0".encode() in (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False


def _kilobytes(pid: int, file: str, key: str) -> int:
    try:
        lines = (PROC / str(pid) / file).read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(key)), 0)
