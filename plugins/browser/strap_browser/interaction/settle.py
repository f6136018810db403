"""Waiting for what an action started, and for nothing else.

Right after an action the page says whether it changed anything, and its events say whether it
asked for something. Only while one of them goes on is there anything to wait for: a navigation
until its document is parsed, requests until they are answered, what moves until it rests, changes
until they pause.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import field
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strap import record
from strap_browser.cdp.errors import CdpError, ContextDestroyed
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.page_activity import Mark, PageActivity
from strap_browser.engine.traffic.requests import Request
from strap_browser.interaction.page_state import PageState
from strap_browser.snapshot.outlines import Outline

if TYPE_CHECKING:
    from strap_browser.interaction.element import Element
    from strap_browser.pages.tab import Tab

STEP = 0.008
PAUSES = {"idle": 5, "busy": 10, "undrawn": 150}
"""A page that has changed nothing for so many milliseconds, by its `pace`, is done.

Fewer are enough where it was idle in them: it has drawn a frame, and done all that it had in hand.
What may be left are timers, and those that follow each other at once are 4 ms apart (HTML, "timer
initialization steps"). Where a part of it is made to be scrolled smoothly, or was, it is given four
frames: such a part begins to move only in the second or third.
"""
SOON = 100
"""Elements up to which a page is looked at within the pause."""
CHANGES_LIMIT = 0.3
"""A page that never stops changing (an animation, a clock) is left to itself after so long."""
MOTION_LIMIT = 0.6
"""Transitions and animations end, or are left to themselves, after so long."""
GLIDE_LIMIT = 1.0
"""So does what is scrolled smoothly: browsers take up to 0.75 seconds for that."""
REQUESTS_LIMIT = 5.0
NAVIGATION_LIMIT = 15.0
NAVIGATION_STEP = 0.25
WINDOW_LIMIT = 2.0
LOAD_PAUSE = 0.03
LOAD_LIMIT = 2.0
DRAWN_LIMIT = 1.0
"""On a machine with much to do frames come late; one that nobody sees has none."""
Question = dict[str, Any] | None
Report = Callable[[], Coroutine[Any, Any, dict[str, Any]]]


@record
class Settled:
    """How it ended: `report` is the page's last answer, {} if it gave none."""

    report: dict[str, Any] = field(default_factory=dict)
    navigated: bool = False
    """Whether there is a new document."""
    unfinished: str = ""
    """Sentence about what was still going on."""
    sure: bool = True
    """Whether changes have paused."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to wait for in the document before."""
        return self.navigated or bool(self.unfinished)


class Watch:
    """Watch of the page during one action; `element` is its target, if that is known."""

    def __init__(self, state: PageState, *, value: bool, waits: bool) -> None:
        self.element: Element | None = None
        self.drags = False
        """Whether the action moves what it acts on: its own motion is waited for, too."""
        self.token = secrets.token_hex(4)
        self.quiet = 0.0
        """Seconds for which the page had not changed when the watch began, as far as is known."""
        self.seen: Outline | None = None
        """The look at the page that came with the last report."""
        self._state = state
        self._value = value or None
        self._waits = waits

    async def begin(self) -> dict[str, Any]:
        """Begin to watch the main document; returns what has the `focus`, in words."""
        answer = await self._state.ask("watch", token=self.token)
        # What frames do is not watched.
        self.quiet = 0.0 if self._state.tab.page.inner_frames else answer["quiet"] / 1000
        return answer

    async def report(
        self, *, look: Question = None, pauses: Question = None, key: bool = False
    ) -> dict[str, Any]:
        """Return what the page did so far; `same` is false if the document is gone.

        With `key` the page hears first that a key was let go. With `pauses` that is when such a
        pause is over. With `look` a small page that changed, and does not move, is looked at with
        it: `seen`. That stays where nothing is different since the last such look.
        """
        began, commits = monotonic(), self._state.activity.commits
        looks = look if self._frame.parent_frame is None else None
        how = {"value": self._value, "rest": self._waits or None, "drags": self.drags or None}
        try:
            answer = await self.ask("report", **how, key=key or None, look=looks, pauses=pauses)
        except CdpError:
            self.seen = None
            return {"same": False}
        if outline := answer.pop("outline", None):
            self.seen = Outline(answer=outline, began=began, commits=commits)
        elif not answer.pop("seen", False):
            self.seen = None
        return answer

    def within_the_pause(self) -> dict[str, Any]:
        """Return what to ask for a look at a page that takes little, while its pause lasts."""
        return self._state.likewise(SOON, pauses=PAUSES)

    async def ask(self, op: str, **more: Any) -> dict[str, Any]:
        """Ask the watched document; raises `CdpError` if it is gone."""
        state, frame = self._state, self._frame
        if frame.is_detached:
            raise ContextDestroyed("The frame is gone.")
        answer = await state.ask_in(frame, op, token=self.token, **more)
        if frame.session is not state.tab.page.session:  # which tells of events by itself
            await state.activity.barrier()
        return answer

    @property
    def _frame(self) -> Frame:
        return self.element.frame if self.element else self._state.tab.page.main_frame


class Settler:
    """Waits on one page for what happens after `mark`."""

    def __init__(self, tab: "Tab", activity: PageActivity, mark: Mark) -> None:
        self._tab = tab
        self._activity = activity
        self._mark = mark

    async def after(self, report: Report, *, patient: bool = True, eager: bool = False) -> Settled:
        """Wait until what the action started is done; `report` asks the page what it did.

        Without `patient` the wait ends at once where the page did nothing so far. With `eager` it
        ends, not `sure`, when changes are the only thing that may still go on: the caller looks
        at the page, and then asks whether there were more.
        """
        began = quiet_since = still_since = monotonic()
        last: dict[str, Any] = {}
        sure, reported, moved = True, False, False
        while not self._blocked():
            if await self._activity.answered():
                began = quiet_since = still_since = monotonic()
            if self._left() and (settled := await self.navigation()).is_over:
                return settled
            last = await self._activity.race(report(), self._interrupted) or {}
            if not last:
                continue
            if last.get("same") is False and not reported:
                reported = True
                await self._activity.race(self._activity.barrier(), self._blocked)
                continue
            now = monotonic()
            if self._activity.pending(self._mark) and now - began < REQUESTS_LIMIT:
                await self._activity.change(REQUESTS_LIMIT - (now - began))
                quiet_since, patient, eager = monotonic(), True, False
                continue
            limit = GLIDE_LIMIT if last.get("glides") else MOTION_LIMIT
            if last.get("motion") and now - quiet_since < limit:
                still_since, moved = now, True
            elif moved:  # who waits for the end hears of it with a frame, and then takes away
                moved = False
                await next_frames_drawn(self._tab)
            else:
                sure = self._is_done(last, now - max(quiet_since, still_since), patient=patient)
                if sure or (eager and last.get("changes")):
                    break
            await asyncio.sleep(STEP)
        await self._window()
        return Settled(report=last, unfinished=self._running(), sure=sure)

    async def navigation(self) -> Settled:
        """Wait for the document that the page is on its way to, and for what it loads at once."""
        activity = self._activity
        until = min(monotonic() + NAVIGATION_LIMIT, activity.deadline)
        while (activity.leaving or not activity.parsed) and not self._blocked():
            until += await activity.answered()
            if monotonic() >= until or activity.waits_for_caller:
                return Settled(
                    navigated=activity.commits > self._mark.commits,
                    unfinished="The page is still loading.",
                )
            await activity.change(NAVIGATION_STEP)
        navigated = activity.commits > self._mark.commits
        if navigated:
            await self.load()
        return Settled(navigated=navigated)

    async def load(self) -> None:
        """Wait until a parsed page has what its scripts ask for; never for images."""
        activity, until, waited = self._activity, monotonic() + LOAD_LIMIT, False
        while monotonic() < until and not self._blocked() and not activity.leaving:
            waiting = bool(activity.pending(self._mark))
            waited = waited or waiting
            if activity.loaded and not waited:
                return
            if not await activity.change(until - monotonic() if waiting else LOAD_PAUSE):
                return

    def _left(self) -> bool:
        return self._activity.leaving or self._activity.commits > self._mark.commits

    def _interrupted(self) -> bool:
        return self._blocked() or self._left()

    def _blocked(self) -> bool:
        return self._tab.dialog_opened.is_set() or not self._tab.alive

    def _is_done(self, report: dict[str, Any], quiet: float, *, patient: bool) -> bool:
        if quiet > CHANGES_LIMIT or report.get("same") is False:
            return True
        if not patient and not report.get("outside"):
            return True
        pause = PAUSES[report.get("pace", "busy")]
        return min(quiet * 1000, float(report.get("quiet", 0))) >= pause

    async def _window(self) -> None:
        """Wait until a window that was opened is there, so that the answer can name it."""
        until = monotonic() + WINDOW_LIMIT
        while self._activity.opening(self._mark) and monotonic() < until and not self._blocked():
            await self._activity.change(until - monotonic())

    def _running(self) -> str:
        waiting = waiting_for(self._activity.pending(self._mark))
        return f"Still waiting for {waiting}." if waiting else ""


def waiting_for(requests: Sequence[Request]) -> str:
    """Name requests that have not ended, "" if there are none."""
    if not requests:
        return ""
    others = f" and {len(requests) - 1} more" if len(requests) > 1 else ""
    return f"{requests[0].method} {urlsplit(requests[0].url).path}{others}"


async def next_frames_drawn(tab: "Tab") -> None:
    """Wait until the page has drawn what was done to it: observers and styles follow only then."""
    if tab.dialog is None and tab.alive:
        await frames_drawn(tab.page.main_frame)


async def frames_drawn(frame: Frame) -> None:
    """Wait until what a frame shows was drawn twice, or is not."""
    with suppress(Exception):  # a page that is leaving, or is not drawn
        async with asyncio.timeout(DRAWN_LIMIT):
            await frame.drawn()
