"""A small client of the Chrome DevTools Protocol, for watching a browser beside others."""

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from strap import ActionError
from strap_browser.common.tasks import Tasks

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

log = logging.getLogger(__name__)
Params = dict[str, Any]
Listener = Callable[[Params, str], Coroutine[Any, Any, None] | None]
"""Receives the parameters of an event and the id of its session, empty for the browser's own."""
CONNECT_LIMIT = 5.0
ANSWER_LIMIT = 5.0
LONGEST_EVENT = 4 * 1024 * 1024
"""Characters beyond which an event is not read: a page makes them as long as it likes."""


class CdpError(Exception):
    """The browser refused a command, or is gone."""


class CdpWebSocket:
    """One connection; listeners are called in the order of the events."""

    def __init__(self, socket: "ClientConnection") -> None:
        self.closed = asyncio.Event()
        self._socket = socket
        self._last = 0
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._listeners: dict[str, Listener] = {}
        self._tasks = Tasks()
        self._reader = asyncio.create_task(self._read(), name="watch run")

    @classmethod
    async def connect(
        cls, address: str, headers: Mapping[str, str] | None = None
    ) -> "CdpWebSocket":
        """Connect to a browser's WebSocket address; raises `ActionError` (code "connect")."""
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        try:
            async with asyncio.timeout(CONNECT_LIMIT):
                socket = await connect(
                    address,
                    additional_headers=headers,
                    max_size=None,
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                )
        except (OSError, WebSocketException, TimeoutError) as error:
            raise ActionError(
                f"The browser did not accept a connection ({type(error).__name__}).",
                code="connect",
                retryable=True,
            ) from None
        return cls(socket)

    def on(self, method: str, listener: Listener) -> None:
        """Call `listener` with each event `method`; what it returns to be awaited runs aside."""
        self._listeners[method] = listener

    async def send(
        self, method: str, session: str = "", /, *, limit: float = ANSWER_LIMIT, **params: Any
    ) -> Params:
        """Send a command and return its answer; raises `CdpError`."""
        from websockets.exceptions import ConnectionClosed

        self._last += 1
        number = self._last
        message: Params = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            if self.closed.is_set():
                raise CdpError("The browser is gone.")
            async with asyncio.timeout(limit):
                await self._socket.send(json.dumps(message))
                answered: Params = await answer
                return answered
        except TimeoutError:
            raise CdpError(f"{method} was not answered within {limit:g} s.") from None
        except (OSError, ConnectionClosed) as error:
            raise CdpError(f"The browser is gone ({type(error).__name__}).") from None
        finally:
            self._waiting.pop(number, None)

    def post(self, method: str, session: str = "", **params: Any) -> None:
        """Send a command whose answer, good or bad, nobody needs."""
        self._tasks(self._quietly(method, session, params))

    async def aclose(self) -> None:
        """Disconnect."""
        await self._tasks.aclose()
        with suppress(Exception):
            async with asyncio.timeout(1):
                await self._socket.close()
        self._reader.cancel()
        await asyncio.wait({self._reader})

    async def _quietly(self, method: str, session: str, params: Params) -> None:
        with suppress(CdpError):
            await self.send(method, session, **params)

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            async for text in self._socket:
                if len(text) > LONGEST_EVENT and str(text[:9]) == '{"method"':
                    log.debug("An event of %d characters is left out", len(text))
                    continue
                self._take(json.loads(text))
        except (ConnectionClosed, OSError) as error:
            log.debug("The watched browser is gone: %s", error)
        finally:
            self.closed.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(CdpError("The browser is gone."))

    def _take(self, message: Params) -> None:
        if "id" in message:
            answer = self._waiting.get(message["id"])
            if answer is None or answer.done():
                return
            if "error" in message:
                answer.set_exception(CdpError(str(message["error"].get("message"))))
            else:
                answer.set_result(message["result"])
        elif listener := self._listeners.get(message["method"]):
            try:
                work = listener(message.get("params", {}), message.get("sessionId", ""))
            except Exception:
                # Whatever a page makes of its events, the next ones are still listened to.
                log.exception("%s could not be read", message["method"])
                return
            if work is not None:
                self._tasks(work)
