"""What happened in a place, in the order in which it happened, as viewers are shown it."""

import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal

from strap_browser.api import without_secrets

Kind = Literal[
    "call", "think", "act", "step", "console", "network", "page", "dialog", "download", "person",
    "note",
]  # fmt: skip
Entry = dict[str, Any]
LONGEST = 600
"""Characters of a text: a page makes them as long as it likes."""
MOST = 500
"""Entries that are kept: an hour of an agent at work."""
KEPT = ("person", "note", "call")
"""Kinds that are noted while a person has the page in hand."""
HIDDEN = ("Cc", "Cf", "Cs", "Co")
"""Unicode categories that are not shown: control and formatting characters turn texts around."""


def clean(text: str, limit: int = LONGEST) -> str:
    """Return a foreign text without what hides or turns other texts, on one line, cut."""
    shown = "".join(
        " " if unicodedata.category(each) in ("Cc", "Zl", "Zp") else each
        for each in text[: limit * 4]
        if unicodedata.category(each) not in HIDDEN or each in "\n\r\t"
    )
    line = " ".join(shown.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class Timeline:
    """The last entries of a place; `listeners` are told of each as it comes."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self.listeners: list[Callable[[Entry], None]] = []
        self._hide = hide
        self._entries: deque[Entry] = deque(maxlen=MOST)
        self._last = 0
        self.private = False
        """Whether a person has the page in hand: what it says then may be what they typed."""

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        at: float | None = None,
        bad: bool = False,
        seconds: float | None = None,
        page: str | None = None,
        **more: Any,
    ) -> None:
        """Note what happened `at` (seconds since 1970; now), and how long it took.

        `more` is told as it is: nothing in it may be hostile or secret.
        """
        if self.private and kind not in KEPT:
            return
        self._last += 1
        entry: Entry = {
            "type": "entry",
            "n": self._last,
            "at": round(at or time.time(), 3),
            "kind": kind,
            "text": clean(without_secrets(self._hide(text))),
            "bad": bad,
            **more,
        }
        if seconds is not None:
            entry["ms"] = round(seconds * 1_000)
        if page is not None:
            entry["page"] = page
        self._entries.append(entry)
        for listener in list(self.listeners):
            listener(entry)

    def person(self, did: str, seconds: float | None = None) -> None:
        """Note what a person did, and how long it had lasted."""
        self.add("person", f"A person {did}", seconds=seconds)

    def since(self, number: int) -> Iterator[Entry]:
        """Return the entries that came after the one of this number."""
        return (entry for entry in list(self._entries) if entry["n"] > number)
