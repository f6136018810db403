"""The WebSocket of a browser's debugging port, or of what speaks like one."""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from strap import ActionError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

log = logging.getLogger(__name__)
CONNECT_LIMIT = 5.0
"""Seconds to connect: the port is on this machine, or a service that is there already."""
QUICK_ACKNOWLEDGEMENT: int | None = getattr(socket, "TCP_QUICKACK", None)
"""The option of Linux, which holds until the next part of a message."""
CLOSE_LIMIT = 1.0
"""Seconds for the closing handshake, which changes nothing any more."""


class WebSocket:
    """Both directions of one socket; what is written is sent in order, beside the reading."""

    def __init__(self, socket: "ClientConnection") -> None:
        self._socket = socket
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._work: set[asyncio.Task[None]] = set()

    @classmethod
    async def connect(cls, address: str, headers: Mapping[str, str] | None = None) -> "WebSocket":
        """Connect to `address`; raises `ActionError` (codes "connect", "full")."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus, WebSocketException

        try:
            async with asyncio.timeout(CONNECT_LIMIT):
                socket = await connect(
                    address,
                    additional_headers=headers,
                    max_size=None,
                    # Compressing each document's script and each answer costs more than it saves on
                    # the way to a browser of this machine: a click took 50 ms with it, 34 without.
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                )
        except InvalidStatus as error:
            raise _refused(error.response.status_code) from None
        except (OSError, WebSocketException, TimeoutError) as error:
            raise ActionError(
                f"The browser did not accept a connection ({type(error).__name__}).",
                code="connect",
                retryable=True,
            ) from None
        return cls(socket)

    async def open(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        """Begin to hand each message to `take`; `end` is called when no more will come."""
        self._work = {
            asyncio.create_task(self._read(take, end), name="read CDP"),
            asyncio.create_task(self._write(end), name="write CDP"),
        }

    def write(self, message: str) -> None:
        """Send a message; nothing where the other end is gone, which `end` tells."""
        self._outgoing.put_nowait(message)

    def acknowledge(self) -> None:
        """Acknowledge what has come at once, where the system can.

        A server that sends a message in two parts waits for that, as Firefox does, up to 40 ms.
        """
        if QUICK_ACKNOWLEDGEMENT is not None:
            with suppress(OSError):  # it may be gone
                raw = self._socket.transport.get_extra_info("socket")
                raw.setsockopt(socket.IPPROTO_TCP, QUICK_ACKNOWLEDGEMENT, 1)

    def close(self) -> None:
        """Close the connection at once."""
        for task in self._work:
            task.cancel()
        self._socket.transport.abort()

    async def aclose(self) -> None:
        """Close the connection as WebSocket peers do, and end what reads and writes."""
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_LIMIT):
                await self._socket.close()
        for task in self._work:
            task.cancel()
        if self._work:
            await asyncio.wait(self._work)

    async def _read(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            async for text in self._socket:
                take(text)
        except (ConnectionClosed, OSError) as error:
            log.debug("The browser is gone: %s", error)
        finally:
            end()

    async def _write(self, end: Callable[[], None]) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            while True:
                await self._socket.send(await self._outgoing.get())
        except (ConnectionClosed, OSError) as error:
            log.debug("The browser is gone: %s", error)
            end()


def _refused(status: int) -> ActionError:
    full = status in (429, 503)
    what = "no browser is left" if full else "the connection is refused"
    return ActionError(
        f"Where the browser should be, {what} ({status}).",
        hint="Repeat the call later." if full else "The operator sets address and headers.",
        code="full" if full else "connect",
        retryable=full or status >= 500,
    )
