"""A connection to a browser, and the sessions of its targets, in the Chrome DevTools Protocol.

Sessions are flat: each message names the session that it is of ("Target.attachToTarget" with
`flatten`). Messages are handled in the order of the wire, one after the other: the handlers of an
event have run when the answer to a command that came after it reaches whoever waits for it. So
what a page did before it answered is known with the answer, without any further question.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from strap_browser.cdp.errors import (
    CdpError,
    ContextDestroyed,
    FrameCrashed,
    NotAnswered,
    TargetClosed,
    refusal,
)
from strap_browser.common.tasks import Tasks

log = logging.getLogger(__name__)
Params = dict[str, Any]
Answer = Any
"""An answer to a command: a dictionary, by the types in `protocol`."""
Handler = Callable[[Any], object]
"""Takes the parameters of an event, by the types in `protocol`."""
AnyHandler = Callable[[str, Params], object]
"""Takes the name of an event and its parameters."""
Listener = Callable[[Any, str], Coroutine[Any, Any, None] | None]
"""Takes the parameters of an event and the id of its session; what it returns runs aside."""
ANSWER_LIMIT = 5.0
"""Seconds for a command that takes a browser milliseconds; one on a loaded machine needs some."""
LONGEST_EVENT = 4 * 1024 * 1024
"""Characters beyond which an event is not read: a page makes them as long as it likes."""


LEFT_OUT = "strap.leftOut"
"""Event in place of one that is too long to read: its `characters`, and its `head`."""
HEAD = 300
"""Characters that tell what an event is."""
SESSION = re.compile(r'"sessionId":"([^"]+)"\}$')


class Transport(Protocol):
    """Carrier of the messages."""

    async def open(self, take: Callable[[bytes | str], None], end: Callable[[], None]) -> None:
        """Begin to hand each message to `take`, in order; call `end` when no more will come."""

    def write(self, message: str) -> None:
        """Send a message, without waiting until it is sent; nothing where the other end is gone."""

    def close(self) -> None:
        """Close it at once, whatever is not sent yet."""

    async def aclose(self) -> None:
        """Close it and return when nothing of it is left."""


class CdpSession:
    """A session with one target; `id` is "" for that of the browser itself."""

    def __init__(self, connection: "CdpConnection", session_id: str) -> None:
        self.id = session_id
        self.connection = connection
        self.of_frame = False
        """Whether it is with a frame, whose process is not that of its page and may be another."""
        self.interception: Any = None  # what owns the domain Fetch of a browser's own session
        self._refuses: Callable[[], CdpError] | None = None
        """Makes the error of further commands, once the frame crashed or left its process."""
        self._handlers: dict[str, list[Handler]] = {}
        self._listeners: list[AnyHandler] = []

    def send(self, method: str, /, **params: Any) -> "asyncio.Future[Answer]":
        """Send a command; the future has its answer, or raises `CdpError`."""
        if self._refuses is not None:
            return _refused(self._refuses())
        return self.connection.send(method, self.id, **params)

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with each such event of the session."""
        self._handlers.setdefault(event, []).append(handler)

    def off(self, event: str, handler: Handler) -> None:
        """Call `handler` no more."""
        self._handlers[event].remove(handler)

    def listen(self, handler: AnyHandler) -> None:
        """Call `handler` with every event of the session, and with its end."""
        self._listeners.append(handler)

    def detach(self) -> None:
        """End the session; the target stays."""
        self.connection.send("Target.detachFromTarget", sessionId=self.id)

    def lost(self, *, crashed: bool) -> CdpError:
        """Take note that the target's process is done with; return what its commands come to.

        The end of a frame's is that of a document. Its browser would never answer to one that
        `crashed`, until that is loaded again.
        """
        if not self.of_frame:
            return TargetClosed("The page is gone.")
        self._refuses = _frame_crashed if crashed else _frame_moved
        return self._refuses()

    def take(self, event: str, params: Params) -> None:
        """Hand an event to those who wait for it."""
        if event == "Inspector.targetReloadedAfterCrash":
            self._refuses = None
        for listener in self._listeners:
            _safely(event, partial(listener, event, params))
        for handler in self._handlers.get(event, ()):
            _safely(event, partial(handler, params))


