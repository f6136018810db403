"""Pages that go from one document to the next by themselves, without end."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from strap_browser.tasks import Tasks

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

DOCUMENTS = 10
SECONDS = 10.0
"""So many documents within so many seconds, of which the caller asked for none, are a loop."""


class Restless:
    """Ends such a loop: the next document gets no scripts, and is stopped if it leaves as well.

    `news` is called with what the caller should know.
    """

    def __init__(self, cdp: "CDPSession", news: Callable[[str], None]) -> None:
        self._cdp = cdp
        self._news = news
        self._tasks = Tasks()
        self._recent: deque[float] = deque(maxlen=DOCUMENTS)
        self._muted = False
        self._quiet = False
        """Whether the document is one without scripts."""

    def acted(self) -> None:
        """Note that the caller does something: where the page goes now may be of that."""
        self._recent.clear()
        self._quiet = False
        self._set(muted=False)

    def committed(self) -> None:
        """Note a new document."""
        self._recent.append(monotonic())
        self._quiet = self._muted
        if len(self._recent) == DOCUMENTS and monotonic() - self._recent[0] < SECONDS:
            self._set(muted=True)

    def loaded(self) -> None:
        """Note that the document is there: from now on it may run scripts, those of clicks."""
        if self._quiet:
            self._set(muted=False)

    def left(self) -> None:
        """Note that the page is about to leave its document."""
        if self._quiet:
            self._tasks(self._cdp.send("Page.stopLoading"))

    @asynccontextmanager
    async def silenced(self) -> AsyncIterator[None]:
        """Let no script run meanwhile."""
        await self._disable(True)
        try:
            yield
        finally:
            self._tasks(self._disable(False))

    def _set(self, *, muted: bool) -> None:
        if muted == self._muted:
            return
        self._muted = muted
        if muted:
            self._news("The page kept leaving by itself, without end: its scripts were stopped.")
        self._tasks(self._disable(muted))

    async def _disable(self, value: bool) -> None:
        await self._cdp.send("Emulation.setScriptExecutionDisabled", {"value": value})
