"""Keeping credentials out of answers."""

import re
from collections.abc import Iterator

from strap import Secrets
from strap.text import counted
from strap_browser.common.urls import origin_of

MASK = "••••"
HEADERS = frozenset(
    (
        *("authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2"),
        *("x-api-key", "api-key", "x-auth-token", "x-access-token", "x-csrf-token"),
    )
)
_PASS, _KEYS = "pass(?:word|wd|phrase)?", "pwd|secret|token|api[_-]?key|credential|session[_-]?id"
_NAMES = f"(?:{_PASS}|{_KEYS})"
_PRIVATE = re.compile(rf"{_PASS}$|{_KEYS}|\bpin\b|cvc|cvv", re.IGNORECASE)
_PAIR = re.compile(
    rf"""(?ix) ( {_NAMES} [\w.-]{{0,20}} ["']? \s*+ [=:] \s*+ ["']? ) [^"'&\s,;}}]+"""
)

READ = 10_000
"""Characters in which secrets are looked for: some pages send hundreds of messages a second."""


def masked(value: str) -> str:
    """Return what may be said of a secret: that there is one, and how long it is."""
    return f"{MASK} ({counted(len(value), 'character')})" if value else ""


def is_private(name: str) -> bool:
    """Whether the value of a field with this name is a credential."""
    return bool(_PRIVATE.search(name))


def without_secrets(text: str) -> str:
    """Mask what stands behind names like `password=` and `"token": `."""
    return _PAIR.sub(lambda match: match[1] + MASK, text)


def header(name: str, value: str) -> str:
    """Return a line for a header, its value masked if it is a credential."""
    return f"{name}: {masked(value) if name.lower() in HEADERS else without_secrets(value)}"


def secrets_sent(
    secrets: Secrets, url: str, posted: bytes | None, *, is_navigation: bool
) -> Iterator[str]:
    """Yield sentences about secrets that a request takes to another server, or into the history."""
    if not secrets:
        return
    address, body = url[:READ], (posted or b"")[:READ].decode(errors="replace")
    for name in secrets.held_in(f"{address}\n{body}"):
        if not secrets.is_for(name, url):
            yield f"The page sent the secret {name!r} to {origin_of(url)!r}, which it is not for."
        elif is_navigation and name in secrets.held_in(address):
            yield f"The secret {name!r} is in the address, which the history keeps."
