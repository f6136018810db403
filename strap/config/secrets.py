"""Secrets by name: filled in for the origins that they are for, masked on the way out."""

import re
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import field
from secrets import token_hex
from typing import Any, Protocol
from urllib.parse import urlsplit

from strap.config.invisible_characters import BareText, Span
from strap.config.masked_values import masked
from strap.config.secret_forms import Masks
from strap.config.secret_prefixes import SecretPrefixes
from strap.credentials.answers import Answer
from strap.credentials.disclosed import CODE, Disclosed
from strap.errors import ActionError, PolicyDenied, StrapError, UsageError
from strap.records import record

NAME = re.compile(r"[A-Za-z0-9_-]+")
_NAMED = re.compile(rf"\{{\{{\s*({NAME.pattern}(?:{re.escape(CODE)})?)\s*\}}\}}")
_USUAL = {"http": 80, "https": 443}
_SECURE = {"ws": "http", "wss": "https"}


def origin_of(url: str) -> str:
    """Return the origin of `url`: scheme and host, the port where it is not the usual one.

    A WebSocket has that of the web server which it is opened to. Hosts are in ASCII (IDNA). Raises
    `ValueError`.
    """
    parts = urlsplit(url.strip())
    scheme = _SECURE.get(parts.scheme, parts.scheme)
    if scheme not in _USUAL or not parts.hostname:
        raise ValueError(f"{url!r} has no origin")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else _ascii(url, parts.hostname)
    return f"{scheme}://{host}" + ("" if parts.port in (None, _USUAL[scheme]) else f":{parts.port}")


class Source(Protocol):
    """Source of a value that is obtained when it is used."""

    async def read(self, origin: str) -> str:
        """Return the value for an origin; raises `ActionError`."""


def _ascii(url: str, host: str) -> str:
    """Return a host as browsers say it, in which letters that look alike differ."""
    if host.isascii():
        return host
    from strap.network.urls import to_ascii

    try:
        return to_ascii(url, host)
    except UsageError as error:
        raise ValueError(error.message) from None


@record
class Secret:
    """A value, or where it is obtained, and the only origins that it is given to."""

    value: str = field(default="", repr=False)
    origins: tuple[str, ...]
    source: Source | None = field(default=None, repr=False)


