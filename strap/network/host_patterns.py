"""Patterns of hosts, as policies write them: `*.example.com`, `127.0.0.1:8080`, `[::1]:3000`."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from urllib.parse import urlsplit

from strap.errors import StrapError
from strap.network.urls import DEFAULT_PORTS, parse, to_ascii
from strap.records import record

REMEMBERED = 1_024
"""Origins whose host and port are kept in mind: a page asks the same few again and again."""
_FORM = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/?#\\@\s]+)(?::([0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_*-]{1,63}")
Place = tuple[str, int]
"""Host and port in canonical form."""


@record
class HostPattern:
    """A host, in which `*` stands for any characters, at one port or at every port (None)."""

    host: str
    port: int | None

    def matches(self, place: Place) -> bool:
        """Whether a server is meant."""
        return self.port in (None, place[1]) and fnmatchcase(place[0], self.host)


def host_pattern(text: str) -> HostPattern:
    """Read `host` or `host:port`; raises `ValueError` for what no URL can match."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(text)
    host, port = match[1], int(match[2]) if match[2] else None
    if port is not None and not 0 < port < 65_536:
        raise ValueError(text)
    return HostPattern(host=_with_stars(host) if "*" in host else _exact(host), port=port)


def place_of(url: str) -> Place | None:
    """Return host and port of an address of the web, None where it has none that can be read."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return _place(parts.scheme, parts.netloc)


@lru_cache(REMEMBERED)
def _place(scheme: str, authority: str) -> Place | None:
    try:
        parsed = parse(f"{scheme}://{authority}/", tuple(DEFAULT_PORTS))
    except StrapError:
        return None
    return parsed.host, parsed.port


def _exact(host: str) -> str:
    try:
        return parse(f"http://{host}/", ("http",)).host
    except StrapError:
        raise ValueError(host) from None


def _with_stars(host: str) -> str:
    """Return the canonical form, label by label: one in another script has no `*` in it."""
    labels = []
    for label in host.removesuffix(".").split("."):
        try:
            plain = label.lower() if label.isascii() or "*" in label else to_ascii(host, label)
        except StrapError:
            raise ValueError(host) from None
        if not _LABEL.fullmatch(plain):
            raise ValueError(host)
        labels.append(plain)
    return ".".join(labels)
