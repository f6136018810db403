"""Origins of requests to private addresses, and whether they may go there.

A page may not lead into a more private network than its own, as in the web's own rules for Local
Network Access. The browser tells the origin of a request in headers that no page can set (Fetch
Metadata Request Headers; RFC 6454).
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from strap import PolicyDenied, Space, VettedURL
from strap.network.urls import shown

REMEMBERED = 1024
"""Hosts, and servers addressed directly, that are kept in mind: the last ones used."""


class Journey:
    """A navigation that a caller asked for, while it lasts: the private servers it may lead to.

    There are none where it goes to a public site, or was redirected to one.
    """

    def __init__(self) -> None:
        self.servers: set[tuple[str, int]] = set()


class SiteAddressSpaces:
    """Knows how public the sites are that the browser has seen, and what callers go to directly.

    `everywhere`: in mode `all` only what can be seen to come from a public page, or from a redirect
    of one, is kept from private servers.
    """

    def __init__(self, *, everywhere: bool = False) -> None:
        self._everywhere = everywhere
        self._addressed: dict[tuple[str, int], None] = {}
        self._spaces: dict[str, Space] = {}
        self._journeys: list[Journey] = []
        self._misled: dict[tuple[str, int], None] = {}
        """Servers that a redirect was kept from, until a caller goes there."""

    def address(self, host: str, port: int) -> None:
        """A caller goes to this server on purpose."""
        self._misled.pop((host, port), None)
        self._addressed.pop((host, port), None)
        self._addressed[host, port] = None
        _forget_old(self._addressed)

    def is_addressed(self, target: VettedURL) -> bool:
        """Whether a caller goes to this server."""
        return (target.host, target.port) in self._addressed

    def begin(self, server: tuple[str, int] | None, *, again: bool) -> Journey:
        """A caller leads a page to the private `server`, or to a public one."""
        journey = Journey()
        self._journeys.append(journey)
        if server is not None and not (again and server in self._misled):
            self.address(*server)
            journey.servers.add(server)
        return journey

    def end(self, journey: Journey) -> None:
        """The navigation is over."""
        self._journeys.remove(journey)

    def redirect(self, target: VettedURL, server: tuple[str, int] | None) -> None:
        """The private `target` leads a navigation to the private `server`, or to a public one."""
        for journey in self._journeys:
            if (target.host, target.port) in journey.servers:
                if server is None:
                    journey.servers.clear()
                else:
                    journey.servers.add(server)

    def note(self, target: VettedURL) -> None:
        """Remember how public the host of `target` is; one that was public once remains so.

        Otherwise a name could be moved to a private address under an open page.
        """
        assert target.space is not None
        self._spaces[target.host] = min(self._spaces.pop(target.host, target.space), target.space)
        _forget_old(self._spaces)

    def vet(self, target: VettedURL, headers: Mapping[str, str]) -> None:
        """Raise `PolicyDenied` unless the request with `headers` may go to the private `target`.

        The names in `headers` are in lower case.
        """
        assert target.space is not None
        source = _initiator(target, headers)
        if source == "" and self._everywhere:
            # What was redirected to another site has no origin of its own any more.
            source = _host_of(headers.get("referer", ""))
        if source is None:
            if not self._everywhere or _navigates(headers):
                self._vet_led(target)
        elif not source and self._everywhere:
            return
        elif target.space > self._spaces.get(source, Space.PUBLIC):
            raise _indirect(target) if source else _hidden(target)

    def vet_opaque(self, target: VettedURL) -> None:
        """Raise `PolicyDenied` unless a caller goes to `target`; who else asks cannot be seen."""
        if not self._everywhere:
            self._vet_unnamed(target)

    def _vet_led(self, target: VettedURL) -> None:
        """Raise `PolicyDenied` for a redirect, and for loading again what one was kept from."""
        try:
            self._vet_unnamed(target)
        except PolicyDenied:
            self._misled[target.host, target.port] = None
            _forget_old(self._misled)
            raise
        if (target.host, target.port) in self._misled and not self._is_goal(target):
            raise _indirect(target)

    def _vet_unnamed(self, target: VettedURL) -> None:
        if not (self._everywhere or self.is_addressed(target)):
            raise _indirect(target)
        if any(not journey.servers for journey in self._journeys) and not self._is_goal(target):
            raise _indirect(target)

    def _is_goal(self, target: VettedURL) -> bool:
        return any((target.host, target.port) in journey.servers for journey in self._journeys)


def is_led(target: VettedURL, headers: Mapping[str, str]) -> bool:
    """Whether the request with `headers` is not known to be that of a page."""
    return _initiator(target, headers) is None


def _initiator(target: VettedURL, headers: Mapping[str, str]) -> str | None:
    """Return the host of the page that asks, '' if it hides; None where the browser itself does.

    The browser says so of a redirect as well, if it began with a navigation of its own.
    """
    site = headers.get("sec-fetch-site")
    if site == "same-origin":
        return target.host
    if site == "none":
        return None
    page = headers.get("origin") or headers.get("referer")
    if page is None:
        return None if site is None else ""
    return _host_of(page)


def _host_of(page: str) -> str:
    try:
        return urlsplit(page).hostname or ""
    except ValueError:
        return ""


def _navigates(headers: Mapping[str, str]) -> bool:
    """Whether a document is asked for (Upgrade Insecure Requests, 3.2.1), and no part of one."""
    return "upgrade-insecure-requests" in headers


def _hidden(target: VettedURL) -> PolicyDenied:
    return PolicyDenied(
        "Who asks does not say where it comes from, as a sandboxed frame or page (`sandbox`): it "
        f"may not lead to {shown(target.url)}, in a private network.",
        hint="Call that URL directly if it is wanted.",
        code="more_private",
    )


def _forget_old(memory: dict[Any, Any]) -> None:
    while len(memory) > REMEMBERED:
        del memory[next(iter(memory))]


def _indirect(target: VettedURL) -> PolicyDenied:
    return PolicyDenied(
        f"A page or redirect may not lead to {shown(target.url)}, in a more private network.",
        hint="Call that URL directly if it is wanted.",
        code="more_private",
    )
