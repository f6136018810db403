"""Keeping credentials out of answers."""

import re

from strap.text import counted

MASK = "••••"
HEADERS = frozenset(
    (
        *("authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2"),
        *("x-api-key", "api-key", "x-auth-token", "x-access-token", "x-csrf-token"),
    )
)
_NAMES = r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|credential|session[_-]?id)"
_PAIR = re.compile(
    rf"""(?ix) ( {_NAMES} [\w.-]{{0,20}} ["']? \s*+ [=:] \s*+ ["']? ) [^"'&\s,;}}]+"""
)


def masked(value: str) -> str:
    """Return what may be said of a secret: that there is one, and how long it is."""
    return f"{MASK} ({counted(len(value), 'character')})" if value else ""


def without_secrets(text: str) -> str:
    """Mask what stands behind names like `password=` and `"token": `."""
    return _PAIR.sub(lambda match: match[1] + MASK, text)


def header(name: str, value: str) -> str:
    """Return a line for a header, its value masked if it is a credential."""
    return f"{name}: {masked(value) if name.lower() in HEADERS else without_secrets(value)}"
