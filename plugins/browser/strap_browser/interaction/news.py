"""Waiting for something to tell of an action: the page is looked at until there is."""

import asyncio
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from strap_browser.cdp.errors import CdpError
from strap_browser.common.beside import beside
from strap_browser.interaction.large_pages import PartChange, read_part_change
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.settle import PAUSES, Settled, Settler, Watch
from strap_browser.snapshot.diff import SnapshotDiff, compare
from strap_browser.snapshot.items import APPEARING, FADING
from strap_browser.snapshot.novelty import fades_in, has_news
from strap_browser.snapshot.snapshot import LARGE, Snapshot

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

ATTEMPTS = 3
NEWS_LIMIT = 0.4
"""Seconds for which something that can be told is waited for, before nothing is."""
PATIENT = 2.0
"""A large page that is read within so many seconds is looked at before nothing is told of it."""
FADES = {FADING: 0.25, APPEARING: 0.5, "": 0.0}
"""Seconds of it in which what is to fade in is to begin to: `snapshot.diff.fades_in`."""
RESTED_LIMIT = 0.1
"""Seconds for which a page is given its pause, by timers of its own."""
NEWS_STEP, LOOK_STEP = 0.016, 0.1
"""The page is looked at so often meanwhile: values and other frames change without a trace."""


