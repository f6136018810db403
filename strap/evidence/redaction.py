"""Credentials that are told by their names, and masked."""

import re

from strap.text import counted

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


def masked(value: str) -> str:
    """Return what may be said of a secret: that there is one, and how long it is."""
    return f"{MASK} ({counted(len(value), 'character')})" if value else ""


def is_private(name: str) -> bool:
    """Whether the value of a field with this name is a credential."""
    return bool(_PRIVATE.search(name))


def without_secrets(text: str) -> str:
    """Mask what stands behind names like `password=` and `"token": `."""
    return _PAIR.sub(lambda match: match[1] + MASK, text)


def header_value(name: str, value: str) -> str:
    """Return the value of a header field, masked if it is a credential."""
    return masked(value) if name.lower() in HEADERS else without_secrets(value)
