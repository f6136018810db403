"""Reads a check from left to right: words, strings, regular expressions, numbers."""

import re
from collections.abc import Mapping

from strap import UsageError
from strap_cases.checks import Text
from strap_cases.values import BRACES, fill

LONGEST_REGEX = 500
"""Characters; more is no pattern that a person wrote, and compiling it may take long."""
_BLANKS = re.compile(r"\s*")
_STRING = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:\\.|[^/\\])+)/(i?)(?!\S)", re.DOTALL)
_WORD = re.compile(r"(?:\[[^\]]*\]|\S)+")  # `input[name="a b"]` is one word
_STRING_ESCAPES = {**BRACES, '"': '"', "\\": "\\", "n": "\n"}


class Scanner:
    """A check and how far it was read; every method raises `UsageError`."""

    def __init__(self, source: str, values: Mapping[str, str]) -> None:
        self.source = source
        self._values = values
        self._at = 0

    @property
    def rest(self) -> str:
        """Text that is not read yet."""
        return self.source[self._at :].strip()

    def take(self, *words: str) -> bool:
        """Read these words if they come next."""
        pattern = r"\s*" + r"\s+".join(map(re.escape, words)) + r"(?!\S)"
        match = re.compile(pattern).match(self.source, self._at)
        if match:
            self._at = match.end()
        return bool(match)

    def word(self, what: str) -> str:
        """Read one word."""
        match = self._match(_WORD)
        if not match:
            raise UsageError(f"{what} is missing")
        return fill(match[0], self._values)

    def number(self, what: str) -> int:
        """Read a whole number."""
        word = self.word(what)
        if not re.fullmatch(r"[0-9]{1,9}", word):
            hint = "; a selector with blanks goes into double quotes" if what == "a number" else ""
            raise UsageError(f"{word!r} is not {what}{hint}")
        return int(word)

    def text(self, *, may_be_empty: bool = False) -> Text:
        """Read a non-empty string in double quotes, or a regular expression."""
        if self.rest.startswith('"'):
            value = self._string()
            if not value.strip() and not may_be_empty:
                raise UsageError("the text is empty, as it is in everything")
            return Text(value=value)
        if match := self._match(_REGEX):
            value = fill(match[1], self._values, escapes={}, quote=re.escape)
            _compile(value)
            return Text(value=value, form="regex", ignore_case=bool(match[2]))
        if not self.rest:
            raise UsageError("a text is missing")
        raise UsageError(f'{self.rest!r} is not a text: put it as "…" or /…/')

    def pattern(self) -> Text:
        """Read a string, or a path with `*`."""
        if self.rest.startswith('"'):
            return self.text()
        return Text(value=self.word("a path"), form="path")

    def selector(self) -> str:
        """Read a CSS selector: a word, or a string if it has blanks."""
        return self._string() if self.rest.startswith('"') else self.word("a selector")

    def end(self) -> None:
        """See that nothing is left."""
        if self.rest:
            raise UsageError(f"{self.rest!r} is too much")

    def _string(self) -> str:
        match = self._match(_STRING)
        if not match:
            raise UsageError(f"the quotes of {self.rest!r} are not closed")
        return fill(match[1], self._values, escapes=_STRING_ESCAPES)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        blanks = _BLANKS.match(self.source, self._at)
        match = pattern.match(self.source, blanks.end() if blanks else self._at)
        if match:
            self._at = match.end()
        return match


def _compile(pattern: str) -> None:
    if len(pattern) > LONGEST_REGEX:
        raise UsageError(f"a regular expression has at most {LONGEST_REGEX} characters")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"/{pattern}/ is not a valid regular expression: {error}") from None
