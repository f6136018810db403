"""A place that is watched: its timeline, who looks at it, and the pictures that they get."""

import asyncio
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from strap import ActionError
from strap_browser.cdp.errors import CdpError
from strap_browser.live.pictures.capture import PageCapture, still
from strap_browser.live.pictures.frames import Frame
from strap_browser.live.pictures.watched_browser import WatchedBrowser, WatchedBrowsers
from strap_browser.live.subjects import PageFacts, Reached, Subject
from strap_browser.live.timeline import Timeline, clean

TICK = 0.25
"""Seconds between two looks at which pages there are, while somebody watches."""
THUMBNAIL_QUALITY = 40
THUMBNAIL_LIMIT = 3.0
"""Seconds for a thumbnail; who gets none keeps the last."""
LONGEST_URL = 2_000
Message = Mapping[str, Any]


class Looker(Protocol):
    """Who looks at a place."""

    @property
    def visible(self) -> bool:
        """Whether what it is sent is seen: its window may be hidden."""

    def tell(self, message: Message) -> None:
        """Send a message."""

    def show(self, place: "Place", frame: Frame) -> None:
        """Send a picture, the newest one where it takes them slowly."""


class Place:
    """One place. Nothing is asked of its browser unless somebody looks."""

    def __init__(
        self, number: int, subject: Subject, browsers: WatchedBrowsers, quality: int
    ) -> None:
        self.id = secrets.token_hex(6)
        self.number = number
        self.subject = subject
        self.timeline = Timeline(subject.hide)
        self.lookers: dict[Looker, str | None] = {}
        """Who looks, and at which page; None follows the agent."""
        self.acting = 0
        """Actions of the agent under way."""
        self._browsers = browsers
        self._quality = quality
        self._captures: dict[str, PageCapture] = {}
        self._entered: tuple[Reached, WatchedBrowser] | None = None
        self._told: Message = {}
        self._redrawn: set[str] = set()
        """Pages that were drawn anew since their titles were asked for."""
        self._pointer: tuple[float, float] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self.timeline.listeners.append(self.tell)

    def summary(self) -> dict[str, Any]:
        """Return its line in the list of places."""
        current = next((page for page in self.subject.pages() if page.current), None)
        return {
            "id": self.id,
            "n": self.number,
            "kind": self.subject.kind,
            "title": clean(self.subject.hide(self.subject.title), 200),
            "profile": self.subject.profile,
            "url": clean(self.subject.hide(current.url), 300) if current else "",
            "state": "agent",
            "watched": len(self.lookers),
        }

    def state(self) -> dict[str, Any]:
        """Return all that a viewer is shown beside picture and timeline."""
        return {
            "type": "place",
            **self.summary(),
            "acting": self.acting > 0,
            "pages": [self._page(page) for page in self.subject.pages()],
        }

    async def look(self, looker: Looker, page: str | None) -> None:
        """Show a page to somebody, from now on; None follows the agent."""
        self.lookers[looker] = page
        looker.tell(self.state())
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._tick(), name="watch a place")
        await self.reconcile()
        if (capture := self._captures.get(self._target(page))) and capture.newest:
            looker.show(self, capture.newest)

    def leave(self, looker: Looker) -> None:
        """Show nothing any more."""
        self.lookers.pop(looker, None)

    def tell(self, message: Message) -> None:
        """Send a message to everybody who looks."""
        for looker in list(self.lookers):
            looker.tell(message)

    def action_began(self) -> None:
        """The agent begins to act."""
        self.acting += 1
        for capture in self._captures.values():
            capture.action_began()

    def action_ended(self) -> None:
        """The agent has acted."""
        self.acting -= 1
        for capture in self._captures.values():
            capture.action_ended()

    async def reconcile(self) -> None:
        """Look at the pages that somebody sees, and at no others."""
        async with self._lock:
            wanted = {
                self._target(page) for looker, page in self.lookers.items() if looker.visible
            } - {""}
            with suppress(ActionError, CdpError):
                await self._look_at(wanted)

    async def thumbnail(self) -> Frame | None:
        """Return a small picture of the current page, None where there is none."""
        reached, target = self.subject.reached(), self._target(None)
        if self.acting or reached is None or not target:
            return None
        with suppress(ActionError, CdpError, TimeoutError, ZeroDivisionError):
            browser = await self._browsers.enter(reached.address, reached.headers)
            try:
                session = await browser.attach(target)
                try:
                    async with asyncio.timeout(THUMBNAIL_LIMIT):
                        data, (width, height) = await still(session, THUMBNAIL_QUALITY, small=True)
                finally:
                    session.detach()
            finally:
                self._browsers.leave(reached.address)
            return Frame(data=data, width=width, height=height, at=time.time(), still=True)
        return None

    async def aclose(self) -> None:
        """Look no more."""
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.wait({self._ticking})
        async with self._lock:
            await self._look_at(set())

    def _target(self, page: str | None) -> str:
        """Return the target of a page, of the agent's current one where none is named."""
        pages = self.subject.pages()
        found = next((each for each in pages if each.id == page), None)
        found = found or next((each for each in pages if each.current), None)
        return found.target if found else ""

    async def _look_at(self, targets: set[str]) -> None:
        for gone in self._captures.keys() - targets:
            await self._captures.pop(gone).aclose()
        reached = self.subject.reached() if targets else None
        entered = self._entered
        if entered and (reached != entered[0] or entered[1].closed):
            for target in list(self._captures):
                await self._captures.pop(target).aclose()
            self._browsers.leave(entered[0].address)
            self._entered = None
        if reached is None:
            return
        if self._entered is None:
            self._entered = reached, await self._browsers.enter(reached.address, reached.headers)
        for target in targets - self._captures.keys():
            session = await self._entered[1].attach(target)
            self._captures[target] = self._capture(target, session)

    def _capture(self, target: str, session: Any) -> PageCapture:
        capture = PageCapture(session, lambda frame: self._show(target, frame), self._quality)
        for _ in range(self.acting):
            capture.action_began()
        return capture

    def _show(self, target: str, frame: Frame) -> None:
        self._redrawn.add(target)
        for looker, page in list(self.lookers.items()):
            if looker.visible and self._target(page) == target:
                looker.show(self, frame)
        self._tell_pointer()

    def _tell_pointer(self) -> None:
        place = self.subject.pointer()
        if place is not None and place != self._pointer:
            self._pointer = place
            self.tell({"type": "pointer", "place": self.id, "x": place[0], "y": place[1]})

    async def _tick(self) -> None:
        """Follow the pages for as long as somebody looks."""
        while self.lookers:
            state = self.state()
            if state != self._told:
                self._told = state
                self.tell(state)
            await self.reconcile()
            await self._learn_titles()
            await asyncio.sleep(TICK)
        self._ticking = None
        await self.reconcile()

    async def _learn_titles(self) -> None:
        redrawn, self._redrawn = self._redrawn, set()
        if self._entered is not None:
            for target in redrawn & self._captures.keys():
                await self._entered[1].learn(target)

    def _page(self, page: PageFacts) -> dict[str, Any]:
        reached = self.subject.reached()
        browser = self._browsers.known(reached.address) if reached else None
        told = browser.pages.get(page.target, {}) if browser else {}
        return {
            "id": page.id,
            "url": clean(self.subject.hide(page.url), LONGEST_URL),
            "title": clean(self.subject.hide(told.get("title", "")), 200),
            "current": page.current,
        }
