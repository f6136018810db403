"""The text that the model gave to sites, to tell it from what a page sends by itself."""

from collections import deque

from strap.routing.flow.spellings import STRIDE, folded, grams, views

SHORTEST = 6
"""Letters and digits of a value that is looked for: shorter ones are in many requests."""
LONG = 15
"""Letters and digits from which on a value has a gram wherever it begins."""
MOST_VALUES = 500
"""Short values that are kept in mind."""
MOST_GRAMS = 500_000
"""Grams kept, of 2 MB; after more any request may carry what the model gave."""


class GivenText:
    """What a session gave to sites."""

    def __init__(self) -> None:
        self._grams: set[int] = set()
        self._values: deque[str] = deque(maxlen=MOST_VALUES)

    def add(self, text: str) -> None:
        """Keep what is given."""
        for plain in {folded(view) for view in views(text)}:
            if len(plain) >= LONG:
                self._grams.update(grams(plain))
            elif len(plain) >= SHORTEST and plain not in self._values:
                self._values.append(plain)

    def is_in(self, text: str) -> bool:
        """Whether a text carries some of it."""
        if len(self._grams) > MOST_GRAMS:
            return True
        for plain in {folded(view) for view in views(text)}:
            if any(value in plain for value in self._values):
                return True
            if not all(self._grams.isdisjoint(grams(plain, n)) for n in range(STRIDE)):
                return True
        return False
