"""A run that waits for a person: its clock stands still, and its agent is told afterwards."""

import time
from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

from strap import Question
from strap_agent.workers.pool import Worker

Cause = Literal["hold", "ask", "yes"]
"""A person paused it or has control; the agent asked for one; or a person is asked for a yes."""
TOLD: dict[Cause, str] = {
    "hold": "paused by a person",
    "ask": "waits for a person",
    "yes": "waits for a person's yes",
}
ASK_LIMIT = 120.0
"""Seconds that the agent waits for somebody to answer it."""
NOBODY = "Nobody watches: go on without a person."
DONE, DECLINED = "The person says that it is done.", "The person declined."
Words = Callable[[str], str]
"""Takes an answer in words and returns what the agent is told; raises `UsageError`."""
Parked = Callable[[], None]
Inviting = Callable[[str], Awaitable[bool | str | None]]
"""Asks a person elsewhere: True: it is done; None: they come to the live view; False: no; a text
is their answer."""


class Person(Protocol):
    """Somebody who watches a run, and may be asked."""

    @property
    def is_watched(self) -> bool:
        """Whether somebody watches who may act."""

    async def ask_person(
        self,
        reason: str,
        limit: float,
        invite: "Inviting | None" = None,
        words: "Words | None" = None,
    ) -> str:
        """Show what the agent asks for; return what came of it, by `words` for an answer."""

    @property
    def near(self) -> bool:
        """Whether somebody watches who may act, or did a moment ago."""

    async def confirm(self, question: Question) -> bool:
        """Ask for a yes to what the agent is about to do."""


class Pause:
    """Pause of one run's agent, for one cause or for two."""

    def __init__(self, listener: Callable[[str], None]) -> None:
        """`listener` hears of every pause that begins or ends."""
        self._listener = listener
        self._causes: set[tuple[Cause, object]] = set()
        """Each with whom it is due to: a run may have its pages from two places in hand."""
        self._since = self._before = 0.0
        self._parked: list[Parked] = []
        self._number = 0
        """That of the last order to wait: an answer to an earlier one tells nothing."""
        self._notes: list[str] = []
        self._worker: Worker | None = None

    @property
    def on(self) -> bool:
        """Whether the agent waits, or is about to."""
        return bool(self._causes)

    @property
    def cause(self) -> Cause | None:
        """Why the agent waits, the yes that it needs first; None while it does not."""
        return max((cause for cause, _ in self._causes), default=None)

    @property
    def seconds(self) -> float:
        """How long the run has been paused, all in all."""
        return self._before + (time.monotonic() - self._since if self.on else 0)

    def works(self, worker: Worker) -> None:
        """Take note of the worker, before it is told of its run."""
        self._worker = worker
        if self.on:
            worker.post("pause", number=self._number)

    def ends(self) -> None:
        """The worker is gone: nothing of the agent is under way any more."""
        self._worker = None
        self.parked(self._number)

    def begin(self, cause: Cause, parked: Parked | None = None, by: object = None) -> bool:
        """Let no further action begin; returns whether none is under way.

        Else `parked` is called as soon as that is so. `by` tells apart who has the same cause.
        """
        if not self.on:
            self._since = time.monotonic()
            self._listener(TOLD[cause])
        self._causes.add((cause, by))
        if self._worker is None:
            return True
        if parked is not None:
            self._parked.append(parked)
        if cause == "hold":
            self._number += 1
            self._worker.post("pause", number=self._number)
        return False

    def end(self, cause: Cause, note: str = "", by: object = None) -> None:
        """Take away a cause; with the last one the agent goes on, told of what happened.

        Where a yes was waited for, the answer to that is what it goes on by.
        """
        if (cause, by) not in self._causes:
            return
        if note and note not in self._notes:
            self._notes.append(note)
        lasted = time.monotonic() - self._since
        self._causes.discard((cause, by))
        if self.on:
            return
        self._before += lasted
        self._listener(f"goes on after {lasted:.0f} s")
        notes, self._notes = self._notes, []
        if self._worker is not None and notes:
            self._worker.post("resume", note=" ".join(notes))

    def parked(self, number: int) -> None:
        """The worker says that nothing is under way, since an order to wait of this number."""
        if number == self._number:
            parked, self._parked = self._parked, []
            for callback in parked:
                callback()
