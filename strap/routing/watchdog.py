"""Notices code that blocks the event loop: nobody else is served meanwhile, and no limit holds."""

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 1.0
"""Seconds without a turn of the loop after which it counts as blocked.

Those for which a busy machine had no processor for its thread are not among them.
"""
PERIOD = 0.5
"""Seconds between looks at the loop."""
REST = 10
"""Looks without a call after which the thread sleeps until the next one."""
FRAMES = 12
"""Innermost frames that are told of what blocks."""
ADVICE = "use asyncio.to_thread, or @action(…, blocking=True)"
log = logging.getLogger(__name__)


class Watchdog:
    """Looks at an event loop from a thread of its own while calls run on it.

    To a call it costs microseconds, and nothing at all while there is none.
    """

    def __init__(self) -> None:
        """Watch the running loop."""
        self._loop = asyncio.get_running_loop()
        self._thread_of_loop = threading.get_ident()
        self._schedule = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._running: dict[asyncio.Task[Any] | None, str] = {}
        self._awake, self._turned, self._closed = (threading.Event() for _ in range(3))
        threading.Thread(target=self._watch, name="strap watchdog", daemon=True).start()

    def note(self, task: asyncio.Task[Any] | None, name: str | None) -> str | None:
        """Note what a task runs from now on, None for no call; returns what it ran before."""
        before = self._running.pop(task, None)
        if name is not None:
            self._running[task] = name
            if not self._awake.is_set():
                self._awake.set()
        return before

    @contextmanager
    def watching(self, name: str) -> Iterator[None]:
        """Note what the running task runs meanwhile."""
        task = asyncio.current_task()
        before = self.note(task, name)
        try:
            yield
        finally:
            self.note(task, before)

    def close(self) -> None:
        """Look no more."""
        for event in (self._closed, self._awake, self._turned):
            event.set()

    def _watch(self) -> None:
        quiet = 0
        while self._awake.wait() and not self._closed.is_set():
            self._turned.clear()
            try:
                self._loop.call_soon_threadsafe(self._turned.set)
            except RuntimeError:  # it is closed
                return
            if not self._turns():
                self._tell()
            self._closed.wait(PERIOD)
            quiet = 0 if self._running else quiet + 1
            if quiet > REST:
                quiet = 0
                self._awake.clear()
                if self._running:  # since a moment ago: its call has seen the thread awake
                    self._awake.set()

    def _turns(self) -> bool:
        end = time.monotonic() + PATIENCE - self._starved()
        while (left := end + self._starved() - time.monotonic()) > 0:
            if self._turned.wait(left):
                return True
        return False

    def _starved(self) -> float:
        """For how many seconds the loop's thread has been ready to run in vain, where that is told.

        The second figure of its `schedstat`: Documentation/scheduler/sched-stats.rst of Linux.
        """
        try:
            return int(self._schedule.read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0

    def _tell(self) -> None:
        """Log what blocks the loop and where it stands, and how long it took in the end.

        Imports are no news: they happen once, and take long on a busy machine alone.
        """
        since, name = time.monotonic() - PATIENCE, self._name()
        stack = self._stack()
        if any(frame.filename == _IMPORTING for frame in stack):
            self._turned.wait()
            return
        where = "".join(traceback.format_list(stack[-FRAMES:]))
        log.warning("%s blocks the event loop: %s. It stands here:\n%s", name, ADVICE, where)
        self._turned.wait()
        if not self._closed.is_set():
            took = time.monotonic() - since
            log.warning("%s blocked the event loop for %.1f s: %s.", name, took, ADVICE)

    def _name(self) -> str:
        """Return the name of the running work; if its task is unknown, the names of all work."""
        running = self._running.get(asyncio.current_task(self._loop))
        others = sorted({*self._running.values()})
        return running or " or ".join(others) or "What runs between calls"

    def _stack(self) -> list[traceback.FrameSummary]:
        frame = sys._current_frames().get(self._thread_of_loop)  # noqa: SLF001 - the only way
        stack = list(traceback.extract_stack(frame))
        core = [i for i, entry in enumerate(stack) if Path(entry.filename).parent == _CORE]
        return (stack[core[-1] + 1 :] if core else stack) or stack


_CORE = Path(__file__).parent
_IMPORTING = "<frozen importlib._bootstrap>"
