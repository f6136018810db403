"""The last calls of each caller, for who begins to watch later: it has to cost calls nothing."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from strap import Call

MOST = 500
"""Calls of one caller that are kept."""
CALLERS = 64
"""Callers whose calls are kept; one more, and those of the first are forgotten."""
LONGEST = 600
"""Characters of an answer that are kept."""
TOLD = ("url", "ref", "selector", "text", "key", "x", "y")
"""Fields that say what a call is about, as far as they are no values to enter."""
VALUES = frozenset({("type", "text"), ("dialog", "text"), ("cookies", "text")})


@dataclass(kw_only=True, slots=True)
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
            and (value := getattr(params, field_name, None)) is not None
        ]
        return " ".join((name, *told))


class CallLog:
    """The notes of all callers."""

    def __init__(self) -> None:
        self._notes: dict[str, deque[CallNote]] = {}

    def add(self, note: CallNote) -> None:
        """Keep a note."""
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
