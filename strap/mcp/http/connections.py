"""Connections of the HTTP server: without a request they wait for a while, and not in crowds."""

import asyncio
import secrets
from contextlib import suppress
from typing import Any, Self

from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from strap.network.peers import Peers

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request has to come, on a kept connection as well."""
HELD_SECONDS = 600.0
"""Seconds instead, where a session was used: a model thinks, or a person is asked."""
MOST_WAITING = 256
"""Connections without a request; for one more the one that waits longest is closed."""
_STATE = "strap.connection"


class Connection(H11Protocol):
    """A connection that is closed when its next request does not begin in time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._closing: asyncio.TimerHandle | None = None
        self._seconds = HEAD_SECONDS
        self.waits_since: float | None = None
        """When it began to wait for a request, None while one is answered."""
        self.is_new_client = False
        """Whether a client introduced itself here."""
        self.name = secrets.token_hex(8)
        """No two connections have the same."""
        self._user: int | None = None
        self._opened = self._began = 0.0
        """When it was opened, and its latest request came."""
        self.app_state = {_STATE: self}

    @classmethod
    def of(cls, scope: Scope) -> Self | None:
        """Return the connection of a request, None under another server."""
        connection = scope.get("state", {}).get(_STATE)
        return connection if isinstance(connection, cls) else None

    @property
    def is_open(self) -> bool:
        """Whether neither end has closed it."""
        return not self.transport.is_closing()

    def user_by(self, peers: Peers) -> int | None:
        """Return the user of this machine at the other end, None where the system does not tell."""
        if self._user is None and self.client and self.server and self.server[1]:
            with suppress(OSError):
                self._user = peers.owner(self.client, (self.server[0], self.server[1]))
        return self._user

    def is_of_another(self, other: Self) -> bool:
        """Whether the client seems to be another than that of `other`, which is open.

        A client introduces itself once, at first. Before it opens a connection it uses one that is
        idle; those that are used at the same time may be its own.
        """
        since = self._opened
        if self.is_new_client:
            if other.is_new_client or other._opened < self._opened:
                return True
            since = self._began
        return other.waits_since is not None and other.waits_since < since

    def hold(self) -> None:
        """Wait longer for requests: the client has a session, and lives as long as this."""
        self._seconds = self.timeout_keep_alive = HELD_SECONDS  # type: ignore[assignment]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._opened = self._began = self.loop.time()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._begin()
        self.app_state = {}
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See whether this completes the head of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._begin()
        elif self._closing is None and not self.transport.is_closing():
            self.waits_since = self.loop.time()
            self._closing = self.loop.call_later(self._seconds, self.transport.close)
            self._make_room()

    def _begin(self) -> None:
        if self._closing is not None:
            self._began = self.loop.time()
            self._closing.cancel()
            self._closing = self.waits_since = None

    def _make_room(self) -> None:
        waiting = {
            connection: connection.waits_since
            for connection in self.connections
            if isinstance(connection, Connection) and connection.waits_since is not None
        }
        if len(waiting) > MOST_WAITING:
            min(waiting, key=waiting.__getitem__).transport.abort()
