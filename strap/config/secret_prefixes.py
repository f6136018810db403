"""Beginnings of secrets: what a page tells of a field that it follows key by key."""

import re
from collections.abc import Iterator

from strap.config.invisible_characters import BareText, Span, without_invisible
from strap.config.secret_forms import encoded, written

SHORTEST = 4
"""Characters of a secret that are taken for its beginning."""
SHORTEST_SHOWN = 6
"""Those of how a style sheet shows it: fewer are words that many pages have, as PASS."""
_APART = r"(?:(?<![^\W_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[a-z]))"
"""Not inside a word; behind an escape of a URL or of JSON no word goes on."""


class SecretPrefixes:
    """Hides the beginnings of secrets where they stand by themselves."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, int]] = {}
        """The names, by forms of the secrets, and how many characters of these are a beginning."""
        self._pattern: re.Pattern[str] | None = None
        self._added: dict[str, str] = {}
        """The last value of each name: a fill adds its own each time."""

    def add(self, name: str, value: str) -> None:
        """Hide those of a secret from now on, in the forms that it is written or shown."""
        if self._added.get(name) == value:
            return
        self._added[name] = value
        self._names |= dict.fromkeys(map(without_invisible, written(value)), (name, SHORTEST_SHOWN))
        self._names |= dict.fromkeys(map(without_invisible, encoded(value)), (name, SHORTEST))
        heads = {re.escape(form[:SHORTEST]) for form in self._names}
        self._pattern = re.compile(f"{_APART}(?:{'|'.join(sorted(heads))})") if heads else None

    def hide(self, bare: BareText) -> str:
        """Return the text with names in place of beginnings of four characters and more."""
        return bare.replaced(self._spans(bare.text))

    def _spans(self, text: str) -> Iterator[Span]:
        done = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            start = match.start()
            end, name = max(self._ends(text, start), default=(start, ""))
            if end > start >= done and not text[end : end + 1].isalnum():
                yield start, end, f"{{{{{name}}}}}"
                done = end

    def _ends(self, text: str, start: int) -> Iterator[tuple[int, str]]:
        for form, (name, least) in self._names.items():
            if (length := _shared(text, start, form)) >= least:
                yield start + length, name


def _shared(text: str, start: int, form: str) -> int:
    length = 0
    for left, right in zip(text[start : start + len(form)], form, strict=False):
        if left != right:
            break
        length += 1
    return length
