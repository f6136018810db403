"""Finding the lines of an outline that contain a text, and what to show of the long ones."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from strap_browser.snapshot.items import SnapshotItem

LONG = 400
"""Characters of a line up to which all of it is shown."""
AROUND = 120
"""Characters of a long text that are shown on each side of a match."""
NEIGHBOURS = 1
"""Cells, links and texts of a long line that are shown on each side of a match."""
MOST = 12
"""Matches that are shown of one line."""
LEFT_OUT = "…"
_WORD = re.compile(r"\w+")


class Match(NamedTuple):
    """A line that was found: `path` leads to it, `terms` are what was found there."""

    path: tuple[SnapshotItem, ...]
    terms: tuple[str, ...]

    @property
    def item(self) -> SnapshotItem:
        """The item of the line."""
        return self.path[-1]

    @property
    def shown_terms(self) -> tuple[str, ...]:
        """First of the terms that one text of the line contains; all of them, if none does."""
        pieces = [_own_text(part) for part in _parts(self.item)]
        return next(((t,) for t in self.terms if any(t in text for text in pieces)), self.terms)

    def excerpt(self) -> SnapshotItem:
        """Return the item with what a long line has around its matches."""
        item = self.item
        if len(_text_of(item)) <= LONG:
            return item
        body, children = _around(item.body, self.terms), item.children
        if item.separator:
            children = _neighbourhood(children, self.terms)
        return replace(item, body=body, children=children)


def search(items: list[SnapshotItem], text: str) -> list[Match]:
    """Return the lines with `text` in them, else those with all of its words."""
    folded_text = " ".join(text.split()).casefold()
    lines = [(path, _text_of(path[-1])) for path in _lines(items, ())]
    exact = [path for path, content in lines if folded_text in content]
    words = tuple(dict.fromkeys(_WORD.findall(folded_text)))
    if exact or not words:
        return [Match(path, (folded_text, *words)) for path in exact]
    return [
        Match(path, words) for path, content in lines if set(words).issubset(_WORD.findall(content))
    ]


def _lines(
    items: list[SnapshotItem], above: tuple[SnapshotItem, ...]
) -> Iterator[tuple[SnapshotItem, ...]]:
    for item in items:
        path = (*above, item)
        yield path
        if not item.separator:
            yield from _lines(item.children, path)


def _parts(item: SnapshotItem) -> Iterable[SnapshotItem]:
    return item.walk() if item.separator else (item,)


def _text_of(item: SnapshotItem) -> str:
    return " ".join(map(_own_text, _parts(item)))


def _own_text(item: SnapshotItem) -> str:
    return f'{item.label} "{item.name}" {item.body} {item.url}'.casefold()


def _neighbourhood(children: list[SnapshotItem], terms: tuple[str, ...]) -> list[SnapshotItem]:
    """Return the children that match and those beside them; `…` stands for the others."""
    texts = [_text_of(child) for child in children]
    # What spans several children is found by its words.
    for term in terms:
        hits = [index for index, text in enumerate(texts) if term in text]
        if hits:
            break
    near = range(-NEIGHBOURS, NEIGHBOURS + 1)
    near_hits = {hit + step for hit in hits[:MOST] for step in near}
    shown: list[SnapshotItem] = []
    for index, child in enumerate(children):
        if index in near_hits:
            cut = (
                child
                if len(texts[index]) <= LONG
                else replace(child, body=_around(child.body, terms))
            )
            shown.append(cut)
        elif not shown or shown[-1].body != LEFT_OUT:
            shown.append(SnapshotItem("text", role="text", body=LEFT_OUT))
    return shown


def _around(text: str, terms: tuple[str, ...]) -> str:
    """Return a long text from a little before the first match to a little after it."""
    if len(text) <= LONG:
        return text
    folded = text.casefold()
    at, term = next(((folded.find(t), t) for t in terms if t in folded), (0, ""))
    begin, end = max(0, at - AROUND), at + len(term) + AROUND
    head = LEFT_OUT + text[begin:end].partition(" ")[2] if begin else text[:end]
    return head if end >= len(text) else head.rpartition(" ")[0] + LEFT_OUT
