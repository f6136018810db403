"""Questions to those who watch a place: to do something for the agent, or for a yes."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from strap import Question, StrapError
from strap_agent.person.pause import DECLINED, DONE, Inviting, Words
from strap_live.control.hold import AWAY, Refused, Report
from strap_live.timeline import Timeline, clean

YES_LIMIT = 120.0
"""Seconds for which a yes is waited for: no longer than those who ask do."""
LONGEST = 2_000
"""Characters of a line of a question."""


TOLD = 10.0
"""Seconds between two reports to the caller that waits."""
log = logging.getLogger(__name__)


class Asking:
    """One question, until a person has had control, declines, or nobody does anything."""

    def __init__(self, text: str, limit: float, words: Words | None = None) -> None:
        """`words` tells the agent of an answer in words; None: there is none to this question."""
        self.text = text
        self._words = words
        self.until = time.time() + limit
        """When nobody is waited for any more, in seconds since 1970."""
        self._limit = limit
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def answer(self, text: str) -> None:
        """Tell the agent what came of it."""
        if not self._answer.done():
            self._answer.set_result(text)

    @property
    def takes_words(self) -> bool:
        """Whether a person may answer in words."""
        return self._words is not None

    def reply(self, words: str) -> None:
        """Take an answer in words, which the agent does not get; raises `UsageError`."""
        if self._words is not None:
            self.answer(self._words(words))

    async def invited(self, invite: Inviting) -> None:
        """Ask elsewhere as well, and take the answer; who comes from there answers here."""
        try:
            done = await invite(self.text)
        except StrapError as error:
            log.debug("Nobody was invited: %s", error)
            return
        if isinstance(done, str):
            self._reply_from_elsewhere(done)
        elif done is not None:
            self.answer(DONE if done else DECLINED)

    def _reply_from_elsewhere(self, words: str) -> None:
        try:
            self.reply(words)
        except StrapError as error:
            self.answer(f"{DECLINED} {error}" if words.strip() else DONE)

    async def wait(self, report: Report, busy: Callable[[], bool]) -> str:
        """Return what came of it; whoever is `busy` with it at the end of the time may finish."""
        began = time.monotonic()
        while not self._answer.done():
            waited = time.monotonic() - began
            if waited >= self._limit and not busy():
                return f"Nobody took control within {self._limit:.0f} s."
            left = self._limit - waited
            await asyncio.wait({self._answer}, timeout=min(TOLD, left) if left > 0 else TOLD)
            if not self._answer.done():
                await report(f"waiting for a person ({time.monotonic() - began:.0f} s)")
        return self._answer.result()


class Questions:
    """The open questions of one place, shown to everybody who looks."""

    def __init__(
        self,
        timeline: Timeline,
        hide: Callable[[str], str],
        changed: Callable[[], None],
        busy: Callable[[], bool],
        is_there: Callable[[], bool],
    ) -> None:
        """`changed` is called when others are open; `busy` tells whether a person has control.

        `is_there` tells whether somebody watches who may answer.
        """
        self._timeline = timeline
        self._hide = hide
        self._changed = changed
        self._busy = busy
        self._watched = is_there
        self._asking: Asking | None = None
        self._numbers = count(1)
        self._open: dict[int, tuple[dict[str, Any], asyncio.Future[bool]]] = {}
        self._seen = -AWAY

    @property
    def is_watched(self) -> bool:
        """Whether somebody watches who may take part."""
        return self._watched()

    @property
    def near(self) -> bool:
        """Whether somebody watches, or did a moment ago: a window may be loaded anew."""
        now = time.monotonic()
        if self._watched():
            self._seen = now
        return now - self._seen < AWAY

    @property
    def waiting(self) -> bool:
        """Whether a yes is waited for."""
        return bool(self._open)

    def as_state(self) -> Mapping[str, Any]:
        """Return what is open, as viewers are told it: of several the one that was asked first."""
        asking = self._asking
        return {
            "ask": {"text": asking.text, "until": asking.until, "words": asking.takes_words}
            if asking
            else None,
            "confirm": next((message for message, _ in self._open.values()), None),
        }

    async def ask(
        self,
        text: str,
        limit: float,
        report: Report,
        invite: Inviting | None = None,
        words: Words | None = None,
    ) -> str:
        """Show what the agent asks for and return what came of it.

        `invite` asks a person elsewhere at the same time; `words` takes an answer in words.
        """
        asking = self._asking = Asking(clean(self._hide(text)), limit, words)
        self._changed()
        inviting = None if invite is None else asyncio.create_task(asking.invited(invite))
        try:
            return await asking.wait(report, self._busy)
        finally:
            if inviting is not None:
                inviting.cancel()
            self._asking = None
            self._changed()

    async def ask_person(
        self,
        reason: str,
        limit: float,
        invite: Inviting | None = None,
        words: Words | None = None,
    ) -> str:
        """Show what the agent of a run asks for; return what came of it."""
        self._timeline.add("note", f"The agent asks: {reason}")
        return await self.ask(reason, limit, _report_nothing, invite, words)

    def answer(self, text: str) -> None:
        """Answer what the agent asks for."""
        if self._asking is not None:
            self._asking.answer(text)

    def reply(self, words: str) -> None:
        """Answer in words what the agent asks for; raises `UsageError`."""
        if self._asking is not None:
            self._asking.reply(words)

    async def confirm(self, question: Question) -> bool:
        """Ask for a yes; return whether it was given, and wait for an answer for ever."""
        number, loop = next(self._numbers), asyncio.get_running_loop()
        answer: asyncio.Future[bool] = loop.create_future()
        parts = question.parts.items()
        message = {
            "number": number,
            "action": question.action,
            "wish": question.wish,
            "parts": [[name, _lines(self._hide(value))] for name, value in parts],
            "until": time.time() + YES_LIMIT,
        }
        self._open[number] = message, answer
        about = f" {question.target}" if question.target else ""
        self._timeline.add("note", f"{question.action}{about} waits for a person's yes")
        self._changed()
        try:
            return await answer
        finally:
            del self._open[number]
            self._changed()

    def say(self, number: int, *, yes: bool) -> str:
        """Answer a question; returns for which action. Raises `Refused` for one that is over."""
        message, answer = self._open.get(number, ({}, None))
        if answer is None or answer.done():
            raise Refused("That was answered already.")
        answer.set_result(yes)
        return str(message["action"])


def _lines(text: str) -> list[str]:
    return [clean(line, LONGEST) for line in text.split("\n")]


async def _report_nothing(_: str) -> None:
    """The progress of a run is told by the run."""
