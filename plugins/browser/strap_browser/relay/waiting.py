"""Connections to the relay that have not said yet what they want."""

import asyncio
from typing import ClassVar

from websockets.asyncio.server import ServerConnection

MOST = 256
"""For one more the oldest of them is closed: strap and the extension say it at once."""


class Arriving(ServerConnection):
    """A connection that is in `waiting`, the oldest first, until it is ended or taken out."""

    waiting: ClassVar[dict[ServerConnection, None]]
    """That of one relay, which has a class of its own."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the request."""
        super().connection_made(transport)
        self.waiting[self] = None
        if len(self.waiting) > MOST:
            next(iter(self.waiting)).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self.waiting.pop(self, None)
        super().connection_lost(exc)
