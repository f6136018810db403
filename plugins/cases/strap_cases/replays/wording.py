"""Texts of a recording: values of the case stand in them by their names, as in the case."""

import re
from collections.abc import Mapping
from itertools import count

from strap.scripts.script import is_plain
from strap_cases.cases import Case
from strap_cases.values import BUILT_IN, NAME, fill

LONG = 3
"""Characters of a part of a path that stands in the case by more than chance."""
_SECRET = re.compile(r"(\{\{[^{}]*\}\})")
_USED = re.compile(rf"(?<![\\{{])\{{({NAME.pattern})\}}(?!\}})")


class NotRecorded(Exception):
    """Actions of the agent that cannot be replayed; the text says why."""


class Wording:
    """Tells what of a text came from the case."""

    def __init__(self, case: Case, values: Mapping[str, str]) -> None:
        self.base_url = values.get("base_url", "")
        self.params: dict[str, str] = {}
        """Texts that a line of a script cannot hold, by the names that stand for them."""
        self._names = {*values}
        texts = [segment.steps for segment in case.segments] + list(case.expectations)
        source = "\n".join(line.text for line in texts)
        used = {name: values[name] for name in _USED.findall(source) if values.get(name)}
        self._named = {value: name for name, value in used.items()}
        self._rest = _USED.sub("\n", source)
        own_values = [value for name, value in values.items() if name not in BUILT_IN]
        self._filled = _squeezed("\n".join((fill(source, values), *own_values)))
        self._twice = {
            value
            for value in self._named
            if sum(other == value for other in used.values()) > 1 or self._stands_apart(value)
        }
        names = sorted(self._named, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(self._bounded, names))) if names else None

    def knows(self, text: str) -> bool:
        """Whether a text stands in the case."""
        return _squeezed(text) in self._filled

    def lasts(self, part: str) -> bool:
        """Whether a part of a path is the same in every run, as far as can be told."""
        own = re.sub(r"\{\w+\}", "", self.written(part))
        alone = rf"(?<!\w){re.escape(part.casefold())}(?!\w)"
        in_case = len(part) >= LONG and re.search(alone, self._filled) is not None
        return in_case or not re.search(r"\d", own)

    def written(self, text: str) -> str:
        """Return a text with the names of values, as in scripts; raises `NotRecorded`."""
        parts = _SECRET.split(text)
        return "".join(
            part if number % 2 else self._part(part) for number, part in enumerate(parts)
        )

    def _part(self, text: str) -> str:
        written, end = "", 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            if match[0] in self._twice:
                what = f"{match[0]!r} may be {{{self._named[match[0]]}}} or not"
                raise NotRecorded(f"{what}: it stands in the case more than once")
            written += self._held(text[end : match.start()]) + f"{{{self._named[match[0]]}}}"
            end = match.end()
        return written + self._held(text[end:])

    def _held(self, text: str) -> str:
        """Return a text, or the name of a value that is no other: `{…}` in it is no name."""
        if is_plain(text):
            return text
        known = next((name for name, value in self.params.items() if value == text), None)
        numbers = (f"text_{number}" for number in count(1))
        name = known or next(
            number for number in numbers if number not in {*self.params, *self._names}
        )
        self.params[name] = text
        return f"{{{name}}}"

    def _bounded(self, value: str) -> str:
        plain = re.escape(value)
        return plain if self._named[value] == "unique" else rf"(?<!\w){plain}(?!\w)"

    def _stands_apart(self, value: str) -> bool:
        return re.search(self._bounded(value), self._rest) is not None


def _squeezed(text: str) -> str:
    return " ".join(text.split()).casefold()
