"""The calls under way, and the last ones of each caller, for who begins to watch later."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import Protocol

from strap import ActionError, Call, record

MOST, MOST_CHARACTERS = 1_000, 512 * 1024
"""Calls of one caller that are kept, and the characters of all of them."""
CALLERS = 64
"""Callers whose calls are kept; one more, and those of the first are forgotten."""
LONGEST = 600
"""Characters of an answer that are kept."""
TOLD = ("url", "ref", "selector", "text", "key", "x", "y")
"""Fields that say what a call is about, as far as they are no values to enter."""
FINDS = ("ref", "selector")
OVERHEAD = 50
"""Characters that a note weighs beside its texts."""
VALUES = frozenset({("type", "text"), ("dialog", "text"), ("cookies", "text")})


@record(frozen=False)
class Evidence:
    """Evidence to find an element of a call again, in this page and in a later one."""

    raw: str
    """The page's own ref."""
    role: str = ""
    name: str = ""
    target: str = ""
    """The shortest target that fits it alone, "" where no look at the page showed it."""
    marks: dict[str, str] = field(default_factory=dict)
    """Its `testid`, `id` and `field` where no other has the same, and the `path` it leads to."""
    within: Sequence[str] = ()
    """Containers of the element, the nearest first."""
    heading: str = ""
    before: str = ""
    after: str = ""
    """The controls next to it."""
    place: tuple[int, int] | None = None
    """Its place among the elements of its role and name."""
    is_secret: bool = False
    """Whether it hides what is typed, or is for a secret."""


@record
class Outcome:
    """Outcome of a call, as far as its answer told it."""

    path: str = ""
    """The path of the address where it led elsewhere."""
    texts: Sequence[str] = ()
    """Texts that appeared, what says most first."""
    shown: str = ""
    """The target of an element that appeared."""
    requests: Sequence[str] = ()
    """Method and path of what the page sent and got an answer to."""


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
    """Names of the elements that it is about."""
    evidence: dict[str, Evidence] = field(default_factory=dict)
    """The same elements, by the `ref` or `selector` of the call."""
    outcome: Outcome | None = None
    path: str = ""
    """Path of the page's address when the call began."""
    naming: list[asyncio.Future[None]] = field(default_factory=list)
    """Evidence that is still being looked up."""
    weighed: int = 0
    """How many characters it was counted with."""
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
    def weight(self) -> int:
        """How many characters it keeps, about."""
        values = sum(len(str(value)) for value in vars(self.call.params).values())
        evidence = len(repr(self.evidence)) + len(repr(self.outcome))
        return OVERHEAD + len(self.answer) + values + evidence

    @property
    def what(self) -> str:
        """The action and what it is about, without what it enters."""
        params, name = self.call.params, self.call.action
        texts = [
            str(value)
            for field_name in TOLD
            if (name, field_name) not in VALUES
            and not (self.elements and field_name in FINDS)
            and (value := getattr(params, field_name, None)) is not None
        ]
        return " ".join(
            (name, ", ".join(self.elements), *texts) if self.elements else (name, *texts)
        )


NOTE: ContextVar[CallNote | None] = ContextVar("note of the call under way", default=None)


def call_is_about(element: str) -> None:
    """Note in words what the call under way is about, instead of how it was found."""
    note = NOTE.get()
    if element and note is not None and element not in note.elements:
        note.elements += (element,)


class CallListener(Protocol):
    """Listener to the calls."""

    def call_began(self, note: CallNote) -> None:
        """A call acts from now on."""

    def call_ended(self, note: CallNote) -> None:
        """It acts no more."""

    def call_noted(self, note: CallNote) -> None:
        """It is over, and what was answered is known; it need not have acted."""


class CallerNotes:
    """The last notes of one caller."""

    def __init__(self) -> None:
        self.notes: deque[CallNote] = deque()
        self.dropped = 0
        self._weight = 0

    def add(self, note: CallNote) -> None:
        """Keep a note, and drop the oldest ones beyond the limits."""
        if self.notes:  # evidence of the last note arrived after it was weighed
            self._weigh(self.notes[-1])
        self._weigh(note)
        self.notes.append(note)
        while len(self.notes) > MOST or (self._weight > MOST_CHARACTERS and len(self.notes) > 1):
            self._weight -= self.notes.popleft().weighed
            self.dropped += 1

    def _weigh(self, note: CallNote) -> None:
        self._weight -= note.weighed
        note.weighed = note.weight
        self._weight += note.weighed


class CallLog:
    """The notes of all callers."""

    def __init__(self) -> None:
        self.under_way: set[CallNote] = set()
        """The calls that act now: also for who begins to watch in the middle of one."""
        self.listener: CallListener | None = None
        self._notes: dict[str, CallerNotes] = {}

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
        """Keep a note, and tell of it."""
        if self.listener is not None:
            self.listener.call_noted(note)
        self.keep(note)

    def keep(self, note: CallNote) -> None:
        """Keep a note of what nobody is told."""
        notes = self._notes.get(note.key)
        if notes is None:
            if len(self._notes) >= CALLERS:
                del self._notes[next(iter(self._notes))]
            notes = self._notes[note.key] = CallerNotes()
        notes.add(note)

    def of(self, key: str, profile: str) -> Iterator[CallNote]:
        """Return the notes of a caller in a profile."""
        known = self._notes.get(key)
        notes = list(known.notes) if known else []
        return (note for note in notes if note.profile == profile)

    def dropped(self, key: str) -> int:
        """Return how many notes of a caller are kept no more."""
        known = self._notes.get(key)
        return known.dropped if known else 0

    def forget(self, key: str) -> None:
        """Forget the calls of a caller that is gone, and those under its handles."""
        for known in [k for k in self._notes if k == key or k.startswith(f"{key}/")]:
            del self._notes[known]
