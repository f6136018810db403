"""A place that is watched: its timeline, who looks at it, and the pictures that they get."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from strap_browser.api import Box, LiveSettings
from strap_live.captures import Captures
from strap_live.control.actors import Actors
from strap_live.control.hand import Hand
from strap_live.control.hold import Hold
from strap_live.control.questions import Questions
from strap_live.control.steering import Steering
from strap_live.pictures.aims import Aims
from strap_live.pictures.capture import PageCapture
from strap_live.pictures.frames import Frame
from strap_live.pictures.watched_browser import WatchedBrowsers
from strap_live.subjects import telling
from strap_live.subjects.subject import PageFacts
from strap_live.timeline import Timeline, clean
from strap_live.viewer import Viewer

TICK = 0.25
"""Seconds between two looks at which pages there are, while somebody watches."""
Message = Mapping[str, Any]


class Place:
    """One place. Nothing is asked of its browser unless somebody looks."""

    def __init__(
        self, number: int, actors: Actors, browsers: WatchedBrowsers, settings: LiveSettings
    ) -> None:
        self.id = secrets.token_hex(6)
        self.number = number
        self.actors = actors
        self.subject = subject = actors.subject
        self.timeline = Timeline(subject.hide)
        self.lookers: dict[Viewer, str | None] = {}
        """Viewers and the page that each looks at; None follows the agent."""
        self.captures = Captures(subject, browsers, settings.quality, self._show)
        self.steering = Steering(subject, self.timeline, self.captures.session)
        self._aims = Aims(subject.aim, self._tell_aim)
        self.hold = Hold(actors, self._on_hold, hold_s=settings.hold_s, away_s=settings.away_s)
        self.hold.ended = self._handed_back
        self.questions = Questions(
            self.timeline,
            subject.hide,
            self.tell_state,
            busy=lambda: self.hold.private,
            is_there=lambda: any(looker.grant.role == "control" for looker in self.lookers),
        )
        self._holder, self._was = "", ("", "")
        """Id and address of the agent's page when a person took control."""
        self.everywhere: Callable[[], list[Place]] = lambda: [self]
        """Returns all places: each heeds what becomes of a hold."""
        self.held_beside: Callable[[], list[Place]] = lambda: [self]
        """Returns those in somebody's hands that have pages of this one."""
        self._keeps = settings.samples != "never"
        self._last_state: Message = {}
        self._pointer: tuple[str, float, float] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self.timeline.listeners.append(self.tell)

    def summary(self) -> dict[str, Any]:
        """Return its line in the list of places, which says to nobody where a person goes."""
        private = self.holding.private
        return {
            "id": self.id,
            "n": self.number,
            "kind": self.subject.kind,
            "title": clean(self.subject.hide(self.subject.title), 200),
            "profile": self.subject.profile,
            **(telling.NOWHERE if private else telling.now_at(self.subject, self.captures.title)),
            "state": "over" if self.subject.over else self.hold.state,
            "watched": len(self.lookers),
            "asks": self.questions.waiting,
            "run": self.subject.run_id,
        }

    def state(self) -> dict[str, Any]:
        """Return all that a viewer is shown beside picture and timeline."""
        return {
            "type": "place",
            **self.summary(),
            "epoch": self.hold.epoch,
            "acting": self.captures.acting > 0,
            **self.subject.doing(),
            **self.questions.as_state(),
            "dialog": telling.dialog_of(self.subject),
            "ends": self.hold.ends,
            "shared": self.holding.shared,
            "file": self.hold.private and telling.asks_file(self.subject),
            "hangs": self.hold.private and self.captures.hangs,
            "pages": telling.told_of(self.subject, self.captures.title),
        }

    @property
    def holding(self) -> Hold:
        """The hold of who has its pages in hand, be it at another place with the same pages."""
        return next((place.hold for place in self.held_beside() if place.hold.private), self.hold)

    async def look(self, looker: Viewer, page: str | None) -> None:
        """Show a page to somebody, from now on; None follows the agent."""
        self.lookers[looker] = page
        self._pointer = None
        if self.questions.near:
            self.subject.watched(self.questions)
        looker.tell(self._state_for(looker))
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._tick(), name="watch a place")
        await self.reconcile()
        self.show_newest(looker)

    async def turn(self, looker: Viewer, page: str) -> None:
        """Show another page to somebody who still looks, as far as it is there."""
        if looker in self.lookers:
            follows = self._current is not None and self._current.id == page
            await self.look(looker, None if follows else page)

    def share(self, key: str, epoch: int, *, on: bool) -> None:
        """Let everybody see what the holder sees, or nobody else again; raises `Refused`."""
        self.hold.share(key, epoch, on=on)
        for shown, looker in [(place, it) for place in self.everywhere() for it in place.lookers]:
            shown.show_newest(looker)

    def leave(self, looker: Viewer) -> None:
        """Show nothing any more."""
        self.lookers.pop(looker, None)

    def tell(self, message: Message) -> None:
        """Send a message to everybody who looks."""
        for looker in list(self.lookers):
            looker.tell(message)

    def tell_state(self) -> None:
        """Tell everybody how it is now."""
        before, self._last_state = self._last_state, self.state()
        for looker in list(self.lookers):
            looker.tell(self._state_for(looker))
            holds = looker.grant.key == self.hold.holder
            if holds and self._last_state["file"] and not before.get("file"):
                looker.tell(telling.no_file(self.subject))

    async def reconcile(self) -> None:
        """Look at the pages that somebody sees, and at no others."""
        seen = [page for looker, page in self.lookers.items() if looker.visible]
        await self.captures.look_at({*map(self._target, seen)} - {""})

    async def thumbnail(self) -> Frame | None:
        """Return a small picture of the current page, None where there is none."""
        return await self.captures.thumbnail(self._target(None))

    async def aclose(self) -> None:
        """Look no more."""
        await self.hold.aclose()
        await self._aims.aclose()
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.wait({self._ticking})
        await self.captures.look_at(set())

    def action_began(self) -> None:
        """The agent begins to act."""
        self.captures.action_began()
        self._aims.action_began()

    def action_ended(self) -> None:
        """The agent has acted."""
        self.captures.action_ended()
        self._aims.action_ended()

    def hand(self, looker: Viewer) -> Hand | None:
        """Return the hand in the page that somebody sees."""
        return self.captures.hand(self.seen_by(looker))

    def capture(self, looker: Viewer) -> PageCapture | None:
        """Return the pictures of the page that somebody sees."""
        return self.captures.get(self.seen_by(looker))

    def _may_see(self, looker: Viewer) -> bool:
        """Whether somebody may see the page: while a person has it in hand, that one decides."""
        hold = self.holding
        return not hold.private or hold.shared or looker.grant.key == hold.holder

    def show_newest(self, looker: Viewer) -> None:
        """Show somebody the last picture, where they may see it."""
        capture = self.capture(looker)
        if capture is not None and capture.newest is not None and self._may_see(looker):
            looker.show(self.number, capture.newest)

    def _state_for(self, looker: Viewer) -> Message:
        holder = self.holding.holder
        who = "you" if holder and looker.grant.key == holder else "other" if holder else None
        seen = telling.page_of(self.subject, self.lookers.get(looker))
        state = {**self.state(), "holder": who, "shown": seen.id if seen else None}
        if self._may_see(looker):
            return state
        return {
            **state,
            "pages": [],
            "shown": None,
            **telling.NOWHERE,
            "dialog": None,
            "confirm": None,
        }

    def _on_hold(self) -> None:
        passed_on, self._holder = self.hold.holder != self._holder, self.hold.holder
        if self.hold.private and not self.timeline.private:
            current = self._current
            self._was = (current.id if current else "", telling.where(self.subject))
        for place in self.everywhere():
            if passed_on:
                place.captures.pass_on()
            place.heed_hold()

    def heed_hold(self) -> None:
        """Keep nothing of what the pages say while a person has them in hand, here or elsewhere."""
        private = self.holding.private
        if private != self.timeline.private:
            self.timeline.private = private
            self.subject.hush(hushed=private)
            self.captures.hold(held=private)
        self.tell_state()

    def _handed_back(self, seconds: float) -> None:
        """Tell the agent that a person was here, and nothing of what they typed."""
        text = telling.handed_back(self.subject, seconds, self._was)
        self.subject.tell_agent(text)
        self.questions.answer(text)

    @property
    def _current(self) -> PageFacts | None:
        return telling.current_of(self.subject)

    def _target(self, page: str | None) -> str:
        shown = telling.page_of(self.subject, page)
        return shown.target if shown else ""

    def seen_by(self, looker: Viewer) -> str:
        """Return the target of the page that somebody sees."""
        return self._target(self.lookers.get(looker))

    def _show(self, target: str, frame: Frame) -> None:
        if self._keeps and not self.holding.private and target == self._target(None):
            self.subject.keep(frame.data, frame.at)
        for looker, page in list(self.lookers.items()):
            if looker.visible and self._may_see(looker) and self._target(page) == target:
                looker.show(self.number, frame)
        self._tell_pointer()
        capture = self.captures.get(target)
        if capture is not None and not self.holding.private and target == self._target(None):
            self._aims.drawn(capture.session)

    def _tell_aim(self, box: Box | None) -> None:
        page = self._current
        if page is not None and not self.holding.private:
            self.tell({"type": "aim", "place": self.id, "page": page.id, "box": box})
            self._tell_pointer()

    def _tell_pointer(self) -> None:
        page, place = self._current, self.subject.pointer()
        pointer = page and place and (page.id, *place)
        if pointer and pointer != self._pointer:
            self._pointer = pointer
            of_page = dict(zip(("page", "x", "y"), pointer, strict=True))
            self.tell({"type": "pointer", "place": self.id, **of_page})

    async def _tick(self) -> None:
        while self.lookers:
            state = self.state()
            if state != self._last_state:
                self.tell_state()
            await self.reconcile()
            await self.captures.learn_titles()
            await asyncio.sleep(TICK)
        self._ticking = None
        await self.reconcile()
