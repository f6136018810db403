"""What an action does to its page: watched from before it, told after it."""

import asyncio
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap_browser.agent import LIMIT_MS
from strap_browser.answers import Answer, add_page
from strap_browser.difference import compare, describe
from strap_browser.memory import Memory
from strap_browser.playwright_errors import Error
from strap_browser.rendering import quoted
from strap_browser.settle import PAUSE, Settled, Settling
from strap_browser.snapshot import Snapshot

if TYPE_CHECKING:
    from strap_browser.targets import Target

TEXTS = 8
ATTEMPTS = 3


class Effects:
    """The effects of one action; make it before the action.

    The command that checks an element begins the watch on the element's document, under `token`;
    `begin` does where there is no element. With `value` the page reports what the field holds.
    """

    def __init__(self, memory: Memory, *, value: bool = False) -> None:
        self.target: Target | None = None
        self.token = secrets.token_hex(4)
        self.before = memory.last
        self.settled = Settled()
        self._memory = memory
        self._value = value or None
        self._mark = memory.activity.mark()
        self._settling = Settling(memory.tab, memory.activity, self._mark)

    async def begin(self) -> dict[str, Any]:
        """Begin to watch the main document; returns what has the `focus`, in words."""
        return await self._memory.ask("watch", token=self.token)

    async def report(self) -> dict[str, Any]:
        """Return what the page did so far; `same` is false if the document is gone."""
        memory, agent, raw = self._memory, self._memory.agent, self.target and self.target.raw
        told = {"token": self.token, "value": self._value}
        frame = memory.frame_of(raw) if raw else None
        try:
            if frame is not None:
                report = await agent.ask_frame(frame, "report", LIMIT_MS, **told)
            elif self.target is not None and not raw:
                element = self.target.locator
                report = await agent.ask_element(element, "report", otherwise="report", **told)
            else:
                return await memory.ask("report", ordered=True, **told)
            # Asked in a session of Playwright's, which is not the one that tells of events.
            await memory.activity.barrier()
        except Error:
            return {"same": False}
        return report

    @property
    def pending(self) -> bool:
        """Whether the page left, or waits for something that it asked for since the action."""
        return self._has_left() or bool(self._memory.activity.pending(self._mark))

    async def settle(self, *, patient: bool = True) -> Settled:
        """Wait for what the action started; see `Settling.after`."""
        self.settled = await self._settling.after(self.report, patient=patient, eager=True)
        return self.settled

    async def follow(self) -> None:
        """Watch and settle after the fact, where the action could not be watched itself."""
        with suppress(Error):  # a page on its way elsewhere need not be watched
            if not self.pending and self._memory.tab.dialog is None:
                opened = self._memory.tab.dialog_opened.is_set
                await self._memory.activity.race(self.begin(), opened)
        await self.settle()

    async def tell(self, answer: Answer, *, own: bool = False) -> None:
        """Add what changed; with `own` the answer tells of a change already."""
        memory, tab = self._memory, self._memory.tab
        after = None
        if not self.settled.navigated and not self._is_lost():
            after = await self._look()
        answer.add(self.settled.unfinished)
        if self._is_lost():
            return
        if self.settled.navigated:
            await add_page(answer, memory)
            return
        if invalid := self.settled.report.get("invalid"):
            answer.add(f"The page does not take {invalid}")
        if foreign := self.settled.report.get("foreign"):
            answer.add(f"{foreign!r} is for another program, and was not opened.")
        url = after.url if after else tab.page.url
        if self.before is not None and url != self.before.url:
            answer.add(f"URL: {url}")
        if after is not None:
            if self.before is not None and after.title != self.before.title:
                answer.add(f"Title: {quoted(after.title)}")
                own = True
            self._add_difference(answer, after, own=own)
        elif self._is_quick():
            answer.add("The page keeps changing: take a snapshot.")
        else:
            self._add_texts(answer)

    def _is_lost(self) -> bool:
        """Whether nobody would answer: a dialog is open, or the document is about to go."""
        tab = self._memory.tab
        return tab.dialog is not None or not tab.alive or self._memory.activity.leaving

    async def _look(self) -> Snapshot | None:
        """Return a snapshot of the settled page, None if there is none to be had.

        It is taken while changes may still go on; if they did, or the page left meanwhile, the
        page is given its time and looked at again.
        """
        for _ in range(ATTEMPTS):
            if self._is_quick():
                after, changes = await self._glance()
                if after and (self.settled.sure or changes == self.settled.report["changes"]):
                    return after
            elif self.settled.sure:
                return None
            self.settled = await self._settling.after(self.report)
            if self.settled.navigated or self._is_lost():
                return None
        return None

    async def _glance(self) -> tuple[Snapshot | None, int]:
        """Return a snapshot and the number of changes then, None if the page left meanwhile."""
        memory = self._memory
        watching = memory.activity.race(self.report(), self._is_gone)
        try:
            after, report = await asyncio.gather(
                memory.activity.race(memory.look(), self._is_gone), watching
            )
        except Error:
            if not self._is_gone():
                raise
            return None, 0
        if after is not None and report and not self.settled.sure:
            report = await self._rested(report)
        if after is None or self.pending:
            return None if self._has_left() else after, -1
        return after, (report or {}).get("changes", -1)

    async def _rested(self, report: dict[str, Any]) -> dict[str, Any]:
        """Return the report after a pause: what changes often changes more, or leaves, at once."""
        left = PAUSE - float(report.get("idle", 0)) / 1000
        if left <= 0:
            return report
        await asyncio.sleep(left)
        return await self._memory.activity.race(self.report(), self._is_gone) or {}

    def _is_quick(self) -> bool:
        return self._memory.is_quick(self.settled.report.get("size", 0))

    def _has_left(self) -> bool:
        activity = self._memory.activity
        return activity.leaving or activity.commits > self._mark.commits

    def _is_gone(self) -> bool:
        return self._has_left() or self._is_lost()

    def _add_difference(self, answer: Answer, after: Snapshot, *, own: bool) -> None:
        before = self.before
        changes = compare(before, after) if before is not None else []
        if changes:
            answer.add("Changed:", describe(changes, after, self._memory.refs, answer.left))
        elif before is None and self.settled.report.get("outside"):
            answer.add("The page changed; `snapshot` shows it.")
        else:
            answer.add("Nothing else changed." if own else "Nothing on the page changed.")

    def _add_texts(self, answer: Answer) -> None:
        """Add the texts that changed on a page that is too large to be compared as a whole."""
        report = self.settled.report
        if not report.get("outside"):
            answer.add("Nothing on the page changed.")
            return
        answer.add(
            "The page is too large to be compared. `snapshot` with `text` finds what you need."
        )
        if texts := report.get("texts", [])[:TEXTS]:
            answer.add("Changed text:", *(f"~ {text}" for text in texts))
