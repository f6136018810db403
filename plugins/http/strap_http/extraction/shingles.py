"""Comparing texts by the words they have in common, four in a row, and by their lines."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

SIZE = 4
# A word; in scripts without spaces between words each character is one.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")


def words(text: str) -> list[str]:
    """The words of `text` without case and punctuation."""
    return _WORD.findall(text.lower())


class Shingles:
    """The runs of one to four words that occur in a text, and its lines."""

    def __init__(self, text: str) -> None:
        lines = [words(line) for line in text.splitlines()]
        found = list(chain.from_iterable(lines))
        self.count = len(found)
        self._runs = [set(_runs(found, size)) for size in range(1, SIZE + 1)]
        self._lines = Counter(map(tuple, lines))

    def share(self, found: Sequence[str]) -> float:
        """The share of the runs of these words, 0 to 1, that occur in the text as well."""
        size = min(len(found), SIZE)
        if not size:
            return 0.0
        known = self._runs[size - 1]
        runs = list(_runs(found, size))
        return sum(run in known for run in runs) / len(runs)

    def lines(self, found: Sequence[str]) -> int:
        """How many lines of the text have just these words."""
        return self._lines[tuple(found)]


def _runs(found: Sequence[str], size: int) -> "zip[tuple[str, ...]]":
    return zip(*(found[start:] for start in range(size)), strict=False)
