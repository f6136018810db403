"""Questions to a person before an action acts, and ways to ask them."""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Protocol

from strap.records import record
from strap.text import counted

LONGEST = 2_000
"""Characters of a value that are shown; a person reads no more."""
UNSEEN = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
"""Categories of characters that a terminal or a form acts on instead of showing them."""


@record
class Question:
    """Whether an action may act: `target` is the element by role and name, `url` where it is.

    `fields` are those of the call, with secrets by their names; `wish` says what is wanted where it
    is no action. Names and addresses are the page's own words, values the model's: `text` shows
    them so that none can pass for another line.
    """

    action: str
    target: str = ""
    url: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    wish: str = ""

    @property
    def parts(self) -> dict[str, str]:
        """Parts of the question, by name: element, address and fields."""
        parts = {"Element": self.target, "Address": self.url, **self.fields}
        return {name: _shown(value) for name, value in parts.items() if value}

    @property
    def text(self) -> str:
        """The question in words, a line for each part."""
        lines = [f"{name}: {value}" for name, value in self.parts.items()]
        return "\n".join((self.wish or f"An agent wants to do {self.action}.", *lines, "May it?"))


class Confirm(Protocol):
    """Asks a person. True is a yes, and nothing else is; silence and failure are a no.

    It is cancelled when nobody has answered in time, or the call is given up.
    """

    async def __call__(self, question: Question) -> bool:
        """Ask, and wait for the answer."""


class Invite(Protocol):
    """Shows a link to a person and asks them to do something there, which may take them long.

    True: they say that it is done; None: they went there, and what they do there tells the rest;
    False: they decline; a text is their answer to what ends with `?`. It is cancelled when it is
    done, or waited for no longer.
    """

    async def __call__(self, text: str, url: str) -> bool | str | None:
        """Ask, and wait for the answer; raises `ActionError` where nobody can be asked."""


def _always() -> bool:
    return True


@record
class Asker:
    """A place where a question may be put; it is shown there to whoever comes meanwhile.

    `there` tells whether somebody is there now who could answer: a question that nobody can answer
    anywhere is refused at once.
    """

    confirm: Confirm
    there: Callable[[], bool] = _always


def _shown(value: str) -> str:
    head = value if len(value) <= LONGEST else value[:LONGEST]
    lines = ("".join(map(_visible, line)) for line in head.split("\n"))
    left = len(value) - len(head)
    rest = f"\n  … {counted(left, 'more character')}" if left else ""
    return "\n  | ".join(lines) + rest


def _visible(character: str) -> str:
    return "\ufffd" if unicodedata.category(character) in UNSEEN else character
