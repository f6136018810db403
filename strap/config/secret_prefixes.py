"""Beginnings of secrets: what a page tells of a field that it follows key by key."""

import re
from collections.abc import Iterable

SHORTEST = 4
"""Characters of a secret that are taken for its beginning."""
_APART = r"(?:(?<![^\W_])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[a-z]))"
"""Not inside a word; behind an escape of a URL or of JSON no word goes on."""


class SecretPrefixes:
    """Hides the beginnings of secrets where they stand by themselves."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def add(self, name: str, forms: Iterable[str]) -> None:
        """Hide those of the secret `name` from now on, which may be written in these forms."""
        self._names |= {form: name for form in forms if len(form) > SHORTEST}
        heads = {re.escape(form[:SHORTEST]) for form in self._names}
        self._pattern = re.compile(f"{_APART}(?:{'|'.join(sorted(heads))})") if heads else None

    def hide(self, text: str) -> str:
        """Return `text` with names in place of beginnings of four characters and more."""
        if self._pattern is None:
            return text
        parts: list[str] = []
        done = 0
        for match in self._pattern.finditer(text):
            start = match.start()
            end, name = max((start + _shared(text, start, f), n) for f, n in self._names.items())
            if start >= done and not text[end : end + 1].isalnum():
                parts += text[done:start], f"{{{{{name}}}}}"
                done = end
        return "".join((*parts, text[done:]))


def _shared(text: str, start: int, form: str) -> int:
    """Return how many characters of `form` are in `text` from `start` on."""
    length = 0
    for here, there in zip(text[start : start + len(form)], form, strict=False):
        if here != there:
            break
        length += 1
    return length
