"""A connection to a browser that speaks WebDriver BiDi (W3C), the standard that Firefox follows.

Messages are handled in the order of the wire, as those of `cdp.connection`: the handlers of an
event have run when the answer to a command that came after it reaches whoever waits for it.
"""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from strap_browser.api import WebSocket

Params = dict[str, Any]
Handler = Callable[[str, Params], None]
"""Takes the name of an event and its parameters."""
GONE = "session not created"


class BidiError(Exception):
    """The browser refused a command; `code` is one of the standard's, as "no such frame"."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BidiConnection:
    """One connection to one browser."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._last = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self.is_open = False

    async def open(self, take: Handler, end: Callable[[], None]) -> None:
        """Begin to hand each event to `take`; `end` is called when no more will come."""
        self.is_open = True
        self._socket.acknowledge()
        await self._socket.open(partial(self._take, take), partial(self._end, end))

    def send(self, method: str, **params: Any) -> "asyncio.Future[Any]":
        """Send a command; the future has its answer, or raises `BidiError`."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if not self.is_open:
            answer.set_exception(BidiError(GONE, "The browser is gone."))
            answer.exception()  # retrieved: perhaps nobody waits for it
            return answer
        self._last += 1
        self._waiting[self._last] = answer
        answer.add_done_callback(partial(self._forget, self._last))
        self._socket.write(json.dumps({"id": self._last, "method": method, "params": params}))
        return answer

    def close(self) -> None:
        """Close the connection at once."""
        self.is_open = False
        self._socket.close()

    async def aclose(self) -> None:
        """Disconnect."""
        self.is_open = False
        await self._socket.aclose()

    def _take(self, handle: Handler, text: bytes | str) -> None:
        self._socket.acknowledge()
        message = json.loads(text)
        if message["type"] == "event":
            handle(message["method"], message["params"])
            return
        answer = self._waiting.get(message.get("id") or 0)
        if answer is None or answer.done():
            return
        if message["type"] == "error":
            answer.set_exception(BidiError(message["error"], message["message"]))
        else:
            answer.set_result(message["result"])

    def _forget(self, number: int, answer: "asyncio.Future[Any]") -> None:
        self._waiting.pop(number, None)
        if not answer.cancelled():
            answer.exception()

    def _end(self, end: Callable[[], None]) -> None:
        self.is_open = False
        for answer in list(self._waiting.values()):
            if not answer.done():
                answer.set_exception(BidiError(GONE, "The browser is gone."))
        end()
