"""Secrets by name: filled in for the origins that they are for, masked on the way out."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

from strap.config.invisible_characters import BareText, without_invisible
from strap.config.secret_prefixes import SecretPrefixes
from strap.errors import ActionError, PolicyDenied, StrapError, UsageError
from strap.records import record

NAME = re.compile(r"[A-Za-z0-9_-]+")
_NAMED = re.compile(rf"\{{\{{\s*({NAME.pattern})\s*\}}\}}")
_WORD_STARTS = re.compile(r"(?<![\w'\u2019])[^\W\d_]")
"""The letters that `text-transform: capitalize` shows as capitals."""
_NO_FILE = re.compile(r'[\\/:*?"<>|~]')
"""Characters that a browser writes as `_` in the name of a file."""
_USUAL = {"http": 80, "https": 443}
_SECURE = {"ws": "http", "wss": "https"}


def origin_of(url: str) -> str:
    """Return the origin of `url`: scheme and host, the port where it is not the usual one.

    A WebSocket has that of the web server which it is opened to. Raises `ValueError`.
    """
    parts = urlsplit(url.strip())
    scheme = _SECURE.get(parts.scheme, parts.scheme)
    if scheme not in _USUAL or not parts.hostname:
        raise ValueError(f"{url!r} has no origin")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{scheme}://{host}" + ("" if parts.port in (None, _USUAL[scheme]) else f":{parts.port}")


@record
class Secret:
    """A value, and the only origins that it is given to."""

    value: str = field(repr=False)
    origins: tuple[str, ...]


class Secrets:
    """The secrets of the configuration; `{{name}}` in a text stands for one."""

    def __init__(
        self, known: Mapping[str, Secret] | None = None, beginnings: SecretPrefixes | None = None
    ) -> None:
        self._known = dict(known or {})
        written = ((name, form) for name, one in self._known.items() for form in _forms(one.value))
        forms = {bare: name for name, form in written if (bare := without_invisible(form))}
        longest_first = sorted(forms, key=len, reverse=True)
        self._forms = forms
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        self._folded = {form.casefold() for form in forms}
        self._beginnings = beginnings

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._known)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(self._known))})"

    def as_json(self) -> dict[str, Any]:
        """Return names, values and origins as plain JSON, for a process of strap's own."""
        known = self._known.items()
        return {name: {"value": one.value, "origins": list(one.origins)} for name, one in known}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Secrets":
        """Return what `as_json` was made of."""
        known = {
            name: Secret(value=one["value"], origins=tuple(one["origins"]))
            for name, one in plain.items()
        }
        return cls(known)

    def among(self, text: str) -> "Secrets":
        """Return those that `text` names."""
        named = set(_NAMED.findall(text))
        return Secrets({name: one for name, one in self._known.items() if name in named})

    def remembering(self, text: str = "") -> "Secrets":
        """Return the same secrets, which hide beginnings of some as well.

        These are what they fill in from now on, and what `text` names.
        """
        beginnings = SecretPrefixes()
        for name in self._known.keys() & _NAMED.findall(text):
            self._begins(name, beginnings)
        return Secrets(self._known, beginnings)

    def _begins(self, name: str, beginnings: SecretPrefixes) -> None:
        value = self._known[name].value
        beginnings.add(name, _encoded(value), shown=_forms(value))

    def check(self, text: str) -> None:
        """Raise `UsageError` for a name in `text` that there is no secret of."""
        for name in _NAMED.findall(text):
            if name not in self._known:
                listed = ", ".join(sorted(self._known)) or "none are set"
                raise UsageError(
                    f"There is no secret {name!r}.",
                    hint=f"Known: {listed}; the operator sets them in [secrets.NAME].",
                )

    def named(self, text: str) -> bool:
        """Whether `text` names a secret."""
        return _NAMED.search(text) is not None

    def origins(self, text: str) -> tuple[str, ...]:
        """Return the origins that all secrets named in `text` are for; there has to be one."""
        first, *others = (self._known[name].origins for name in _NAMED.findall(text))
        return tuple(origin for origin in first if all(origin in each for each in others))

    def fill(self, text: str, url: str) -> str:
        """Return `text` with its secrets, for the server of `url`.

        Raises `UsageError` as `check` does, and `PolicyDenied` where one does not belong there.
        """
        self.check(text)
        for name in _NAMED.findall(text):
            origins = self._known[name].origins
            try:
                origin = origin_of(url)
            except ValueError:
                origin = url
            if origin not in origins:
                raise PolicyDenied(
                    f"The secret {name!r} is not for {origin!r}.",
                    hint=f"It is for {', '.join(origins)}.",
                    code="secret",
                )
            if self._beginnings is not None:
                self._begins(name, self._beginnings)
        return _NAMED.sub(lambda match: self._known[match[1]].value, text)

    def held_in(self, text: str) -> list[str]:
        """Return the names of secrets whose values are in a text."""
        if self._pattern is None:
            return []
        bare = BareText(text).text
        folded = bare.casefold()
        if not any(form in folded for form in self._folded):
            return []
        return sorted({self._forms[match[0]] for match in self._pattern.finditer(bare)})

    def is_for(self, name: str, url: str) -> bool:
        """Whether the server of `url` may have a secret."""
        try:
            return origin_of(url) in self._known[name].origins
        except ValueError:
            return False

    def hide(self, text: str) -> str:
        """Return `text` with names in place of secrets, as they are and as encodings write them.

        Characters that draw nothing may be between their letters.
        """
        if self._pattern is None:
            return text
        bare = BareText(text)
        folded = bare.text.casefold()
        if any(form in folded for form in self._folded):  # most texts have none, and that is quick
            found = self._pattern.finditer(bare.text)
            text = bare.replaced(
                (*each.span(), f"{{{{{self._forms[each[0]]}}}}}") for each in found
            )
            bare = BareText(text)
        return text if self._beginnings is None else self._beginnings.hide(bare)

    def hide_bytes(self, data: bytes) -> bytes:
        """Return `data` with names in place of secrets."""
        if self._pattern is None:
            return data
        return self.hide(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def hide_all(self, value: Any) -> Any:
        """Return a plain JSON value with names in place of secrets."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {self.hide_all(key): self.hide_all(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.hide_all(each) for each in value]
        return value

    def told(self, error: StrapError) -> StrapError:
        """Return `error` without secrets, as the address of a redirect may repeat them."""
        message, hint = self.hide(error.message), self.hide(error.hint)
        if (message, hint) == (error.message, error.hint):
            return error
        kind = type(error) if isinstance(error, (UsageError, PolicyDenied)) else ActionError
        return kind(message, hint=hint, code=error.code, retryable=error.retryable)


def _forms(value: str) -> Iterable[str]:
    """The secret as it is, and as style sheets show it, as they are and as encodings write them."""
    capitalized = _WORD_STARTS.sub(lambda match: match[0].upper(), value)
    shown = {value, value.upper(), value.lower(), capitalized}
    return {form for each in shown for form in _encoded(each)}


def _encoded(value: str) -> Iterable[str]:
    """A text as it is, and as JSON, URLs, HTML and names of files write it."""
    from html import escape

    encoded = quote(value, safe="")
    lower = re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), encoded)
    plus = quote_plus(value)
    as_json = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    as_html, as_file = (escape(value), escape(value, quote=False)), _NO_FILE.sub("_", value)
    return {value, encoded, lower, plus, *as_json, *as_html, as_file}
