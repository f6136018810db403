"""The hosts and origins that requests may name: a page on another site must not get through."""

import re
from collections.abc import Iterable

from starlette.datastructures import Headers

from strap.errors import StartupError

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@?#\s]+)(?::[0-9]{1,5})?")
_SCHEMES = ("http://", "https://")


class AllowedHosts:
    """Names of the server, on any port; upper and lower case are the same."""

    def __init__(self, hosts: Iterable[str]) -> None:
        """`hosts` are names and addresses, those of IPv6 in brackets or not."""
        self._hosts = {_bracketed(host.lower()) for host in hosts}

    def served(self, headers: Headers) -> bool:
        """Whether the request names one host, and this server is called so."""
        named = headers.getlist("host")
        return len(named) == 1 and self._knows(named[0])

    def trusts(self, headers: Headers) -> bool:
        """Whether no page makes the request, or one of this server's own hosts."""
        return all(self._is_own(origin) for origin in headers.getlist("origin"))

    def _is_own(self, origin: str) -> bool:
        scheme, slashes, host = origin.partition("//")
        return (scheme + slashes).lower() in _SCHEMES and self._knows(host)

    def _knows(self, host: str) -> bool:
        match = _HOST.fullmatch(host.lower())
        return match is not None and match[1] in self._hosts


def check_names(names: Iterable[str]) -> None:
    """Raise `StartupError` for a name that no request could give as its host."""
    for name in names:
        match = _HOST.fullmatch(_bracketed(name.lower()))
        if match is None or match[1] != match[0]:
            raise StartupError(
                f"--name {name!r} is not a valid host.",
                hint="Give what clients write between '//' and the port, as in web.example.",
            )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
