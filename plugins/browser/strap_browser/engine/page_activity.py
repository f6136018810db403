"""What a page is doing, from its events: navigations, requests, new windows.

The DevTools session tells of a navigation while its cause is still running, and tells it before
it answers any command that was sent after the cause: no waiting time is needed to notice one.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from strap_browser.common.tasks import Tasks
from strap_browser.engine.navigation_loops import NavigationLoopGuard

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page, Request

AWAITED = frozenset(("document", "fetch", "script", "stylesheet", "xhr"))
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


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment in the life of a page."""

    requests: int
    commits: int
    windows: int


class PageActivity:
    """Follows one page for as long as it lives; `mark()` before an action, ask afterwards.

    `news` is called with what the caller should know.
    """

    def __init__(self, page: "Page", cdp: "CDPSession", news: Callable[[str], None]) -> None:
        self._page = page
        self._cdp = cdp
        self._restless = NavigationLoopGuard(cdp, news)
        self._tasks = Tasks()
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
        self.asked = 0
        """How often the page itself asked for another document."""
        self._asked_at = NEVER
        self._started = False
        self.deadline = math.inf
        """When the call that uses the page stops waiting for it, on the monotonic clock."""
        self.parsed = True
        """Whether the current document is parsed (DOMContentLoaded)."""
        self.loaded = True
        """Whether it is loaded with everything in it."""
        self.document: Request | None = None
        """The request for the current document."""
        self._main = ""

    async def start(self) -> None:
        """Begin to follow the page."""
        page, cdp = self._page, self._cdp
        page.on("request", self._on_request)
        page.on("requestfinished", self._on_request_end)
        page.on("requestfailed", self._on_request_end)
        page.on("popup", self._on_popup)
        page.on("dialog", self._tell)
        page.on("close", self._tell)
        page.on("crash", self._tell)
        for name, handler in {
            "frameScheduledNavigation": self._on_asked,
            "frameRequestedNavigation": self._on_asked,
            "frameStartedNavigating": self._on_started,
            "navigatedWithinDocument": self._on_within,
            "frameNavigated": self._on_commit,
            "frameStoppedLoading": self._on_stopped,
            "downloadWillBegin": self._on_stopped,
            "domContentEventFired": self._on_parsed,
            "loadEventFired": self._on_loaded,
            "windowOpen": self._on_window,
            "fileChooserOpened": self._on_chooser,
        }.items():
            cdp.on(f"Page.{name}", handler)
        told = await asyncio.gather(
            cdp.send("Page.enable"),
            cdp.send("Page.getFrameTree"),
            cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True}),
        )
        self._main = told[1]["frameTree"]["frame"]["id"]

    def inherit(self, before: "PageActivity") -> None:
        """Know of the page what another follower does, who follows it too."""
        self.document, self.deadline = before.document, before.deadline
        self.parsed, self.loaded = before.parsed, before.loaded

    @property
    def leaving(self) -> bool:
        """Whether the page is on its way to another document."""
        going = self._started or monotonic() - self._asked_at < ASKED_LIMIT
        return going and not self.held

    def mark(self) -> Mark:
        """Return this moment, in which the caller does something."""
        self._restless.on_action()
        return Mark(self._requests, self.commits, self._windows)

    def pending(self, mark: Mark) -> list["Request"]:
        """Return the requests begun since `mark` that have not ended."""
        return [request for request, number in self._running.items() if number > mark.requests]

    @property
    def busy(self) -> list["Request"]:
        """The requests that have not ended."""
        return list(self._running)

    def opening(self, mark: Mark) -> bool:
        """Whether a window was opened since `mark` that is not there yet."""
        return self._windows > mark.windows and self._popups < self._windows

    def has_opened(self, mark: Mark) -> bool:
        """Whether a window was opened since `mark`."""
        return self._windows > mark.windows

    async def barrier(self) -> None:
        """Return when all that the page did until now has been told."""
        await self._cdp.send("Page.getFrameTree")

    async def change(self, limit: float) -> bool:
        """Return at the next event, or after `limit` seconds; tell whether there was one."""
        return bool((await asyncio.wait((self._next,), timeout=limit))[0])

    async def race(
        self, work: Coroutine[Any, Any, Value], until: Callable[[], bool]
    ) -> Value | None:
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

    async def blank(self) -> None:
        """Leave the document, whatever its scripts do about it, for a blank one."""
        await self._disable_scripts(True)
        try:
            await self._page.goto("about:blank", wait_until="commit", timeout=0)
        finally:
            self._tasks(self._disable_scripts(False))

    @property
    def held(self) -> bool:
        """Whether the page may not leave its document, because it did so without end."""
        return self._restless.holds

    async def release(self) -> None:
        """Let the page leave its document: the caller wants it to."""
        await self._restless.release()

    async def _disable_scripts(self, value: bool) -> None:
        await self._cdp.send("Emulation.setScriptExecutionDisabled", {"value": value})

    def _tell(self, *_: Any) -> None:
        """Wake up whoever waits for an event."""
        current, self._next = self._next, asyncio.get_running_loop().create_future()
        if not current.done():
            current.set_result(None)

    def _on_request(self, request: "Request") -> None:
        self._requests += 1
        if request.resource_type in AWAITED:
            self._running[request] = self._requests
        with suppress(Exception):  # the frame of a request may be gone already
            if request.is_navigation_request() and request.frame == self._page.main_frame:
                self.document = request
        self._tell()

    def _on_request_end(self, request: "Request") -> None:
        self._running.pop(request, None)
        self._tell()

    def _on_popup(self, _: "Page") -> None:
        self._popups += 1
        self._tell()

    def _on_asked(self, event: dict[str, Any]) -> None:
        elsewhere = event.get("disposition", HERE) != HERE or event.get("delay", 0) > ASKED_LIMIT
        script = event.get("url", "").startswith("javascript:")
        if event.get("frameId") == self._main and not elsewhere and not script:
            self._asked_at = monotonic()
            self.asked += 1
        self._tell()

    def _on_started(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self._main and "ameDocument" not in event["navigationType"]:
            self._started = True
        self._tell()

    def _on_within(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self._main:
            self._asked_at = NEVER
        self._tell()

    def _on_commit(self, event: dict[str, Any]) -> None:
        if event["frame"].get("parentId"):
            return
        self.commits += 1
        self._restless.on_commit(event["frame"])
        self._main = event["frame"]["id"]
        self._asked_at = NEVER
        # A document that comes out of the cache of the history is complete.
        self.parsed = self.loaded = event.get("type") == "BackForwardCacheRestore"
        self._started = False
        self._running.clear()
        self._tell()

    def _on_stopped(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self._main:
            self._asked_at, self._started = NEVER, False
            self.parsed = True  # one that was to leave while it was parsed says nothing else
        self._tell()

    def _on_parsed(self, _: dict[str, Any]) -> None:
        self.parsed = True
        self._tell()

    def _on_loaded(self, _: dict[str, Any]) -> None:
        self.parsed = self.loaded = True
        self._tell()

    def _on_chooser(self, event: dict[str, Any]) -> None:
        """Tell of a picker of the File System Access API; fields for files are Playwright's."""
        if "backendNodeId" not in event:
            self.pickers += 1
            self._news(PICKER)
            self._tell()

    def _on_window(self, _: dict[str, Any]) -> None:
        self._windows += 1
        self._tell()


def started(work: Coroutine[Any, Any, Value]) -> asyncio.Future[Value]:
    """Start `work`; should nobody wait for it in the end, its failure is not reported."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()
