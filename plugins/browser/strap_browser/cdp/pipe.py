"""The DevTools protocol over the pipe of a browser of ours, with no other process in between.

Messages are JSON texts that end with a zero byte (`--remote-debugging-pipe` of Chromium).
"""

import asyncio
import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

Answer = dict[str, Any]
Listener = Callable[[str, dict[str, Any]], None]
"""Receives each event of a session: its name and its fields."""


class PipeError(Exception):
    """The browser refused a command, or nobody is there to answer it."""


class Pipe(asyncio.Protocol):
    """Both ends that this process has of the pipe; the browser quits when they are closed."""

    def __init__(self, commands: int, replies: int) -> None:
        """Take over the two file descriptors."""
        self._commands = os.fdopen(commands, "wb", buffering=0)
        self._replies = os.fdopen(replies, "rb", buffering=0)
        self._parts: list[bytes] = []
        self._last = 0
        self._waiting: dict[int, tuple[str, asyncio.Future[Answer]]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._reading: asyncio.BaseTransport | None = None
        self._writing: asyncio.WriteTransport | None = None

    async def open(self) -> None:
        """Begin to listen; before that nothing may be sent."""
        loop = asyncio.get_running_loop()
        self._reading, _ = await loop.connect_read_pipe(lambda: self, self._replies)
        self._writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._commands)

    def send(self, method: str, session: str = "", /, **params: Any) -> asyncio.Future[Answer]:
        """Send a command; the result is its answer, or raises `Refused`."""
        self._last += 1
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(partial(self._forget, self._last))
        if self._writing is None or self._writing.is_closing():
            answer.set_exception(PipeError("The browser is gone."))
            return answer
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._waiting[self._last] = session, answer
        self._writing.write(json.dumps(message).encode() + b"\0")
        return answer

    def listen(self, session: str, listener: Listener) -> None:
        """Call `listener` with each event of a session, and with its end; "" is the browser's."""
        self._listeners.setdefault(session, []).append(listener)

    def close(self) -> None:
        """Close both ends, without waiting until everything is sent."""
        if self._writing is not None and not self._writing.is_closing():
            self._writing.abort()
        if self._reading is not None:
            self._reading.close()
        self._commands.close()
        self._replies.close()

    def data_received(self, data: bytes) -> None:
        """Take what has come; the end of the last message may follow."""
        *ends, rest = data.split(b"\0")
        for end in ends:
            self._take(json.loads(b"".join((*self._parts, end))))
            self._parts.clear()
        if rest:
            self._parts.append(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits that nothing will come."""
        for session in {session for session, _ in self._waiting.values()}:
            self._end(session)

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            _, answer = self._waiting.get(message["id"], ("", None))
            if answer is None or answer.done():
                return
            if "error" in message:
                answer.set_exception(PipeError(str(message["error"].get("message"))))
            else:
                answer.set_result(message["result"])
            return
        method, session = message["method"], message.get("sessionId", "")
        for listener in self._listeners.get(session, ()):
            listener(method, message.get("params", {}))
        if method == "Inspector.targetCrashed":
            self._end(session)
        elif method == "Target.detachedFromTarget":
            ended = message["params"]["sessionId"]
            for listener in self._listeners.pop(ended, ()):
                listener(method, message["params"])
            self._end(ended)

    def _forget(self, number: int, answer: asyncio.Future[Answer]) -> None:
        """Take note that it is over; a refusal that nobody waits for concerns nobody."""
        self._waiting.pop(number, None)
        if not answer.cancelled():
            answer.exception()

    def _end(self, session: str) -> None:
        for of, answer in list(self._waiting.values()):
            if of == session and not answer.done():
                answer.set_exception(PipeError("The page is gone."))
