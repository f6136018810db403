"""A profile at work: its driver, the connection to its browser, the sessions of its callers."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from strap import ActionError, Caller, Secrets
from strap.text import counted
from strap_browser.common.tasks import Tasks
from strap_browser.drivers.base import Driver, not_running
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.traffic.approvals import Approvals, RequestSource
from strap_browser.engine.traffic.paused_request import PausedRequest
from strap_browser.pages.caller_pages import CallerPages
from strap_browser.pages.memory import MemoryLimit
from strap_browser.pages.request_sources import source_of
from strap_browser.pages.rules.profile_rules import ProfileRules
from strap_browser.pages.saved_downloads import Destination
from strap_browser.pages.user_tabs import UserTabs
from strap_browser.snapshot.refs import RefBook

MAX_ISOLATED = 32
"""Callers with a context of their own and pages in it."""
FORGOTTEN = 1800.0
"""Seconds without a call after which a caller's pages make room for another's: as long as a session
over HTTP may be idle; callers without one never say that they are gone."""


class Profile:
    """One profile of this process."""

    def __init__(
        self,
        name: str,
        driver: Driver,
        destination: Destination,
        *,
        ephemeral: bool = False,
        max_pages: int,
        secrets: Secrets,
        memory: MemoryLimit,
        numbers: Iterator[int],
        approvals: Approvals,
        notes_logins: bool,
        rules: ProfileRules,
    ) -> None:
        """With `notes_logins` it is known which sites had cookies before the model began."""
        self.name = name
        self.driver = driver
        self._destination = destination
        self._ephemeral, self._max_pages, self._notes_logins = ephemeral, max_pages, notes_logins
        self.secrets = secrets
        """Secrets that no answer may show."""
        self.memory = memory
        self.rules = rules
        self._interceptors = (*rules.interceptors, *approvals.interceptors(self._source))
        self.private = False
        """Whether a person has pages in hand that all callers share, whoever's place it is at."""
        self._sessions: dict[str, CallerPages] = {}
        self._connection: BrowserConnection | None = None
        self._lock, self._lending, self._tasks = asyncio.Lock(), asyncio.Lock(), Tasks()
        self._numbers = numbers
        self._borrowers = 0
        self._is_borrowed = False
        """Whether the browser was started for borrowers, and by nobody else since."""

    def next_id(self) -> str:
        """Return an id that no page had, of whatever profile: it can mean no other one."""
        return f"t{next(self._numbers)}"

    def isolates(self, caller: Caller) -> bool:
        """Whether the caller has cookies and storage of its own, which go with it."""
        return "user_tabs" not in self.driver.can and (
            self._ephemeral or caller.transport == "http"
        )

    def part(self, key: str) -> "Profile":
        """Return the part of the profile that is the caller's: all of it."""
        return self

    def session(self, key: str, book: RefBook, *, isolated: bool) -> CallerPages:
        """Return the session of a caller with these refs; makes it, and room for it."""
        session = self._sessions.pop(key, None)
        if session is None:
            if isolated:
                self._make_room()
            made = UserTabs if "user_tabs" in self.driver.can else CallerPages
            session = made(self, self._destination, book, isolated=isolated)
        session.used = time.monotonic()
        self._sessions[key] = session
        return session

    def known(self, key: str) -> CallerPages | None:
        """Return the session of a caller that has one."""
        return self._sessions.get(key)

    def hush(self, key: str, *, hushed: bool) -> None:
        """Keep nothing of what a caller's pages say, or again; granted tabs are all callers'."""
        if (
            "user_tabs" in self.driver.can
        ):  # also where the caller is gone that the person came through
            self.private = hushed
            if self._connection is not None:
                self._connection.hold_tabs(on=hushed)
        elif (session := self.known(key)) is not None:
            session.hushed = hushed

    @property
    def address(self) -> str:
        """Address of its browser, '' before anybody asked for it."""
        return self._connection.endpoint.address if self._connection else ""

    @property
    def callers(self) -> tuple[str, ...]:
        """The keys of the callers that have a session, the last used at the end."""
        return tuple(self._sessions)

    async def status(self, key: str) -> dict[str, Any]:
        """Return the profile's entry of `status`, with the number of the caller's own pages."""
        status = await self.driver.status()
        session = self._sessions.get(key)
        entry = {
            "name": self.name,
            "driver": self.driver.name,
            "running": status.running,
            **status.facts,
            "page_count": len(session.tabs) if session and status.running else 0,
            "cdp_url": status.cdp_url,
        }
        if status.pages is not None:
            entry["page_count"] = status.pages
        elif status.running and (self._connection is None or self._connection.dead):
            entry["connected"] = False
        if status.running and not self.driver.guarded:
            entry["guard"] = "navigations only"
        return entry

    async def open(self, *, launch: bool = False) -> BrowserConnection:
        """Return the connection to the browser; starts the browser if `launch`.

        A browser that ended without being closed is started again too. Raises `ActionError`
        (code "not_running") with the call that starts it.
        """
        if launch:
            self._is_borrowed = False
        if self._connection is not None and not self._connection.dead:
            return self._connection
        # In a task of its own: one caller's cancellation must not stop the start for all.
        return await asyncio.shield(self._tasks(self._open(launch=launch)))

    @asynccontextmanager
    async def borrowed(self, key: str) -> AsyncIterator[BrowserConnection]:
        """The connection to the browser, which is started where it does not run.

        It is ended with its last borrower then, unless somebody launched it or has pages in it
        meanwhile; `key` is the borrower's.
        """
        self._borrowers += 1
        try:
            async with self._lending:
                if not (await self.driver.status()).running:
                    await self.open(launch=True)
                    self._is_borrowed = True
            yield await self.open()
        finally:
            self._borrowers -= 1
            if self._is_borrowed and not self._borrowers:
                await asyncio.shield(self._tasks(self._give_back(key)))

    async def _give_back(self, key: str) -> None:
        async with self._lending:
            if self._is_borrowed and not self._borrowers:
                self._is_borrowed = False
                await self.close(key)

    async def require(self) -> None:
        """Raise `ActionError` (code "not_running") unless the browser runs; connects to nothing."""
        if not (await self.driver.status()).running:
            raise not_running(self.name, self.driver)

    async def close(self, key: str) -> str:
        """Close the caller's pages, and the browser unless somebody uses it; returns which."""
        async with self._lock:
            session = self._sessions.pop(key, None)
            if self._connection is None and not (await self.driver.status()).running:
                return f"The browser of profile {self.name!r} is not running; nothing to close."
            if "user_tabs" in self.driver.can:
                return await self._leave(session)
            count = await session.aclose() if session else 0
            pages = f"Closed {counted(count, 'page')}"
            if any(other.tabs for other in self._sessions.values()):
                why = "another caller uses it"
            else:
                why = await self._release()
        if why:
            return f"{pages}. The browser of profile {self.name!r} keeps running: {why}."
        return f"{pages} and stopped the browser of profile {self.name!r}."

    async def _leave(self, session: CallerPages | None) -> str:
        if session is not None:
            await session.aclose()
        if not any(other.tabs for other in self._sessions.values()):
            await self._release()
        return f"Disconnected from profile {self.name!r}: Chrome and its tabs stay open."

    async def end_session(self, key: str) -> None:
        """Close the pages of a caller that is gone; the browser stays."""
        ended = [k for k in self._sessions if k == key or k.startswith(f"{key}/")]
        await asyncio.gather(*(self._sessions.pop(k).aclose() for k in ended))

    async def aclose(self) -> None:
        """End everything that belongs to this process."""
        await self._tasks.aclose()
        await asyncio.gather(*(session.abandon() for session in self._sessions.values()))
        if await self.driver.release(force=True) != "stopped":
            await asyncio.gather(*(session.aclose() for session in self._sessions.values()))
        if self._connection is not None:
            await self._connection.aclose()

    async def _open(self, *, launch: bool) -> BrowserConnection:
        async with self._lock:
            if self._connection is not None and not self._connection.dead:
                return self._connection
            # A browser that strap launched is launched again, but the user's own never is.
            launch = launch or (self._connection is not None and "user_tabs" not in self.driver.can)
            if launch:
                self.memory.check()
            endpoint = await self.driver.acquire(launch=launch)
            if endpoint is None:
                raise not_running(self.name, self.driver)
            self._connection = await BrowserConnection.open(
                replace(endpoint, interceptors=self._interceptors, scripts=self.rules.scripts)
            )
            if self._notes_logins:
                everywhere = "user_tabs" in self.driver.can
                await self._connection.context.note_logins(everywhere=everywhere)
            if self.private:
                self._connection.hold_tabs(on=True)
            return self._connection

    async def _release(self) -> str:
        held = [session.conditions.holding for session in self._sessions.values()]
        await asyncio.gather(*(session.refuse() for session in held))
        release = await self.driver.release()
        if release == "used":
            await asyncio.gather(*(session.refuse(on=False) for session in held))
            return "another process uses it"
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()
        await asyncio.gather(*(session.abandon() for session in self._sessions.values()))
        self._sessions.clear()
        return {
            "stopped": "",
            "foreign": "it belongs to another process",
            "disconnected": "strap does not own it",
        }[release]

    async def _source(self, request: PausedRequest) -> RequestSource:
        return source_of(request, self._sessions, self._connection)

    def _make_room(self) -> None:
        """Let go of callers without pages and of forgotten ones; raises `ActionError` ("busy")."""
        isolated = {k: session for k, session in self._sessions.items() if session.isolated}
        if len(isolated) < MAX_ISOLATED:
            return
        forgotten = time.monotonic() - FORGOTTEN
        idle = [
            k for k, session in isolated.items() if not session.tabs or session.used < forgotten
        ]
        for key in idle:
            self._tasks(self._sessions.pop(key).aclose())
        if not idle:
            raise ActionError(
                f"{MAX_ISOLATED} callers have pages in profile {self.name!r}, which is the limit.",
                hint="Repeat the call when one of them is gone.",
                code="busy",
                retryable=True,
            )

    def check_room(self) -> None:
        """Raise `ActionError` (code "busy") where no other page may be opened."""
        self.memory.check()
        if sum(len(session.tabs) for session in self._sessions.values()) >= self._max_pages:
            raise ActionError(
                f"{self._max_pages} pages are open in profile {self.name!r}, which is the limit.",
                hint="Close some with close_page, or repeat the call when others are closed.",
                code="busy",
                retryable=True,
            )
