"""The grammar of targets: from a text to a `Target`, and back to the same text.

target  = element [ place ] { " in " element } ;
element = ( role [ name ] | name ) { mark } | mark { mark } ;
name    = a JSON string, whose last sign `*` stands for any end ;
mark    = "#" value | "testid:" value | "field:" value ;
value   = a JSON string, or a word without blanks and quotes ;
place   = number " of " number ;
"""

import json
import re
from collections.abc import Iterator

from strap.errors import UsageError
from strap.records import record
from strap.targets.roles import ROLES

LONGEST = 2_000
"""Characters of a target, as of a selector."""
DEEPEST = 8
"""Elements of a target: more containers tell no more."""
MARKS = {"#": "id", "testid:": "testid", "field:": "field"}
SIGNS = {kind: sign for sign, kind in MARKS.items()}
SNAPSHOT_WORDS = frozenset(
    ("clickable", "columns", "frame", "iframe", "text", *(f"h{level}" for level in range(1, 7)))
)
"""Words for elements in snapshots, beside the roles of ARIA."""
WORDS = ROLES | SNAPSHOT_WORDS
_BLANKS = re.compile(r"\s*")
_WORD = re.compile(r"[a-z][a-z0-9-]*(?!\S)")
_BARE = re.compile(r'[^\s"]+')
_IN = re.compile(r"in(?=\s)")
_PLACE = re.compile(r"(\d{1,6})\s+of\s+(\d{1,6})(?!\S)")
_DECODER = json.JSONDecoder()


@record
class Mark:
    """Mark by a page's author on an element: an id, a test id, or the name of a field."""

    kind: str
    value: str


@record
class Part:
    """One element of a target, by its role, its name, and its marks."""

    role: str = ""
    name: str | None = None
    open_end: bool = False
    """Whether `name` is only how the name begins."""
    marks: tuple[Mark, ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether it says something that a snapshot shows."""
        return bool(self.role) or self.name is not None

    def names(self, text: str) -> bool:
        """Whether the name fits a text; blanks count as one."""
        if self.name is None:
            return True
        own, text = squeezed(self.name), squeezed(text)
        return text.startswith(own) if self.open_end else text == own

    def __str__(self) -> str:
        """Return it as `parse_target` reads it."""
        marks = (f"{SIGNS[mark.kind]}{_value(mark.value)}" for mark in self.marks)
        name = [] if self.name is None else [_quoted(self.name, open_end=self.open_end)]
        return " ".join((*filter(None, (self.role,)), *name, *marks))


@record
class Target:
    """An element, the containers that it is in, the nearest first, and its place among equals."""

    element: Part
    within: tuple[Part, ...] = ()
    place: tuple[int, int] | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The element and its containers."""
        return (self.element, *self.within)

    def __str__(self) -> str:
        """Return it as `parse_target` reads it."""
        first = str(self.element)
        if self.place is not None:
            first += " {} of {}".format(*self.place)
        return " in ".join((first, *map(str, self.within)))


def parse_target(text: str) -> Target:
    """Return the target that a text says; raises `UsageError`, which tells where it ends."""
    if len(text) > LONGEST:
        raise UsageError(f"A target has at most {LONGEST:,} characters.")
    reader = _Reader(text)
    parts, place = [reader.part()], reader.place()
    while reader.takes(_IN):
        parts.append(reader.part())
    reader.end()
    if len(parts) > DEEPEST:
        raise UsageError(f"A target has at most {DEEPEST} elements, one in the other.")
    return Target(element=parts[0], within=tuple(parts[1:]), place=place)


def squeezed(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())


class _Reader:
    """A text and how far it was read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def takes(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what fits, after blanks."""
        blanks = _BLANKS.match(self._text, self._at)
        match = pattern.match(self._text, blanks.end() if blanks else self._at)
        if match:
            self._at = match.end()
        return match

    def part(self) -> Part:
        word = self.takes(_WORD)
        role = word[0] if word else ""
        name, open_end = self._name()
        marks = tuple(self._marks())
        if not (role or marks) and name is None:
            raise self._wrong("a role, a name in quotes, #id or testid:…")
        if role and role not in WORDS:
            raise UsageError(f"{role!r} is not a valid role.")
        return Part(role=role, name=name, open_end=open_end, marks=marks)

    def place(self) -> tuple[int, int] | None:
        match = self.takes(_PLACE)
        if match is None:
            return None
        number, count = int(match[1]), int(match[2])
        if not 1 <= number <= count:
            raise UsageError(f"There is no place {number} of {count}.")
        return number, count

    def end(self) -> None:
        if self._text[self._at :].strip():
            raise self._wrong("`in` and a container, or nothing")

    def _name(self) -> tuple[str | None, bool]:
        if not self._rest().startswith('"'):
            return None, False
        began = self._at
        value = self._string()
        # An asterisk that belongs to the name is written as \u002a.
        open_end = self._text[began : self._at].endswith('*"')
        return (value[:-1] if open_end else value), open_end

    def _marks(self) -> Iterator[Mark]:
        while sign := next((sign for sign in MARKS if self._rest().startswith(sign)), None):
            self._skip()
            self._at += len(sign)
            yield Mark(kind=MARKS[sign], value=self._mark_value(sign))

    def _mark_value(self, sign: str) -> str:
        if self._text.startswith('"', self._at):
            value = self._string()
        else:
            match = _BARE.match(self._text, self._at)
            value = match[0] if match else ""
            self._at += len(value)
        if not value:
            raise UsageError(f"The value after {sign!r} is missing.")
        return value

    def _string(self) -> str:
        self._skip()
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except ValueError:
            raise self._wrong("a string as in JSON") from None
        return str(value)

    def _skip(self) -> None:
        blanks = _BLANKS.match(self._text, self._at)
        self._at = blanks.end() if blanks else self._at

    def _rest(self) -> str:
        return self._text[self._at :].lstrip()

    def _wrong(self, expected: str) -> UsageError:
        rest = self._rest()[:60]
        actual = repr(rest) if rest else "nothing"
        return UsageError(f"A target has {expected} here, not {actual}.")


def _quoted(name: str, *, open_end: bool) -> str:
    text = json.dumps(name, ensure_ascii=False)[1:-1]
    if text.endswith("*"):
        text = text[:-1] + "\\u002a"
    return f'"{text}*"' if open_end else f'"{text}"'


def _value(value: str) -> str:
    return value if _BARE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
