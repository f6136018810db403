"""Connections of the HTTP server: without a request they wait for a while, and not in crowds."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request has to come, on a kept connection as well."""
MOST_WAITING = 256
"""Connections without a request; for one more the oldest of them is closed."""


class Connection(H11Protocol):
    """A connection that is closed when its next request does not begin in time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._closing: asyncio.TimerHandle | None = None

    @property
    def waits_until(self) -> float | None:
        """When it is closed unless a request comes, None while one is answered."""
        return self._closing.when() if self._closing is not None else None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._begin()
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
            self._closing = self.loop.call_later(HEAD_SECONDS, self.transport.close)
            self._make_room()

    def _begin(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _make_room(self) -> None:
        waiting = {
            each: each.waits_until
            for each in self.connections
            if isinstance(each, Connection) and each.waits_until is not None
        }
        if len(waiting) > MOST_WAITING:
            min(waiting, key=waiting.__getitem__).transport.abort()
