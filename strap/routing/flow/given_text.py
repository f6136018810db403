"""The text that the model gave to sites, to tell it from what a page sends by itself."""

from collections import deque
from collections.abc import Iterable

from strap.routing.flow.spellings import all_grams, folded, grams, plain_views, undone

SHORTEST = 6
"""Letters and digits of a value that is looked for: shorter ones are in many requests."""
LONG = 15
"""Letters and digits from which on a value has a gram wherever it begins."""
MOST_VALUES = 500
"""Short values that are kept in mind."""
MOST_GRAMS = 500_000
"""Grams kept, of half a megabyte; after more any request may carry what the model gave."""


class GivenText:
    """Texts that a session gave to sites."""

    def __init__(self) -> None:
        self._grams: set[int] = set()
        self._values: deque[str] = deque(maxlen=MOST_VALUES)

    def add(self, texts: Iterable[str]) -> None:
        """Keep what is given."""
        texts = dict.fromkeys(texts)
        for plain in map(folded, texts):
            if SHORTEST <= len(plain) < LONG and plain not in self._values:
                self._values.append(plain)
        for view in {view for text in texts for view in undone(text)}:
            self._grams |= all_grams(folded(view))

    def is_in(self, text: str) -> bool:
        """Whether a text carries some of it."""
        if len(self._grams) > MOST_GRAMS:
            return True
        for plain, _ in plain_views(text):
            if any(value in plain for value in self._values):
                return True
            if not self._grams.isdisjoint(grams(plain)):
                return True
        return False
