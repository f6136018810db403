"""The pages of one place that somebody sees: pictures of them, and the hands of who holds it."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from strap import ActionError
from strap_browser.api import CdpError, CdpSession
from strap_live.control.hand import Hand
from strap_live.control.page_frames import PageFrames
from strap_live.pictures.capture import PageCapture, still
from strap_live.pictures.frames import Frame
from strap_live.pictures.watched_browser import WatchedBrowser, WatchedBrowsers
from strap_live.subjects.subject import Reached
from strap_live.subjects.telling import Subject

THUMBNAIL_QUALITY = 40
THUMBNAIL_LIMIT = 3.0
"""Seconds for a thumbnail; who gets none keeps the last."""
TITLES_PACE = 0.5
"""Seconds between two looks at the titles of pages: a tab that nobody draws has one as well."""
Show = Callable[[str, Frame], None]


class Captures:
    """Captures of the pages looked at, by the ids of the targets; at first none."""

    def __init__(
        self, subject: Subject, browsers: WatchedBrowsers, quality: int, show: Show
    ) -> None:
        """`show` gets each picture with its target."""
        self.acting = 0
        """Actions of the agent under way."""
        self._held = False
        self._subject = subject
        self._browsers = browsers
        self._quality = quality
        self._show = show
        self._known: dict[str, PageCapture] = {}
        self._hands: dict[str, Hand] = {}
        self._frames: dict[str, PageFrames] = {}
        self._entered: tuple[Reached, WatchedBrowser] | None = None
        self._learned = 0.0
        """When titles were asked for."""
        self._lock = asyncio.Lock()

    def get(self, target: str) -> PageCapture | None:
        """Return the pictures of a page that is looked at."""
        return self._known.get(target)

    def session(self, target: str) -> CdpSession | None:
        """Return the session with a page that is looked at."""
        capture = self._known.get(target)
        return capture.session if capture else None

    def hand(self, target: str) -> Hand | None:
        """Return the hand in a page that is looked at."""
        capture = self._known.get(target)
        if capture is not None and target not in self._hands:
            self._hands[target] = Hand(capture.session, self._frames[target])
        return self._hands.get(target)

    @property
    def hangs(self) -> bool:
        """Whether a page does not answer a person's hand."""
        return any(hand.hangs for hand in self._hands.values())

    def action_began(self) -> None:
        """The agent begins to act."""
        self.acting += 1
        for capture in self._known.values():
            capture.action_began()

    def action_ended(self) -> None:
        """The agent has acted."""
        self.acting -= 1
        for capture in self._known.values():
            capture.action_ended()

    def hold(self, *, held: bool) -> None:
        """Take note that a person has the place in hand, or no more."""
        self._held = held
        for capture in self._known.values():
            capture.hold(held=held)

    def pass_on(self) -> None:
        """Let go of what a person has pressed, and show the pages to who may see them now."""
        for hand in self._hands.values():
            hand.let_go()
        self._hands.clear()
        for capture in self._known.values():
            capture.look_anew()

    async def look_at(self, targets: set[str]) -> None:
        """Look at these pages, as far as they are there, and at no others."""
        async with self._lock:
            with suppress(ActionError, CdpError):
                await self._look_at(targets)

    async def learn_titles(self) -> None:
        """Ask for the titles of all pages, once in a while."""
        now = time.monotonic()
        if self._entered is not None and now - self._learned >= TITLES_PACE:
            self._learned = now
            await self._entered[1].learn_titles()

    def title(self, target: str) -> str:
        """Return the title of a page as it was last heard."""
        reached = self._subject.reached()
        browser = self._browsers.known(reached.address) if reached else None
        return browser.pages.get(target, {}).get("title", "") if browser else ""

    async def thumbnail(self, target: str) -> Frame | None:
        """Return a small picture of a page, None where there is none."""
        reached = self._subject.reached()
        if self.acting or self._held or reached is None or not target:
            return None
        with suppress(ActionError, CdpError, TimeoutError, ZeroDivisionError):
            browser = await self._browsers.enter(reached.address, reached.headers)
            try:
                small = await _small(await browser.attach(target))
            finally:
                self._browsers.leave(reached.address)
            return None if self._held else small  # it may show what a person began to type
        return None

    async def _look_at(self, targets: set[str]) -> None:
        for gone in self._known.keys() - targets:
            if hand := self._hands.pop(gone, None):
                hand.let_go()  # whoever pressed something sees the page no more
            await self._forget(gone)
        reached = self._subject.reached() if targets else None
        entered = self._entered
        if entered and (reached != entered[0] or entered[1].closed):
            for target in list(self._known):
                await self._forget(target)
            self._browsers.leave(entered[0].address)
            self._entered = None
        if reached is None:
            return
        if self._entered is None:
            self._entered = reached, await self._browsers.enter(reached.address, reached.headers)
        for target in targets - self._known.keys():
            session = await self._entered[1].attach(target)
            self._known[target] = self._capture(target, session)

    async def _forget(self, target: str) -> None:
        self._frames.pop(target, None)
        await self._known.pop(target).aclose()

    def _capture(self, target: str, session: CdpSession) -> PageCapture:
        capture = PageCapture(session, partial(self._show, target), self._quality)
        capture.hold(held=self._held)
        self._hands.pop(target, None)
        self._frames[target] = PageFrames(session)
        for _ in range(self.acting):
            capture.action_began()
        return capture


async def _small(session: CdpSession) -> Frame:
    try:
        async with asyncio.timeout(THUMBNAIL_LIMIT):
            data, (width, height) = await still(session, THUMBNAIL_QUALITY)
    finally:
        session.detach()
    return Frame(data=data, width=width, height=height, at=time.time(), still=True)