class CdpConnection:
    """One connection to one browser."""

    def __init__(self, transport: Transport) -> None:
        self.closed = asyncio.Event()
        """Set when the browser is gone, or the connection to it."""
        self._transport = transport
        self._last = 0
        self._waiting: dict[int, tuple[str, asyncio.Future[Answer]]] = {}
        self._sessions: dict[str, CdpSession] = {}
        self._listeners: dict[str, Listener] = {}
        self._tasks = Tasks()
        self._is_open = False
        self.root = self.session("")
        """The browser's own session."""

    @classmethod
    async def connect(
        cls, address: str, headers: Mapping[str, str] | None = None
    ) -> "CdpConnection":
        """Connect to a browser's WebSocket address; raises `ActionError` (code "connect")."""
        from strap_browser.cdp.websocket import WebSocket

        connection = cls(await WebSocket.connect(address, headers))
        await connection.open()
        return connection

    async def open(self) -> None:
        """Begin to listen; before that nothing can be sent."""
        self._is_open = True
        await self._transport.open(self._take, self._end)

    def session(self, session_id: str) -> CdpSession:
        """Return the session of this id."""
        if session_id not in self._sessions:
            self._sessions[session_id] = CdpSession(self, session_id)
        return self._sessions[session_id]

    async def attach(self, target_id: str) -> CdpSession:
        """Open a session with a target; raises `CdpError`."""
        attached = await self.send("Target.attachToTarget", targetId=target_id, flatten=True)
        return self.session(attached["sessionId"])

    def on(self, method: str, listener: Listener) -> None:
        """Call `listener` with each event `method` of any session."""
        self._listeners[method] = listener

    def send(self, method: str, session: str = "", /, **params: Any) -> "asyncio.Future[Answer]":
        """Send a command; the future has its answer, or raises `CdpError`."""
        self._last += 1
        if not self._is_open:
            return _refused(TargetClosed("The browser is gone."))
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(partial(self._forget, self._last))
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._waiting[self._last] = session, answer
        self._transport.write(json.dumps(message))
        return answer

    async def call(
        self, method: str, session: str = "", /, *, limit: float = ANSWER_LIMIT, **params: Any
    ) -> Answer:
        """Send a command and return its answer; raises `CdpError`, `NotAnswered` after `limit`."""
        try:
            async with asyncio.timeout(limit):
                return await self.send(method, session, **params)
        except TimeoutError:
            raise NotAnswered(f"{method} was not answered within {limit:g} s.") from None

    def post(self, method: str, session: str = "", /, **params: Any) -> None:
        """Send a command whose answer, good or bad, nobody needs."""
        self._tasks(self._quietly(method, session, params))

    def close(self) -> None:
        """Close the connection at once, whatever is not sent yet."""
        self._is_open = False
        self._transport.close()

    async def aclose(self) -> None:
        """Disconnect."""
        await self._tasks.aclose()
        self._is_open = False
        await self._transport.aclose()

    async def _quietly(self, method: str, session: str, params: Params) -> None:
        with suppress(CdpError):
            await self.call(method, session, **params)

    def _take(self, text: bytes | str) -> None:
        if len(text) > LONGEST_EVENT and text[:9] in ('{"method"', b'{"method"'):
            self._leave_out(text)
        elif "id" in (message := json.loads(text)):
            self._answer(message)
        else:
            self._tell(message["method"], message.get("params", {}), message.get("sessionId", ""))

    def _leave_out(self, text: bytes | str) -> None:
        head, tail = (
            str(end, "ascii", "replace") if isinstance(end, bytes) else end
            for end in (text[:HEAD], text[-HEAD:])
        )
        if match := SESSION.search(tail):
            self._tell(LEFT_OUT, {"head": head, "characters": len(text)}, match[1])

    def _answer(self, message: dict[str, Any]) -> None:
        _, answer = self._waiting.get(message["id"], ("", None))
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(refusal(message["error"]))
        else:
            answer.set_result(message["result"])

    def _tell(self, method: str, params: Params, session: str) -> None:
        known = self._sessions.get(session)
        if known is not None:
            known.take(method, params)
        if listener := self._listeners.get(method):
            work = _safely(method, partial(listener, params, session))
            if asyncio.iscoroutine(work):
                self._tasks(work)
        if method == "Inspector.targetCrashed":
            self._fail(session, known, crashed=True)
        elif method == "Target.detachedFromTarget":
            ended = params["sessionId"]
            if known := self._sessions.pop(ended, None):
                known.take(method, params)
            self._fail(ended, known, crashed=False)

    def _forget(self, number: int, answer: "asyncio.Future[Answer]") -> None:
        self._waiting.pop(number, None)
        _concerns_nobody(answer)

    def _fail(self, session: str, known: CdpSession | None, *, crashed: bool) -> None:
        known = known or CdpSession(self, session)
        error = known.lost(crashed=crashed)
        for of, answer in list(self._waiting.values()):
            if of == session and not answer.done():
                answer.set_exception(error)

    def _end(self) -> None:
        self._is_open = False
        self.closed.set()
        for _, answer in list(self._waiting.values()):
            if not answer.done():
                answer.set_exception(TargetClosed("The browser is gone."))


def _refused(error: CdpError) -> "asyncio.Future[Answer]":
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    answer.set_exception(error)
    _concerns_nobody(answer)
    return answer


def _concerns_nobody(answer: "asyncio.Future[Answer]") -> None:
    if not answer.cancelled():
        answer.exception()


def _frame_moved() -> CdpError:
    return ContextDestroyed("The frame went to another process.")


def _frame_crashed() -> CdpError:
    return FrameCrashed("The process of the frame crashed.")


def _safely(event: str, handle: Callable[[], object]) -> object:
    """Have an event handled; whatever a page makes of it, the next ones are handled as well."""
    try:
        return handle()
    except Exception:
        log.exception("%s could not be handled", event)
        return None