class Secrets:
    """The secrets of the configuration; `{{name}}` in a text stands for one."""

    def __init__(
        self,
        known: Mapping[str, Secret] | None = None,
        beginnings: SecretPrefixes | None = None,
        disclosed: Disclosed | None = None,
    ) -> None:
        self._disclosed = disclosed or Disclosed()
        self._known: ChainMap[str, Secret] = ChainMap(dict(known or {}), self._disclosed.answers)
        self._beginnings = beginnings
        self._masks = self._masked()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._known)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(self._known))})"

    def as_json(self) -> dict[str, Any]:
        """Return names, values and origins as plain JSON, for a process of strap's own.

        What is obtained when it is used has `gave`, the values that it had, in place of a value.
        """
        known = self._known.maps[0].items()  # what a person told another run is not for this one
        return {
            name: {"origins": list(secret.origins)}
            | ({"gave": self._disclosed.of(name)} if secret.source else {"value": secret.value})
            for name, secret in known
        }

    @classmethod
    def from_json(
        cls, plain: Mapping[str, Any], source: Callable[[str], Source] | None = None
    ) -> "Secrets":
        """Return what `as_json` was made of; `source` obtains the values that it has not."""
        disclosed, known = Disclosed(), dict[str, Secret]()
        for name, secret in plain.items():
            for value in secret.get("gave", ()):
                disclosed.add(name, value)
            obtained = source(name) if source and "value" not in secret else None
            known[name] = Secret(
                value=secret.get("value", ""), origins=tuple(secret["origins"]), source=obtained
            )
        return cls(known, disclosed=disclosed)

    def among(self, text: str) -> "Secrets":
        """Return those that `text` names."""
        named = set(_NAMED.findall(text))
        known = {name: secret for name, secret in self._known.items() if name in named}
        return Secrets(known, disclosed=self._disclosed)

    def remembering(self, text: str = "") -> "Secrets":
        """Return the same secrets, which hide beginnings of some as well.

        These are what they fill in from now on, and what `text` names.
        """
        copy = Secrets(self._known, SecretPrefixes(), self._disclosed)
        for name in self._known.keys() & _NAMED.findall(text):
            for value in (self._known[name].value, *self._disclosed.of(name)):
                copy._begins(name, value)
        return copy

    def _begins(self, name: str, value: str) -> None:
        if self._beginnings is not None and value and not name.endswith(CODE):
            self._beginnings.add(name, value)

    def answered(self, value: str, origin: str, *, shared: bool) -> str:
        """Return the name by which a call takes what a person told, for this origin alone.

        Where callers are `shared`, others cannot guess it. Raises `UsageError` for what could not
        be masked.
        """
        answer = Answer(value)
        number = len(self._disclosed.answers) + 1
        while (name := f"answer_{number}") in self._known:
            number += 1
        name += f"_{token_hex(8)}" if shared else ""
        self.learn(name, Secret(origins=(origin,), source=answer))
        self._disclosed.add(name, answer.value)
        return name

    def learn(self, name: str, secret: Secret) -> None:
        """Know a further secret from now on, in all copies."""
        self._disclosed.answers[name] = secret

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
        return tuple(origin for origin in first if all(origin in other for other in others))

    def check_for(self, text: str, url: str) -> str:
        """Return the origin of `url`, which may have the secrets that `text` names.

        Raises `UsageError` as `check` does, and `PolicyDenied` where one does not belong there.
        """
        self.check(text)
        try:
            origin = origin_of(url)
        except ValueError:
            origin = url
        for name in _NAMED.findall(text):
            origins = self._known[name].origins
            if origin not in origins:
                raise PolicyDenied(
                    f"The secret {name!r} is not for {origin!r}.",
                    hint=f"It is for {', '.join(origins)}.",
                    code="secret",
                )
        return origin

    def fill(self, text: str, url: str) -> str:
        """Return `text` with its secrets, for the server of `url`.

        Raises `UsageError` and `PolicyDenied` as `check_for` does, and `ActionError` for one that
        was not obtained yet.
        """
        self.check_for(text, url)
        return self._filled(text, {name: self._present(name) for name in _NAMED.findall(text)})

    async def filled(self, text: str, url: str) -> str:
        """Return what `fill` does, with values that are obtained now; raises `ActionError`."""
        origin, values = self.check_for(text, url), dict[str, str]()
        for name in dict.fromkeys(_NAMED.findall(text)):
            if (source := self._known[name].source) is not None:
                values[name] = await source.read(origin)
                self._disclosed.add(name, values[name])
            else:
                values[name] = self._known[name].value
        return self._filled(text, values)

    def _present(self, name: str) -> str:
        values = [self._known[name].value, *self._disclosed.of(name)]
        if not values[-1]:
            raise ActionError(f"The secret {name!r} was not obtained yet.", code="secret")
        return values[-1]

    def _filled(self, text: str, values: Mapping[str, str]) -> str:
        for name, value in values.items():
            self._begins(name, value)
        return _NAMED.sub(lambda match: values[match[1]], text)

    def _masked(self) -> Masks:
        version, obtained = self._disclosed.version, self._disclosed.values.copy()
        named = {secret.value: name for name, secret in self._known.items() if secret.value}
        return Masks(obtained | named, version)

    def _spans(self, text: str) -> list[Span]:
        if self._masks.version != self._disclosed.version:
            self._masks = self._masked()
        return list(self._masks.spans(text))

    def held_in(self, text: str) -> list[str]:
        """Return the names of secrets whose values are in a text."""
        bare = BareText(text).text if self._known else ""
        spans = (*self._spans(bare), *self._disclosed.spans(bare))
        return sorted({name for *_, name in spans})

    def is_for(self, name: str, url: str) -> bool:
        """Whether the server of `url` may have a secret."""
        try:
            return name in self._known and origin_of(url) in self._known[name].origins
        except ValueError:
            return False

    def hide(self, text: str) -> str:
        """Return `text` with names in place of secrets, as they are and as encodings write them.

        Characters that draw nothing may be between their letters.
        """
        if not self._known:
            return text
        bare = BareText(text)
        for find in (self._spans, self._disclosed.spans):
            if spans := [(start, end, f"{{{{{name}}}}}") for start, end, name in find(bare.text)]:
                bare = BareText(text := bare.replaced(spans))
        return text if self._beginnings is None else self._beginnings.hide(bare)

    def hide_bytes(self, data: bytes) -> bytes:
        """Return `data` with names in place of secrets."""
        if not self._known:
            return data
        return self.hide(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def hide_all(self, value: Any, *, keys: bool = True) -> Any:
        """Return a plain JSON value with names in place of secrets, in its `keys` as well."""
        return masked(value, self.hide, keys=keys) if self._known else value

    def told(self, error: StrapError) -> StrapError:
        """Return `error` without secrets, as the address of a redirect may repeat them."""
        message, hint = self.hide(error.message), self.hide(error.hint)
        if (message, hint) == (error.message, error.hint):
            return error
        kind = type(error) if isinstance(error, (UsageError, PolicyDenied)) else ActionError
        return kind(message, hint=hint, code=error.code, retryable=error.retryable)
