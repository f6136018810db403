"""The calls under way, and the last ones of each caller, for who begins to watch later."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import Protocol

from strap import ActionError, Call, record

MOST = 500
"""Calls of one caller that are kept."""
CALLERS = 64
"""Callers whose calls are kept; one more, and those of the first are forgotten."""
LONGEST = 600
"""Characters of an answer that are kept."""
TOLD = ("url", "ref", "selector", "text", "key", "x", "y")
"""Fields that say what a call is about, as far as they are no values to enter."""
FINDS = ("ref", "selector")
VALUES = frozenset({("type", "text"), ("dialog", "text"), ("cookies", "text")})


@record(frozen=False)
class CallNote:
    """One call: what it did where, and what was answered."""

    call: Call
    profile: str
    key: str
    at: float = field(default_factory=time.time)
    """Seconds since 1970."""
    seconds: float | None = None
    """How long it took, None while it goes on."""
    answer: str = ""
    failed: bool = False
    elements: tuple[str, ...] = ()
    """What the elements are called that it is about."""
    _scope: asyncio.Timeout | None = field(default=None, init=False)
    _broken: ActionError | None = field(default=None, init=False)

    @asynccontextmanager
    async def acting(self) -> AsyncIterator[None]:
        """Act inside; raises the error with which it is broken off."""
        NOTE.set(self)
        try:
            async with asyncio.timeout(None) as self._scope:
                yield
        except TimeoutError:
            if self._broken is None or self._scope is None or not self._scope.expired():
                raise
            raise self._broken from None

    def break_off(self, error: ActionError) -> None:
        """End it at once, where it acts."""
        if self._scope is not None and self._broken is None:
            self._broken = error
            self._scope.reschedule(asyncio.get_running_loop().time())

    def end(self, answer: str, *, failed: bool = False) -> None:
        """Note what was answered."""
        self.seconds = time.time() - self.at
        self.answer, self.failed = answer[:LONGEST], failed

    @property
    def what(self) -> str:
        """The action and what it is about, without what it enters."""
        params, name = self.call.params, self.call.action
        told = [
            str(value)
            for field_name in TOLD
            if (name, field_name) not in VALUES
            and not (self.elements and field_name in FINDS)
            and (value := getattr(params, field_name, None)) is not None
        ]
        return " ".join((name, ", ".join(self.elements), *told) if self.elements else (name, *told))


NOTE: ContextVar[CallNote | None] = ContextVar("note of the call under way", default=None)


def call_is_about(element: str) -> None:
    """Note in words what the call under way is about, instead of how it was found."""
    note = NOTE.get()
    if element and note is not None and element not in note.elements:
        note.elements += (element,)


class CallListener(Protocol):
    """Who watches the calls."""

    def call_began(self, note: CallNote) -> None:
        """A call acts from now on."""

    def call_ended(self, note: CallNote) -> None:
        """It acts no more."""

    def call_noted(self, note: CallNote) -> None:
        """It is over, and what was answered is known; it need not have acted."""


class CallLog:
    """The notes of all callers."""

    def __init__(self) -> None:
        self.under_way: set[CallNote] = set()
        """The calls that act now: also for who begins to watch in the middle of one."""
        self.listener: CallListener | None = None
        self._notes: dict[str, deque[CallNote]] = {}

    @asynccontextmanager
    async def acting(self, note: CallNote) -> AsyncIterator[None]:
        """Carry out a call inside; raises the error with which it is broken off."""
        self.under_way.add(note)
        if self.listener is not None:
            self.listener.call_began(note)
        try:
            async with note.acting():
                yield
        finally:
            self.under_way.discard(note)
            if self.listener is not None:
                self.listener.call_ended(note)

    def add(self, note: CallNote) -> None:
        """Keep a note."""
        if self.listener is not None:
            self.listener.call_noted(note)
        notes = self._notes.get(note.key)
        if notes is None:
            if len(self._notes) >= CALLERS:
                del self._notes[next(iter(self._notes))]
            notes = self._notes[note.key] = deque(maxlen=MOST)
        notes.append(note)

    def of(self, key: str, profile: str) -> Iterator[CallNote]:
        """Return the notes of a caller in a profile."""
        return (note for note in list(self._notes.get(key, ())) if note.profile == profile)

    def forget(self, key: str) -> None:
        """Forget the calls of a caller that is gone, and those under its handles."""
        for known in [k for k in self._notes if k == key or k.startswith(f"{key}/")]:
            del self._notes[known]
