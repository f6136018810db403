"""Conditions of all pages of a caller: rules for requests, emulation, recordings."""

from contextlib import suppress
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet

from strap_browser.cdp.errors import CdpError
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.emulation import Emulation
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.flow_gate import FlowGate
from strap_browser.engine.traffic.holding import Holding
from strap_browser.engine.traffic.mocks import Mocks
from strap_browser.engine.traffic.paused_request import PausedRequest
from strap_browser.engine.traffic.traffic import Traffic
from strap_browser.pages.rules.profile_facts import ProfileFacts
from strap_browser.recorders.recording import RecordedCall, Recording

RECORDED = (
    "request",
    "requestfinished",
    "requestfailed",
    "message",
    "console",
    "pageerror",
    "aimed",
)
"""Events of a page that recordings take."""


class Owner(Protocol):
    """Owner of the pages."""

    current: Any
    """The tab of the last call."""

    context: BrowserContext | None
    """That of the pages, where they have one of their own."""

    @property
    def profile(self) -> ProfileFacts:
        """The profile that the pages are in."""

    @property
    def private(self) -> bool:
        """Whether a person has the pages in hand."""


class Conditions:
    """The rules, the emulation and the recording of one caller."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.holding = Holding(self.tell, self._find, owner.profile.rules.hold_seconds)
        self._pages: WeakSet[Page] = WeakSet()
        self.flow = FlowGate(self.tell)
        self.mocks = Mocks(self.tell)
        self.emulation, self._words = Emulation(), owner.profile.rules.emulate
        self.recording: Recording | None = None
        self._connection: BrowserConnection | None = None
        """That in which requests are held."""

    async def begin(self, page: Page, connection: BrowserConnection) -> None:
        """Show a first page what the settings say; raises `ActionError`, `CdpError`."""
        if self._words:
            from strap_browser.pages.rules.emulating import emulate

            page.targets.share(self.emulation)
            await emulate(self._words, self.emulation, page, connection)
            self._words = ""

    def follow(self, page: Page, handle: str) -> None:
        """Have them hold for a further page, and for the windows that it opens."""
        self.mocks.follow(page.traffic.interception)
        self._pages.add(page)
        self.holding.follow(page.traffic.interception)
        page.targets.share(self.emulation)
        for event in RECORDED:
            page.on(event, partial(self._record, event, handle))

    async def hold(self, pattern: str, connection: BrowserConnection) -> None:
        """Hold requests of the pages from now on; raises `CdpError`."""
        self._connection = connection
        await self.holding.hold(pattern, connection.traffic.interception)
        await connection.traffic.reach_workers()

    async def end_holding(self) -> None:
        """Hold nothing more: the pages are gone."""
        with suppress(CdpError):
            await self.holding.end()

    def _find(self, request: PausedRequest) -> tuple[bool, Traffic | None]:
        """Return whether a request is the caller's, and the traffic of its page.

        It is as well where nobody can tell, as for a page that is gone.
        """
        connection = self._connection
        assert connection is not None
        if (page := connection.page_of(request.frame_id)) is not None:
            return page in self._pages or page.opener in self._pages, page.traffic
        context, own = connection.traffic.contexts.get(request.frame_id), self._owner.context
        return context is None or own is None or context == own.id, None

    async def stop_recording(self) -> list[str]:
        """End the recording, if there is one, and return what its files have."""
        recording, self.recording = self.recording, None
        return await recording.stop() if recording is not None else []

    def record_call(self, what: str, answer: str, at: float, *, failed: bool) -> None:
        """Have a call recorded that is over."""
        if self.recording is None or not self.recording.takes_calls:
            return
        tab = self._owner.current
        page = tab.page if tab is not None else None
        call = RecordedCall(what=what, answer=answer, failed=failed, at=at, page=page)
        self._record("call", tab.handle if tab is not None else "", call)

    def _record(self, event: str, handle: str, payload: Any) -> None:
        if self.recording is not None and not self._owner.private:
            self.recording.take(event, payload, handle)

    def tell(self, text: str, tab: Any = None) -> None:
        """Have the next answer of a tab tell it, with no value of a secret."""
        tab = tab or self._owner.current
        if tab is not None:
            tab.note(tab.secrets.hide(text))
