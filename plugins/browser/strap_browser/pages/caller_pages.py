"""The pages of one caller in one profile."""

import asyncio
import time
from collections import deque
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import ClassVar

from strap import ActionError
from strap_browser.cdp.errors import NotAnswered, TargetClosed
from strap_browser.common.tasks import Tasks
from strap_browser.common.text import clip
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.downloads import Download as Incoming
from strap_browser.engine.page import Page
from strap_browser.pages.notices import Elsewhere
from strap_browser.pages.page_errors import ended, not_answered
from strap_browser.pages.rules.conditions import Conditions
from strap_browser.pages.rules.profile_facts import ProfileFacts
from strap_browser.pages.saved_downloads import Destination, Download, save
from strap_browser.pages.tab import Tab
from strap_browser.snapshot.refs import RefBook

MAX_TABS = 50
"""Pages of a caller: each is a process of some 50 MB, and pages open others by themselves."""
CLOSED = "The page was closed."
CLOSE_LIMIT = 5.0
"""Seconds to close what a caller left; a browser that hangs is ended with its profile."""


class CallerPages:
    """Pages of one caller in a profile.

    An `isolated` caller has a browser context (cookies, storage) of its own; the others share the
    profile's, with its logins.
    """

    granted: ClassVar[bool] = False
    """Whether they are tabs of the user's own Chrome."""

    def __init__(
        self, profile: ProfileFacts, destination: Destination, book: RefBook, *, isolated: bool
    ) -> None:
        self.profile = profile
        self.book = book
        self.isolated = isolated
        self.tabs: dict[str, Tab] = {}
        self.current: Tab | None = None
        self.elsewhere = Elsewhere()
        self.used = 0.0
        """When the caller's last call came, or ended, by the monotonic clock."""
        self.downloads: deque[Download] = deque(maxlen=100)
        self.arrived: deque[Path] = deque(maxlen=100)
        """Files of downloads that no answer was told of yet."""
        self.saves, self.hushed = True, False
        """Whether downloads are saved; whether a person has this caller's own pages in hand."""
        self.conditions = Conditions(self)
        self._numbers, self._destination = count(1), destination
        self.state_file: Path | None = None
        """File for the caller's login state when it closes."""
        self._connection: BrowserConnection | None = None
        self.context: BrowserContext | None = None
        self._lock = asyncio.Lock()
        self.spawn = Tasks()

    @property
    def private(self) -> bool:
        """Whether a person has the pages in hand: what they say may be what is typed there."""
        return self.hushed or self.profile.private

    async def page_for_call(
        self, connection: BrowserConnection, target_id: str | None, *, may_open: bool = True
    ) -> Tab:
        """Return the page with this id, which becomes the current one, or the current page.

        Opens a page where the caller has none (`may_open` is for pages that are not strap's own).
        Raises `ActionError` (code "no_page") for an id that is not among the caller's.
        """
        async with self._lock:
            await self._follow(connection)
            await self._drop_closed(connection)
            tab = self.find(target_id)
            if tab is None:
                tab = await self._open(connection)
            self.current = tab
            return tab

    async def catch_up(self) -> None:
        """Learn which pages closed themselves meanwhile."""
        async with self._lock:
            if (connection := self._connection) is not None and not self.granted:
                await self._drop_closed(connection)

    async def refresh(self, connection: BrowserConnection) -> None:
        """Learn of pages that came without being opened here: there are none."""

    def find(self, target_id: str | None) -> Tab | None:
        """Return the page with this id, or the current one if there is any; opens nothing."""
        if target_id is None or target_id in self.tabs:
            return self.tabs[target_id] if target_id else self.current
        pages = ", ".join(f"{tab.handle} {tab.where}" for tab in self.tabs.values())
        raise ActionError(
            f"No page {target_id!r} in profile {self.profile.name!r}.",
            hint=f"Your pages: {pages or 'none; open one with navigate'}.",
            code="no_page",
        )

    async def open(self, connection: BrowserConnection) -> Tab:
        """Open a further page and make it the current one."""
        async with self._lock:
            await self._follow(connection)
            self.current = await self._open(connection)
            return self.current

    async def revive(self, tab: Tab) -> str:
        """Put a blank page in the place of one that is lost; return what happened, or ''."""
        await tab.check_responsive()
        if tab.alive or self._connection is None or self._connection.dead:
            return ""
        reason = tab.trouble or f"The page {tab.where} was closed."
        self.profile.memory.check()
        tab.replace(self._connection, await self._new_page(self._connection))
        return reason

    async def close_tab(self, tab: Tab) -> None:
        """Close one page; the one opened before it becomes the current one."""
        self._remove(tab)
        await tab.abandon(CLOSED)

    def discard(self, tab: Tab) -> None:
        """Close one page in the background."""
        self._remove(tab)
        self.spawn(tab.abandon(CLOSED))

    def idle(self, seconds: float) -> bool:
        """Whether there are pages, and no call used them for so long."""
        alive = any(tab.alive for tab in self.tabs.values())
        taken = any(tab.turns.taken for tab in self.tabs.values())
        return alive and not taken and time.monotonic() - self.used > seconds

    async def park(self, why: str) -> None:
        """Close the pages, and tell the next call why; cookies and storage stay."""
        async with self._lock:
            tabs = list(self.tabs.values())
            for tab in [known for known in tabs if known is not self.current]:
                self._remove(tab)
            ends = [f"The page {tab.where} was closed: {why}." for tab in tabs]
            await asyncio.gather(*map(Tab.abandon, tabs, ends))

    async def aclose(self) -> int:
        """Close everything; returns the number of pages."""
        tabs, self.tabs, self.current = list(self.tabs.values()), {}, None
        await self.abandon()
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_LIMIT):
                if self.context is not None and self.isolated:
                    await self.context.aclose()
                else:
                    await asyncio.gather(*(tab.abandon(CLOSED) for tab in tabs))
        self.context = None
        await self.conditions.end_holding()
        return len(tabs)

    async def abandon(self) -> None:
        """End the work in the background; the pages end with their browser."""
        await self.conditions.stop_recording()
        await self.conditions.holding.refuse()
        await self.spawn.aclose()

    def adopt(self, page: Page, opener: Tab) -> None:
        """Take a page that one of ours opened, unless it was taken already."""
        if any(tab.page == page for tab in self.tabs.values()):
            return
        why = self._refusal()
        if self._connection is None or why:
            opener.events.add(f"A new page was closed at once: {why}")
            self.spawn(page.close())
            return
        tab = self._add(self._connection, page)
        opener.events.add_page(tab.handle, tab.where)

    def _check_room(self) -> None:
        if len(self.tabs) >= MAX_TABS:
            raise ActionError(
                f"{MAX_TABS} pages are open, which is the limit.",
                hint="Close some with close_page.",
                code="too_many_pages",
            )
        self.profile.check_room()

    def _refusal(self) -> str:
        try:
            self._check_room()
        except ActionError as error:
            return error.message
        return ""

    def receive(self, incoming: Incoming, tab: Tab) -> None:
        """Save a download of one of our pages."""
        if not self.saves:
            self.spawn(incoming.cancel())
            return
        ref, url = f"d{next(self._numbers)}", "" if self.private else clip(incoming.url)
        download = Download(ref=ref, name=tab.secrets.hide(incoming.suggested_filename), url=url)
        self.downloads.append(download)
        tab.note(f"A download started: {download.name!r}.")

        async def finish() -> None:
            tab.note(await save(incoming, download, self._destination))
            if download.path is not None:
                self.arrived.append(download.path)

        self.spawn(finish())

    async def _follow(self, connection: BrowserConnection) -> None:
        """Move to a new connection: keep pages that still exist, note those that are lost."""
        if self._connection is connection:
            return
        self._connection, self.context = connection, None
        lost: list[Tab] = []
        for tab in list(self.tabs.values()):
            may_be_there = not self.isolated and not connection.endpoint.fresh
            if not may_be_there or (page := connection.find(tab.page.target_id)) is None:
                lost.append(tab)
            else:
                tab.attach(connection, page)
        for tab in [known for known in lost if known is not self.current]:
            self._remove(tab)
        if self.current in lost:
            self.current.connection = connection
            self.current.trouble = ended(self.profile.name, self.current.where, len(lost) - 1)
            self.current.events.forget_pages(tab.handle for tab in lost)

    async def _drop_closed(self, connection: BrowserConnection) -> None:
        """Forget pages that closed themselves, and have the next answer say so."""
        closed = [t for t in self.tabs.values() if t.page.is_closed() and t.trouble is None]
        if closed:
            await connection.check()
        for tab in closed if not connection.dead else ():
            self._remove(tab)
            self.elsewhere.close(tab)

    def _remove(self, tab: Tab) -> None:
        self.tabs.pop(tab.handle, None)
        if self.current is tab:
            openers = [t for t in self.tabs.values() if t.page is tab.page.opener]
            self.current = next(reversed(openers or self.tabs.values()), None)

    async def _open(self, connection: BrowserConnection) -> Tab:
        self._check_room()
        # In a task of its own: a cancelled caller must not leave a page that nobody knows.
        making = self.spawn(self._make(connection))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not making.cancelled() or (current is not None and current.cancelling()):
                raise
            raise ActionError(
                "Your pages were closed during the call.", hint="Call again.", code="page_lost"
            ) from None

    async def _make(self, connection: BrowserConnection) -> Tab:
        return self._add(connection, await self._new_page(connection))

    def _add(self, connection: BrowserConnection, page: Page) -> Tab:
        tab = Tab(self.profile.next_id(), self, connection, page)
        self.tabs[tab.handle] = tab
        self.spawn(page.start())
        return tab

    async def _new_page(self, connection: BrowserConnection) -> Page:
        try:
            try:
                page = await self._open_page(connection)
            except TargetClosed:
                if connection.dead:
                    raise
                # The process that the browser kept ready for it was killed with others.
                page = await self._open_page(connection)
            await self.conditions.begin(page, connection)
            return page
        except NotAnswered:
            raise not_answered() from None

    async def _open_page(self, connection: BrowserConnection) -> Page:
        if not self.isolated:
            if (page := connection.take_blank()) is None:
                return await connection.new_page(connection.context)
            await page.start()
            return page
        if self.context is None:
            self.context = await connection.new_context()
        return await connection.new_page(self.context)