class News(Watch):
    """The page of one action, compared with how it was `before` that.

    Unless it `waits`, what is not there at once is waited for only where a field has a list.
    """

    def __init__(self, state: PageState, *, value: bool, waits: bool) -> None:
        super().__init__(state, value=value, waits=waits)
        self.before = state.last
        self.settled = Settled()
        self.news_limit = NEWS_LIMIT
        self.is_gone_news = True
        self._is_outdated = state.told_in_part
        self._heard = state.awaits_news
        self._noted = self.happened
        self._documents = {other.handle: other.page.document for other in self.others}
        self._mark = state.activity.mark()
        self._began = monotonic()
        self._messages = state.tab.records.messages_sent()
        self._settling = Settler(state.tab, state.activity, self._mark)
        self._part = PartChange()
        self._is_first = waits
        self._looked = 0.0
        self._compared: tuple[Snapshot, list[SnapshotDiff]] | None = None

    @property
    def pending(self) -> bool:
        """Whether the page left, or waits for something that it asked for since the action."""
        return self._has_left() or bool(self._state.activity.pending(self._mark))

    @property
    def others(self) -> list["Tab"]:
        """The caller's other pages that no call uses."""
        tab = self._state.tab
        pages = tab.session.tabs.values()
        return [page for page in pages if page is not tab and page.alive and not page.turns.taken]

    @property
    def happened(self) -> int:
        """How much there is to tell beside what the page shows."""
        tab = self._state.tab
        return tab.events.noted + tab.session.elsewhere.noted(tab.session.tabs, tab)

    def is_sent_elsewhere(self, other: "Tab") -> bool:
        """Whether another page is on its way to a document since the action."""
        document = other.page.document
        if document is None or document is self._documents.get(other.handle):
            return False
        return document.took is None and not document.failure

    @property
    def awaits(self) -> bool:
        """Whether what is to be told may come later than at once."""
        return self._heard and (self._waits or bool(self.settled.report.get("awaited")))

    async def observe(self) -> Snapshot | None:
        """Return a snapshot of when there is something to tell, None where there is none.

        A page that leaves meanwhile is waited for, as one that left at once was.
        """
        after = None
        for _ in range(ATTEMPTS):
            if self._has_left() and not self.settled.navigated and not self.settled.unfinished:
                self.settled = await self._settling.after(self.report)
            if self.settled.navigated or self._is_lost():
                return None
            after = await self._await_news() or await self._look_after_all()
            if self.settled.navigated or not self._has_left():
                break
        return after

    async def _await_news(self) -> Snapshot | None:
        """Return a snapshot as `_look` does, of when there is something to tell."""
        after = await self._look()
        until = monotonic() + self.news_limit
        self._looked = monotonic()
        while await self._is_early(after) and monotonic() < until:
            await self._stirred(until)
            if self.settled.navigated or self._is_lost():
                return None
            after = await self._look()
        return after

    async def _stirred(self, until: float) -> None:
        activity, done = self._state.activity, self.settled.report.get("changes")
        until = min(until, monotonic() + LOOK_STEP)
        while monotonic() < until and not self.pending and not self._is_gone():
            await activity.change(NEWS_STEP)
            report = await activity.race(self.report(), self._is_gone) or {}
            if report.get("changes") != done:
                break
        self.settled = await self._settling.after(self.report, patient=False, eager=True)

    async def _is_early(self, after: Snapshot | None) -> bool:
        """Whether more will come to tell than the element's state and what always changes."""
        fades = fades_in(await self._compare(after)) if after else ""
        if self._has_happened() or not (self.awaits or fades == APPEARING):
            return False
        if monotonic() < self._looked + FADES[fades]:
            return True
        answered = self.settled.report.get("answered") is not False
        return self.awaits and not (answered and await self._shows_news(after))

    def _has_happened(self) -> bool:
        """Whether there is something to tell that the page does not show."""
        settled, state = self.settled, self._state
        sign = settled.unfinished or settled.report.get("invalid") or settled.report.get("foreign")
        noted = self.happened > self._noted or any(map(self.is_sent_elsewhere, self.others))
        return noted or bool(sign) or state.activity.has_opened(self._mark)

    async def _shows_news(self, after: Snapshot | None) -> bool:
        before = self.before
        if after is None:
            return self._is_quick() or self._part.has_news
        if before is None:
            return bool(self.settled.report.get("outside"))
        if after.title != before.title:
            return True  # an address alone is the beginning of something
        raw = self.element.node_id if self.element else ""
        restless = (*before.restless, *after.restless)
        return has_news(await self._compare(after), raw, restless, gone=self.is_gone_news)

    async def _compare(self, after: Snapshot) -> list[SnapshotDiff]:
        before = self.before
        if self._compared is None or self._compared[0] is not after:
            changes: list[SnapshotDiff] = []
            if before is not None:
                large = max(before.characters, after.characters) > LARGE
                changes = await beside(partial(compare, before, after), large=large)
            self._compared = after, changes
        return self._compared[1]

    # ---- looking ----

    async def _glimpse(self) -> dict[str, Any]:
        """Return a report with a look at a page that takes little: what it shows may be all.

        Once: what asked for something meanwhile, or moves, is looked at when that is over. So is a
        page whose pause is over, as on a machine with much to do: it need not be looked at twice.
        """
        is_first, self._is_first = self._is_first and not self.pending, False
        soon = is_first and not self._state.tab.page.inner_frames
        return await self.report(look=self.within_the_pause() if soon else None)

    async def _look(self) -> Snapshot | None:
        """Return a snapshot of the settled page, None if there is none to be had.

        It is taken while changes may still go on; if they did, or the page left meanwhile, the
        page is given its time and looked at again.
        """
        for _ in range(ATTEMPTS):
            if self._is_quick():
                after, report = await self._glance()
                same = report.get("changes") == self.settled.report.get("changes")
                if after and (self.settled.sure or (same and not report.get("motion"))):
                    return after
            elif self.settled.sure:
                await self._look_at_part()
                return None
            self.settled = await self._settling.after(self.report)
            if self.settled.navigated or self._is_lost():
                return None
        return None

    async def _look_after_all(self) -> Snapshot | None:
        """Return a snapshot of a large page that told nothing: not all changes leave a trace."""
        if self._is_quick() or not self._part.is_empty or not self._state.was_read_within(PATIENT):
            return None
        return None if self.settled.navigated or self._is_lost() else (await self._glance())[0]

    async def _look_at_part(self) -> None:
        answer: dict[str, Any] | None = {}
        with suppress(CdpError):  # the document is gone
            answer = await self._state.activity.race(self.ask("changed"), self._is_gone)
        self._part = read_part_change(answer or {})
        self._state.told_in_part |= not self._part.is_empty

    async def _glance(self) -> tuple[Snapshot | None, dict[str, Any]]:
        """Return a snapshot and the report of then, None and {} if the page left meanwhile.

        That is after its pause: what changes often changes more, or leaves, at once. Some of that
        leaves no trace, as values and style sheets do: so the page is looked at also where it was
        before, and then tells only what is different.
        """
        activity, report = self._state.activity, self.settled.report
        try:
            if self.seen is not None:  # while there is time
                await self._compare(await self._state.foresee(self.seen))
            if self.seen is not None or not self.settled.sure:
                report = await activity.race(self._rested(), self._is_gone) or {}
            looking = partial(self._state.look_likewise, self.seen)
            if self.settled.sure or self.seen is not None:
                after = await activity.race_of(looking, self._is_gone)
            else:
                after, report = await asyncio.gather(
                    activity.race_of(looking, self._is_gone),
                    activity.race_of(self.report, self._is_gone),
                )
        except CdpError:
            if not self._is_gone():
                raise
            return None, {}
        if after is None or self.pending:
            return None if self._has_left() else after, {}
        return after, report or {}

    async def _rested(self) -> dict[str, Any]:
        """Return the report of when its pause is over, with a look.

        No timer ever ends in a document whose scripts are off (`sandbox`), and one of a page that
        the browser takes for hidden may take a second: such a page is asked what it is like now.
        """
        look = self._state.likewise(known=self.seen is not None)
        with suppress(TimeoutError):
            async with asyncio.timeout(RESTED_LIMIT):
                return await self.report(look=look, pauses=PAUSES)
        return await self.report(look=self._state.likewise())

    # ---- what it is like ----

    def _is_quick(self) -> bool:
        return self._state.is_quick(self.settled.report.get("size", 0))

    def _is_lost(self) -> bool:
        tab = self._state.tab
        return tab.dialog is not None or not tab.alive or self._state.activity.leaving

    def _has_left(self) -> bool:
        activity, mark = self._state.activity, self._mark
        return activity.leaving or activity.commits > mark.commits

    def _is_gone(self) -> bool:
        return self._has_left() or self._is_lost()
