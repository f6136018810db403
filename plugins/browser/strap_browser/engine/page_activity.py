"""Activity of a page, from its events: navigations, requests, new windows.

The DevTools session tells of a navigation while its cause is still running, and tells it before
it answers any command that was sent after the cause: no waiting time is needed to notice one.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from strap_browser.cdp.connection import Params
from strap_browser.common.tasks import started
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.navigation_loops import NavigationLoopGuard
from strap_browser.engine.traffic.requests import Request

AWAITED = frozenset(("Document", "Fetch", "Script", "Stylesheet", "XHR"))
"""Types of requests that may change what a page shows soon; not images, streams or media."""
NEVER = float("-inf")
HERE = "currentTab"
ASKED_LIMIT = 1.0
"""Seconds in which a navigation that a page asked for begins, unless the page prevents it."""
Value = TypeVar("Value")


PICKER = (
    "The page asked for files by a picker of the browser (such as showOpenFilePicker), which cannot"
    " be answered: it was told that none was chosen."
)


class Mark(NamedTuple):
    """A moment in the life of a page."""

    requests: int
    commits: int
    windows: int


class PageActivity:
    """Follows one page for as long as it lives; `mark()` before an action, ask afterwards.

    `news` is called with what the caller should know.
    """

    def __init__(self, page: Page, news: Callable[[str], None]) -> None:
        self._page = page
        self._session = page.session
        self._restless = NavigationLoopGuard(page.traffic.interception, news)
        self._running: dict[Request, int] = {}
        self._requests = 0
        self._windows = 0
        self._popups = 0
        self._next: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._news = news
        self.pickers = 0
        """How often the page opened a picker that cannot be answered."""
        self.commits = 0
        """New documents so far."""
        self.requested = 0
        """How often the page itself asked for another document."""
        self._asked_at = NEVER
        self._started = False
        self.stirred = NEVER
        """When there was the last event, on the monotonic clock."""
        self.deadline = math.inf
        """When the call that uses the page stops waiting for it, on the monotonic clock."""
        self.parsed = True
        """Whether the current document is parsed (DOMContentLoaded)."""
        self.loaded = True
        """Whether it is loaded with everything in it."""
        for event, listener in self._events():
            page.on(event, listener)
        for event, handler in self._page_events():
            page.session.on(f"Page.{event}", handler)

    def _events(self) -> Iterator[tuple[str, Callable[[Any], None]]]:
        yield "request", self._on_request
        yield "requestfinished", self._on_request_end
        yield "requestfailed", self._on_request_end
        yield "requestheld", self._tell
        yield "popup", self._on_popup
        yield "windowopen", self._on_window
        yield "picker", self._on_picker
        yield "dialog", self._tell
        yield "close", self._tell
        yield "crash", self._tell

    def _page_events(self) -> Iterator[tuple[str, Callable[[Any], None]]]:
        yield "frameScheduledNavigation", self._on_asked
        yield "frameRequestedNavigation", self._on_asked
        yield "frameStartedNavigating", self._on_started
        yield "navigatedWithinDocument", self._on_within
        yield "frameNavigated", self._on_commit
        yield "frameStoppedLoading", self._on_stopped
        yield "downloadWillBegin", self._on_stopped
        yield "domContentEventFired", self._on_parsed
        yield "loadEventFired", self._on_loaded

    @property
    def document(self) -> Request | None:
        """The last request for the document of the page."""
        return self._page.document

    @property
    def leaving(self) -> bool:
        """Whether the page is on its way to another document."""
        going = self._started or monotonic() - self._asked_at < ASKED_LIMIT
        return going and not self.held

    @property
    def waits_for_caller(self) -> bool:
        """Whether the document that the page is on its way to is held until the caller decides."""
        return self.document is not None and self.document.id in self._page.traffic.held

    def mark(self) -> Mark:
        """Return this moment, in which the caller does something."""
        self._restless.on_action()
        return Mark(self._requests, self.commits, self._windows)

    def pending(self, mark: Mark) -> list[Request]:
        """Return the requests begun since `mark` that have not ended."""
        held = self._page.traffic.held
        begun = (request for request, number in self._running.items() if number > mark.requests)
        return [request for request in begun if request.id not in held]

    @property
    def busy(self) -> list[Request]:
        """The requests that have not ended."""
        return list(self._running)

    def opening(self, mark: Mark) -> bool:
        """Whether a window was opened since `mark` that is not there yet."""
        return self._windows > mark.windows and self._popups < self._windows

    def has_opened(self, mark: Mark) -> bool:
        """Whether a window was opened since `mark`."""
        return self._windows > mark.windows

    async def barrier(self) -> None:
        """Return when all that the page did until now has been told.

        The answers of its own session tell that by themselves; those of other processes do not.
        """
        await self._session.send("Page.getFrameTree")

    async def change(self, limit: float) -> bool:
        """Return at the next event, or after `limit` seconds; tell whether there was one."""
        return bool((await asyncio.wait((self._next,), timeout=limit))[0])

    async def answered(self) -> float:
        """Return how long it took until a person had answered about all requests of the page."""
        began, traffic = monotonic(), self._page.traffic
        if not traffic.waiting:
            return 0
        while traffic.waiting and not self._page.is_closed():
            await self.change(ASKED_LIMIT)
        self.deadline += monotonic() - began
        return monotonic() - began

    async def race(self, work: Awaitable[Value], until: Callable[[], bool]) -> Value | None:
        """Return the result of `work`, or None as soon as an event makes `until` true."""
        task = started(work)
        try:
            while not task.done():
                if until():
                    return None
                await asyncio.wait((task, self._next), return_when=asyncio.FIRST_COMPLETED)
            return task.result()
        finally:
            task.cancel()

    async def race_of(
        self, work: Callable[[], Awaitable[Value]], until: Callable[[], bool]
    ) -> Value | None:
        """Do the same with what begins only then: of a call broken off before, nothing is left."""
        return await self.race(work(), until)

    async def blank(self) -> None:
        """Leave the document, whatever its scripts do about it, for a blank one."""
        await self._disable_scripts(True)
        try:
            await self._page.goto("about:blank")
        finally:
            self._disable_scripts(False)

    @property
    def held(self) -> bool:
        """Whether the page may not leave its document, because it did so without end."""
        return self._restless.holds

    async def release(self) -> None:
        """Let the page leave its document: the caller wants it to."""
        await self._restless.release()

    def _disable_scripts(self, value: bool) -> Awaitable[Any]:
        return self._session.send("Emulation.setScriptExecutionDisabled", value=value)

    def _tell(self, *_: Any) -> None:
        self.stirred = monotonic()
        current, self._next = self._next, asyncio.get_running_loop().create_future()
        if not current.done():
            current.set_result(None)

    def _on_request(self, request: Request) -> None:
        self._requests += 1
        if request.resource_type in AWAITED:
            self._running[request] = self._requests
        self._tell()

    def _on_request_end(self, request: Request) -> None:
        self._running.pop(request, None)
        self._tell()

    def _on_popup(self, _: Page) -> None:
        self._popups += 1
        self._tell()

    def _on_asked(self, event: Params) -> None:
        elsewhere = event.get("disposition", HERE) != HERE or event.get("delay", 0) > ASKED_LIMIT
        script = event.get("url", "").startswith("javascript:")
        if event.get("frameId") == self._page.main_frame.id and not elsewhere and not script:
            self._asked_at = monotonic()
            self.requested += 1
        self._tell()

    def _on_started(self, event: Params) -> None:
        if (
            event.get("frameId") == self._page.main_frame.id
            and "ameDocument" not in event["navigationType"]
        ):
            self._started = True
        self._tell()

    def _on_within(self, event: Params) -> None:
        if event.get("frameId") == self._page.main_frame.id:
            self._asked_at = NEVER
        self._tell()

    def _on_commit(self, event: Params) -> None:
        if event["frame"].get("parentId"):
            return
        self.commits += 1
        self._restless.on_commit(event["frame"])
        self._asked_at = NEVER
        # A document that comes out of the cache of the history is complete.
        self.parsed = self.loaded = event.get("type") == "BackForwardCacheRestore"
        self._started = False
        self._running.clear()
        self._tell()

    def _on_stopped(self, event: Params) -> None:
        if event.get("frameId") == self._page.main_frame.id:
            self._asked_at, self._started = NEVER, False
            self.parsed = True  # one that was to leave while it was parsed says nothing else
        self._tell()

    def _on_parsed(self, _: Params) -> None:
        self.parsed = True
        self._tell()

    def _on_loaded(self, _: Params) -> None:
        self.parsed = self.loaded = True
        self._tell()

    def _on_picker(self, _: Page) -> None:
        self.pickers += 1
        self._news(PICKER)
        self._tell()

    def _on_window(self, _: Page) -> None:
        self._windows += 1
        self._tell()
