"""Queue of messages to one WebSocket: first in, first out, and bounded."""

import asyncio
import json
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

Message = dict[str, Any]
MOST_BYTES = 128 * 1024 * 1024
"""Characters that may wait, two of the largest messages; who reads so slowly is cut off."""
CLOSE_LIMIT = 1.0
"""Seconds that the other end gets to take what was said last."""
GOING_AWAY = 1001
"""Close code of an end that leaves (RFC 6455, 7.4.1)."""
POLICY = 1008
"""Close code for breaking a rule (RFC 6455, 7.4.1)."""


class Outbox:
    """Sends messages in the order in which they were put; `put` never waits.

    Order is what clients of CDP rely on: a reply that overtakes an event leaves them waiting.
    """

    def __init__(self, socket: "ServerConnection") -> None:
        self._socket = socket
        self._waiting: deque[str] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._end: tuple[int, str] | None = None
        self._task = asyncio.create_task(self._send(), name="send to relay's peer")

    @property
    def closed(self) -> bool:
        """Whether nothing more is sent."""
        return self._end is not None

    def put(self, message: Message) -> None:
        """Send `message` after all that was put before."""
        if self._end is not None:
            return
        text = json.dumps(message)
        self._size += len(text)
        self._waiting.append(text)
        if self._size > MOST_BYTES:
            self._waiting.clear()
            self.close(POLICY, "reads too slowly")
        self._news.set()

    def close(self, code: int = GOING_AWAY, reason: str = "") -> None:
        """Close the connection when what was put before is sent, or soon where nobody reads."""
        if self._end is None:
            self._end = code, reason
            self._news.set()
            asyncio.get_running_loop().call_later(CLOSE_LIMIT, self._give_up)

    async def aclose(self) -> None:
        """Close, and wait for it a moment."""
        self.close()
        await asyncio.wait({self._task}, timeout=CLOSE_LIMIT)
        self._task.cancel()
        await asyncio.wait({self._task})

    def _give_up(self) -> None:
        if not self._task.done():
            self._socket.transport.abort()

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed, OSError):
            while self._waiting or self._end is None:
                while self._waiting:
                    text = self._waiting.popleft()
                    self._size -= len(text)
                    await self._socket.send(text)
                self._news.clear()
                if self._end is None:
                    await self._news.wait()
            await self._socket.close(*self._end)
        self._end = self._end or (GOING_AWAY, "")
