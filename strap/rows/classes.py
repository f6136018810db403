"""Classes: which of them tell where in a record something stands, and which tell records apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from strap.rows.elements import Record, tokens

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

_SHARE = 0.3
"""Share of the records that must have a class at a place, for it to be part of the place."""
_NEARLY = 0.8
"""Share of the records that have a class that tells nothing of one of them."""
_TURN = re.compile(r"\d+|(?:\b|_)(?:odd|even|alt)(?:\b|_)|(?<=[a-z])(?:Odd|Even|Alt)(?![a-z])")


@lru_cache(maxsize=5_000)  # each stands in ever so many records
def plain(token: str) -> str:
    """Return a class without what may change from record to record: `row0`, `row-odd`, `rating5`.

    >>> [plain(each) for each in ("row0", "row-odd", "even", "rowAlt", "event")]
    ['row', 'row-', '', 'row', 'event']
    """
    return _TURN.sub("", token)


class Classes:
    """Meaning of CSS classes in records: for the place of an element, or for one record."""

    def __init__(self, records: "Sequence[Record]") -> None:
        held = [_held(record) for record in records]
        self._parting = frozenset(key for known in held for key, own in known.items() if own > 1)
        count = Counter(key for record in records for key in self._names(record))
        least = max(2, _SHARE * len(records))
        self._stable = frozenset(key for key, often in count.items() if often >= least)
        most = max(2, _NEARLY * len(records))
        self._constant = frozenset(key for key, often in count.items() if often >= most)

    def of_place(self, element: "HtmlElement") -> str:
        """Return the class that is part of an element's place, "" for none."""
        names = (self._name(element.tag, token) for token in tokens(element))
        return next((name for name in names if name and (element.tag, name) in self._stable), "")

    def own(self, element: "HtmlElement") -> list[str]:
        """Return the words among an element's classes that are not those of nearly every record."""
        words = [token for token in tokens(element) if token.isalpha()]
        known = self._constant
        return [word for word in words if (element.tag, self._name(element.tag, word)) not in known]

    def _name(self, tag: str, token: str) -> str:
        """`rating5` is `rating` where no record has two of that kind, as `col1` and `col2`."""
        return token if (tag, plain(token)) in self._parting else plain(token)

    def _names(self, record: "Record") -> set[tuple[str, str]]:
        return {
            (element.tag, self._name(element.tag, token)) for element, token in _all_classes(record)
        }


def _held(record: "Record") -> dict[tuple[str, str], int]:
    """How many different classes the record has of each kind."""
    spellings: dict[tuple[str, str], set[str]] = defaultdict(set)
    for element, token in _all_classes(record):
        spellings[element.tag, plain(token)].add(token)
    return {key: len(known) for key, known in spellings.items()}


def _all_classes(record: "Record") -> "list[tuple[HtmlElement, str]]":
    return [
        (element, token)
        for top in record
        for element in top.iter()
        if isinstance(element.tag, str)
        for token in tokens(element)
    ]
