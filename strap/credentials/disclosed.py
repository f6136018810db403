"""Values that were obtained for secrets so far, which no answer may show."""

import re
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

CODE = ".code"
"""The end of the name by which a call takes the one-time code of a secret."""
KEPT = 3_600.0
"""Seconds for which a code is masked: as long as the longest run that entered it."""
MOST_CODES = 100
"""Codes masked at a time: more of them would mask numbers that are none."""
SHORT = 8
"""Characters below which a value is masked as a code is: it may be a part of other words."""
MOST_VALUES = 1_000
"""Values masked at a time: a vault that gives another one each minute fills it in a day."""
_SIGNS, _WORDS = " \t\r\n\u00a0\u2009\u202f+.\u2013-", ("%20", "&nbsp;")
"""Signs that pages write between the digits of a code, up to three times."""
_GAP = f"(?:[{re.escape(_SIGNS)}]|{'|'.join(_WORDS)})"
_NO_SIGNS = dict.fromkeys(map(ord, _SIGNS))


class Disclosed:
    """Values obtained in this process, shared by all copies of its secrets."""

    def __init__(self) -> None:
        self.version = 0
        """Rises with each new value."""
        self.answers: dict[str, Any] = {}
        """The secrets that a person told in this process, by their names."""
        self.values: dict[str, str] = {}
        """The names by the values, the oldest first."""
        self._codes: deque[tuple[str, str, float]] = deque(maxlen=MOST_CODES)

    def add(self, name: str, value: str) -> None:
        """Mask a value from now on; a code, or a short one, where it stands alone."""
        if name.endswith(CODE) or len(value) < SHORT:
            self._codes.append((value, name, time.monotonic() + KEPT))
        elif value not in self.values:
            self.values[value] = name
            if len(self.values) > MOST_VALUES:
                del self.values[next(iter(self.values))]
            self.version += 1

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield where codes are in a text, and their names."""
        now = time.monotonic()
        codes = {bare(code): name for code, name, until in self._codes if now < until}
        if not codes:
            return
        # Most texts have none, which is soon clear, also in megabytes of numbers.
        joined = text.translate(_NO_SIGNS)
        for word in _WORDS:
            joined = joined.replace(word, "")
        if patterns := [_pattern(code) for code in codes if code in joined]:
            for match in re.finditer("|".join(patterns), text):
                yield *match.span(), codes[re.sub(_GAP, "", match[0])]

    def of(self, name: str) -> list[str]:
        """Return the values of one name that are masked."""
        now = time.monotonic()
        codes = [code for code, owner, until in self._codes if owner == name and now < until]
        return codes + [value for value, owner in self.values.items() if owner == name]


def bare(code: str) -> str:
    """Return a code without the signs that people and pages write in it."""
    return code.translate(_NO_SIGNS)


def _pattern(code: str) -> str:
    """Return what matches a code that stands alone: among digits, or a word among letters."""
    edge = r"\d" if code.isdigit() else r"\w"
    inner = f"{_GAP}{{0,3}}".join(map(re.escape, code))
    return f"(?<!{edge}){inner}(?!{edge})"
