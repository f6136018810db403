"""A recording of a caller's pages: one file for each thing that is kept, and when it ends."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from strap import record
from strap.text import counted
from strap_browser.common.tasks import Tasks
from strap_browser.engine.page import Page

LONGEST = 30 * 60.0
"""Seconds after which a recording ends: one that is forgotten fills no disk."""
CALLS = ("report", "video")
"""Recorders that take calls."""
LARGEST = 200_000_000
"""Bytes of all its files, after which it ends."""


@record
class RecordedCall:
    """A call that is over, on the page that it was about."""

    what: str
    answer: str
    failed: bool
    at: float
    """When it began, in seconds since 1970."""
    page: Page | None


class Recorder(Protocol):
    """Writes one file."""

    what: str
    path: Path

    @property
    def size(self) -> int:
        """Bytes of the file so far."""

    @property
    def summary(self) -> str:
        """Number of entries in the file, in words."""

    def take(self, event: str, payload: Any, page: str) -> None:
        """Take an event of a page, which is named by its handle."""

    async def stop(self) -> None:
        """End the file."""


class Recording:
    """Recorders at work; ends by itself after 30 minutes or 200 MB, and tells so."""

    def __init__(self, recorders: Sequence[Recorder], tell: Callable[[str], None]) -> None:
        self.recorders = tuple(recorders)
        self.is_over = False
        self.takes_calls = any(recorder.what in CALLS for recorder in recorders)
        """Whether calls are recorded."""
        self._tell, self._began = tell, monotonic()
        self._tasks = Tasks()
        self._stopping: asyncio.Task[list[str]] | None = None
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LONGEST, self.end, f"after {LONGEST / 60:g} minutes")

    def take(self, event: str, payload: Any, page: str) -> None:
        """Take an event of a page."""
        if self.is_over:
            return
        for recorder in self.recorders:
            recorder.take(event, payload, page)
        if sum(part.size for part in self.recorders) > LARGEST:
            self.end(f"at {LARGEST:,} bytes")

    def end(self, why: str) -> None:
        """End by itself; the next answer tells `why`."""
        if not self.is_over:
            self._tasks(self._end(why))

    async def _end(self, why: str) -> None:
        lines = await self.stop()
        self._tell(f"The recording ended {why}. {' '.join(lines)}")

    async def stop(self) -> list[str]:
        """End all files, once, and return what is in each."""
        if self._stopping is None:
            self._timer.cancel()
            self._stopping = self._tasks(self._stop())
        return await asyncio.shield(self._stopping)

    async def _stop(self) -> list[str]:
        for recorder in self.recorders:
            await recorder.stop()
        self.is_over = True
        return self.lines()

    def lines(self) -> list[str]:
        """Return what is in each file so far."""
        return [
            f"{item.what}: {item.path} ({item.summary}, {counted(item.size, 'byte')})."
            for item in self.recorders
        ]

    @property
    def seconds(self) -> float:
        """For how long it goes on."""
        return monotonic() - self._began
