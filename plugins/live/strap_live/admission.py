"""Access to the live view: by the address of the request, a ticket that works once, then a key."""

import hashlib
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from strap import Peers, record
from strap_browser.api import Refused

if TYPE_CHECKING:
    from websockets.http11 import Request

Address = tuple[str, int]
Role = Literal["watch", "control"]
SOCKET = "/socket"
TICKET_LIFE = 300.0
"""Seconds in which a link has to be opened."""
KEY_LIFE = 12 * 3_600.0
"""Seconds for which a viewer may come back."""
MOST_TICKETS = 20
"""Links that wait to be opened; one more, and the oldest is void."""
OWN_SITES = ("none", "same-origin")
"""Values of `Sec-Fetch-Site` in a request that no other site made."""


@record
class Grant:
    """Rights of a viewer: `owner` is the caller whose places they see, None for all of them."""

    role: Role
    owner: str | None = None
    runs: str | None = None
    """Owner of the runs that they see; None for everybody's."""
    place: str | None = None
    """Id of the place to show first."""
    until: float = 0.0
    key: str = ""
    """Id of the key: tells two viewers apart, and one that comes back."""

    def covers(self, other: "Grant") -> bool:
        """Whether the other opens no more than this one."""
        return self.sees(other.owner)

    def sees(self, owner: str | None) -> bool:
        """Whether what belongs to a caller may be seen."""
        if self.owner is None or owner is None:
            return self.owner is None
        return owner == self.owner or owner.startswith(f"{self.owner}/")


class Tickets:
    """Tickets and keys, of which only hashes are kept.

    Nobody guesses 256 random bits; to refuse good ones for a while because of bad ones would only
    let others keep the user out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tickets: dict[bytes, Grant] = {}
        self._keys: dict[bytes, Grant] = {}

    def issue(self, grant: Grant) -> str:
        """Return a ticket for it, which works once and for five minutes."""
        while len(self._tickets) >= MOST_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        ticket = secrets.token_urlsafe(32)
        self._tickets[_hash(ticket)] = replace(grant, until=self._clock() + TICKET_LIFE)
        return ticket

    def redeem(self, ticket: str) -> tuple[str, Grant] | None:
        """Return a key in exchange for a ticket, and what it opens; None for a void one."""
        grant = self._valid(self._tickets.pop(_hash(ticket), None))
        if grant is None:
            return None
        key = secrets.token_urlsafe(32)
        grant = replace(grant, until=self._clock() + KEY_LIFE, key=secrets.token_hex(8))
        self._keys[_hash(key)] = grant
        return key, grant

    def open(self, key: str) -> Grant | None:
        """Return what a key opens, None for a void one."""
        return self._valid(self._keys.get(_hash(key)))

    def forget(self) -> None:
        """Make every ticket and key void."""
        self._tickets.clear()
        self._keys.clear()

    def revoke(self, grant: Grant) -> set[str]:
        """Make those void that open no more than a grant; return what tells the keys' viewers."""
        ended = [key for key in self._keys.values() if grant.covers(key)]
        self._tickets = {k: v for k, v in self._tickets.items() if not grant.covers(v)}
        self._keys = {k: v for k, v in self._keys.items() if not grant.covers(v)}
        return {key.key for key in ended}

    @property
    def any(self) -> bool:
        """Whether somebody may still come, or come back."""
        return bool(self._tickets or self._keys)

    def _valid(self, grant: Grant | None) -> Grant | None:
        return None if grant is None or grant.until < self._clock() else grant


def _hash(secret: str) -> bytes:
    """Return what is kept of a secret of 256 random bits: to look it up tells nothing of it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


class Admission:
    """Judges each HTTP request, before anything else.

    A page can make a browser connect to any port of this machine, under any name that resolves to
    it (DNS rebinding): so Host has to be one of the listener's own names, and a socket's Origin,
    which no page can forge, the listener's own origin.
    """

    def __init__(self, port: int, paths: frozenset[str], public: str | None = None) -> None:
        """`public` is the origin at which a reverse proxy offers it."""
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}
        if public is not None:
            self._hosts.add(public.partition("//")[2])
            self._origins.add(public)
        self._paths = paths

    def judge(self, request: "Request") -> str:
        """Return the path that is asked for; raises `Refused`."""
        headers, path = request.headers, request.path
        hosts = headers.get_all("Host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise Refused(HTTPStatus.FORBIDDEN, "Host")
        sites = headers.get_all("Sec-Fetch-Site")
        if path == SOCKET:
            origins = headers.get_all("Origin")
            if len(origins) != 1 or origins[0] not in self._origins:
                raise Refused(HTTPStatus.FORBIDDEN, "Origin")
        elif path not in self._paths:
            raise Refused(HTTPStatus.NOT_FOUND, "no such path")
        elif not (set(sites) <= {*OWN_SITES} or _is_visit(request)):
            raise Refused(HTTPStatus.FORBIDDEN, "Sec-Fetch-Site")
        return path


def is_foreign(peers: Peers, client: Address, own: Address) -> bool:
    """Whether the other end of a connection over loopback is another user's of this machine.

    A link that a program is started with can be read by everybody (the command line of a process),
    so a ticket alone tells nobody apart. Nor does a connection that was closed meanwhile: it is
    foreign. Where the system does not tell whose it is, nobody is foreign; the administrator is not
    either.
    """
    with suppress(OSError):
        return peers.owner(client, own) not in (0, os.geteuid())
    return False


def _is_visit(request: "Request") -> bool:
    """Whether a person follows a link to the page, as from a chat in another tab."""
    headers = [request.headers.get_all(f"Sec-Fetch-{name}") for name in ("Mode", "Dest")]
    return request.path == "/" and headers == [["navigate"], ["document"]]
