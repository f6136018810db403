"""Limit on the memory of all browsers of strap: idle pages are closed, new ones wait."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from strap import ActionError
from strap_browser.chromium.memory import Weight, weigh
from strap_browser.common.tasks import Tasks

INTERVAL = 1.0
"""Seconds between two looks, each of some 20 ms in a thread."""
NEARLY = 0.9
"""Share of the limit from which on pages are closed."""
IDLE = 30.0
"""Seconds without a call after which a caller's pages may be closed: an agent may think so long."""
MB = 1024 * 1024


class Pages(Protocol):
    """The pages of a caller."""

    used: float

    def idle(self, seconds: float) -> bool:
        """Whether there are any, and no call used them for so long."""

    async def park(self, why: str) -> None:
        """Close them; the next call is told why."""


class MemoryLimit:
    """Keeps the browsers below `most` MB; 0 is no limit, and nothing is looked at."""

    def __init__(self, most: int, home: Path, candidates: Callable[[], Iterable[Pages]]) -> None:
        """`candidates` are the callers' pages that may be closed."""
        self._most = most * MB
        self._folders = (home / "profiles", home / "work")
        self._candidates = candidates
        self._used = 0
        self._tasks = Tasks()
        if most:
            self._tasks(self._watch())

    def weigh(self) -> Weight:
        """Look how many browsers there are, and what they take; to be called in a thread."""
        return weigh(self._folders)

    def check(self) -> None:
        """Raise `ActionError` (code "busy") where no page may be opened and no browser launched."""
        if self._most and self._used >= self._most:
            raise ActionError(
                f"The browsers take {self._used // MB} MB of memory,"
                f" of the {self._most // MB} that they may.",
                hint="Close pages with close_page, or repeat the call when others are closed.",
                code="busy",
                retryable=True,
            )

    async def aclose(self) -> None:
        """Look no more."""
        await self._tasks.aclose()

    async def _watch(self) -> None:
        while True:
            self._used = (await asyncio.to_thread(self.weigh)).size
            if self._used >= self._most * NEARLY:
                await self._free()
            await asyncio.sleep(INTERVAL)

    async def _free(self) -> None:
        idle = [pages for pages in self._candidates() if pages.idle(IDLE)]
        if idle:
            await min(idle, key=lambda pages: pages.used).park("the browsers took too much memory")
