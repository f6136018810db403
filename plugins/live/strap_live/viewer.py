"""One viewer: what is on its way to them, never without bound."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap_browser.api import started
from strap_live.admission import Grant
from strap_live.pictures.frames import Frame

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

MOST_MESSAGES = 256
"""Messages that may wait; of entries of the timeline the oldest go first."""
MOST_LONG = 16
"""Messages that may wait where one is added that may be long, of a stored run."""
STALLED = 30.0
"""Seconds without an acknowledgement after which a viewer is cut off."""
TOO_SLOW = 4408
NEEDED = ("entry", "pointer", "stats")
"""Kinds of messages that may be left out when a viewer reads slowly."""


class Viewer:
    """Sends pictures one at a time, the newest, and messages in order."""

    def __init__(self, socket: "ServerConnection", grant: Grant) -> None:
        self.grant = grant
        self.visible = True
        self.dropped = 0
        self._socket = socket
        self._messages: deque[Mapping[str, Any]] = deque()
        self._slot: tuple[int, Frame] | None = None
        """The newest picture, and the number of its place."""
        self._seq = 0
        self._flying: float | None = None
        """When the picture was sent that is not drawn yet."""
        self._news = asyncio.Event()
        self._work = asyncio.create_task(self._send(), name="send to viewer")

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message; never waits."""
        self._messages.append(message)
        if len(self._messages) > MOST_MESSAGES:
            self._drop()
        self._news.set()

    def show(self, place: int, frame: Frame) -> None:
        """Send a picture of the place with this number as soon as the one before is drawn."""
        self.dropped += self._slot is not None
        self._slot = place, frame
        self._news.set()
        if self._flying is not None and time.monotonic() - self._flying > STALLED:
            self.close(TOO_SLOW, "too slow")

    @property
    def behind(self) -> bool:
        """Whether so much is on its way that nothing long may be added."""
        return len(self._messages) > MOST_LONG

    def post(self, data: bytes) -> None:
        """Send a picture in the order of the messages."""
        self._messages.append({"data": data})
        self._news.set()

    def drawn(self, seq: int) -> None:
        """Take note that a picture was drawn."""
        if seq == self._seq:
            self._flying = None
            self._news.set()

    def close(self, code: int, reason: str) -> None:
        """Cut the viewer off."""
        self._work.cancel()
        started(self._socket.close(code, reason))

    async def aclose(self) -> None:
        """End what is sent."""
        self._work.cancel()
        await asyncio.wait({self._work})

    def _drop(self) -> None:
        for at, message in enumerate(self._messages):
            if message.get("type") in NEEDED:
                del self._messages[at]
                return
        self.close(TOO_SLOW, "too slow")

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed, OSError):
            while True:
                while self._messages:
                    message = self._messages.popleft()
                    data = message.get("data")
                    await self._socket.send(data if data is not None else json.dumps(message))
                if self._slot is not None and self._flying is None:
                    (place, frame), self._slot = self._slot, None
                    self._seq += 1
                    self._flying = time.monotonic()
                    await self._socket.send(frame.packed(place, self._seq))
                    continue
                self._news.clear()
                await self._news.wait()
