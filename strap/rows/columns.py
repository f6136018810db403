"""Columns: what the records of a group have at the same places, and what to call it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from strap.rows.classes import Classes
from strap.rows.elements import (
    Record,
    Row,
    attribute,
    has_text,
    numbered,
    own_text,
    text_of,
    tokens,
)
from strap.rows.names import name_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

MOST = 30
"""Columns of a table that is guessed."""
_TELLING = 1_000
"""Records that tell whether the words around something are the same in all of them."""
_INDEXED = 12
"""Values at a place of a record that become columns of their own."""
_CONTROLS = frozenset(("button", "a", "input", "select", "textarea", "option", "label"))
_LABELS = frozenset(("dt", "th", "label"))
_LABELLED = re.compile(r"([^\W\d][^:\n]{0,30}):\s+(?=\S)")


@dataclass(slots=True)
class Piece:
    """A value in a record: its place, of what kind it is, and the element that it is from."""

    place: str
    kind: str
    value: str
    element: "HtmlElement"


@dataclass(slots=True)
class _Column:
    place: str
    kind: str
    order: float = 0.0
    values: dict[int, str] = field(default_factory=dict)
    element: "HtmlElement | None" = None
    label: str = ""


def tabulate(records: "Sequence[Record]", url: str) -> tuple[list[str], list[Row]]:
    """Return the names of the columns, and a row for each record with what it has of them."""
    reader = _Reader(records, url)
    columns = _columns([reader.pieces(record) for record in records])
    columns = _labelled(_telling(columns, len(records)), len(records))
    columns.sort(key=lambda column: column.order)
    names = _named(columns[:MOST])
    rows = [
        {
            name: column.values[at]
            for name, column in zip(names, columns, strict=False)
            if at in column.values
        }
        for at in range(len(records))
    ]
    return names, rows


class _Reader:
    def __init__(self, records: "Sequence[Record]", url: str) -> None:
        self._url = url
        self._classes = Classes(records)
        self._usual = _usual(self._steps(record) for record in records)
        self._parted: frozenset[str] = frozenset()
        self._parted = self._mixed(records[:_TELLING])

    def pieces(self, record: "Record") -> list[Piece]:
        """Return the values of a record, in its order."""
        places = numbered(self._steps(record), self._usual)
        return [
            piece
            for element, place in zip(record, places, strict=True)
            for piece in self._read(element, place)
        ]

    def _steps(self, record: "Record") -> list[str]:
        """Return the step of each element of a record; the first is its tag alone."""
        return [record[0].tag, *map(self._step, record[1:])]

    def _read(self, element: "HtmlElement", place: str) -> Iterator[Piece]:
        yield from self._attributes(element, place)
        text = own_text(element)
        children = [child for child in element if isinstance(child.tag, str)]
        if text and not (children and place in self._parted):
            yield Piece(place, "text", _whole(element), element)
            for child in element.iterdescendants():
                if isinstance(child.tag, str) and child.tag in ("a", "img", "time"):
                    yield from self._attributes(child, f"{place}/{child.tag}")
            return
        if not text and not has_text(element) and next(element.iter("img"), None) is None:
            yield from self._unsaid(element, place)
            return
        for child in children:
            yield from self._read(child, f"{place}/{self._step(child)}")

    def _attributes(self, element: "HtmlElement", place: str) -> Iterator[Piece]:
        if element.tag == "a":
            href = (element.get("href") or "").strip()
            if href and not href.startswith(("#", "javascript:")):
                yield Piece(place, "url", attribute(element, "href", self._url) or "", element)
        elif element.tag == "img":
            source = next(filter(None, map(element.get, ("data-src", "data-original", "src"))), "")
            if source and not source.startswith("data:"):
                element.set("src", source)
                yield Piece(place, "image", attribute(element, "src", self._url) or "", element)
            if alt := " ".join((element.get("alt") or "").split()):
                yield Piece(place, "alt", alt, element)
        elif element.tag == "input" and element.get("value") and element.get("type") != "password":
            yield Piece(place, "value", element.get("value"), element)

    def _unsaid(self, element: "HtmlElement", place: str) -> Iterator[Piece]:
        """Yield the value of an element without text: its label or title, or its only own class."""
        name = " ".join((element.get("aria-label") or element.get("title") or "").split())
        if name:
            yield Piece(place, "text", name, element)
            return
        free = self._classes.own(element)
        if len(free) == 1 and len(tokens(element)) > 1:
            yield Piece(place, "class", free[0], element)

    def _step(self, element: "HtmlElement") -> str:
        token = self._classes.of_place(element)
        return f"{element.tag}.{token}" if token else element.tag

    def _mixed(self, records: "Sequence[Record]") -> frozenset[str]:
        """The places of texts with elements in them, whose own words are the same everywhere."""
        texts: dict[str, set[str]] = defaultdict(set)
        for record in records:
            for piece in self.pieces(record):
                if piece.kind == "text" and any(map(has_text, piece.element)):
                    texts[piece.place].add(own_text(piece.element))
        return frozenset(
            place
            for place, words in texts.items()
            if len(words) == 1 or all(not any(map(str.isalnum, word)) for word in words)
        )


def _usual(known: Iterable[Sequence[str]]) -> dict[str, int]:
    often: dict[str, Counter[int]] = defaultdict(Counter)
    for steps in known:
        for step, count in Counter(steps).items():
            often[step][count] += 1
    return {step: counts.most_common(1)[0][0] for step, counts in often.items()}


def _whole(element: "HtmlElement") -> str:
    text = text_of(element)
    if element.tag == "time" and element.get("datetime"):
        return str(element.get("datetime"))
    title = " ".join((element.get("title") or "").split())
    start = text.rstrip(".… ")
    return title if text.endswith(("…", "...")) and start and title.startswith(start) else text


def _columns(read: Sequence[Sequence[Piece]]) -> list[_Column]:
    """Put the pieces at the same place into a column; several in a record into several, or one."""
    often: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for pieces in read:
        for key, count in Counter((piece.place, piece.kind) for piece in pieces).items():
            often[key][count] += 1
    columns: dict[tuple[str, str, int], _Column] = {}
    orders: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for at, pieces in enumerate(read):
        seen: Counter[tuple[str, str]] = Counter()
        for order, piece in enumerate(pieces):
            place = piece.place, piece.kind
            at_place = (*place, seen[place] if _is_even(often[place]) else 0)
            seen[place] += 1
            new = _Column(piece.place, piece.kind, element=piece.element)
            column = columns.setdefault(at_place, new)
            orders[at_place].append(order)
            if column.values.get(at) != piece.value and piece.value:
                before = column.values.get(at)
                column.values[at] = f"{before}, {piece.value}" if before else piece.value
    for known, column in columns.items():
        column.order = sum(orders[known]) / len(orders[known])
    return [column for column in columns.values() if column.values]


def _is_even(counts: Counter[int]) -> bool:
    """Whether nearly every record has as many values at a place as the others."""
    count, often = counts.most_common(1)[0]
    return 1 < count <= _INDEXED and often >= 0.8 * counts.total()


def _telling(columns: Sequence[_Column], count: int) -> list[_Column]:
    """Leave out what tells nothing: signs, the same control in every record, what is twice."""
    chosen: list[_Column] = []
    known: list[dict[int, str]] = []
    for column in columns:
        values = set(column.values.values())
        is_same = len(values) == 1 and len(column.values) > 2
        if len(column.values) == 1 and count > 3:
            continue
        if not any(any(map(str.isalnum, value)) for value in values):
            continue
        if is_same and (column.kind != "text" or _in_control(column)):
            continue
        if column.values in known or (column.kind == "alt" and _is_said(column, columns)):
            continue
        chosen.append(column)
        known.append(column.values)
    return chosen


def _in_control(column: _Column) -> bool:
    element = column.element
    assert element is not None
    return element.tag in _CONTROLS or any(
        above.tag in ("a", "button") for above in list(element.iterancestors())[:2]
    )


def _is_said(column: _Column, columns: Sequence[_Column]) -> bool:
    return any(
        other.kind == "text"
        and sum(other.values.get(at) == value for at, value in column.values.items())
        >= 0.5 * len(column.values)
        for other in columns
    )


def _labelled(columns: Sequence[_Column], count: int) -> list[_Column]:
    """Take a text that is the same in all records for the name of the value after it."""
    ordered = sorted(columns, key=lambda column: column.order)
    chosen: list[_Column] = []
    label = ""
    for column in ordered:
        values = set(column.values.values())
        only = next(iter(values)) if len(values) == 1 and count > 1 else ""
        if column.kind == "text" and only and _is_label(column, only):
            label = only.rstrip(": ")
            continue
        column.label, label = label, ""
        _take_prefix(column)
        chosen.append(column)
    return chosen


def _is_label(column: _Column, text: str) -> bool:
    assert column.element is not None
    return text.endswith(":") or column.element.tag in _LABELS


def _take_prefix(column: _Column) -> None:
    """Take `Price:` off values that all begin with it, for their name."""
    matches = [_LABELLED.match(value) for value in column.values.values()]
    if len(matches) > 1 and all(matches) and len({match[1] for match in matches if match}) == 1:
        column.label = column.label or matches[0][1]  # type: ignore[index]
        column.values = {at: _LABELLED.sub("", value, 1) for at, value in column.values.items()}


def _named(columns: Sequence[_Column]) -> list[str]:
    names: list[str] = []
    first = next((column for column in columns if column.kind == "url"), None)
    for column in columns:
        assert column.element is not None
        values = list(column.values.values())
        is_own = column is first and not column.label
        name = base = (
            "url" if is_own else name_of(column.element, column.kind, column.label, values)
        )
        number = 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return names
