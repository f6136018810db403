"""Answers as server-sent events, in as few pieces as they take.

Most answers are one event, which is there soon. The SDK's own class sends head, event and end one
by one, and keeps four tasks for each answer: a quarter of what a short call takes.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from anyio.lowlevel import checkpoint
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server import streamable_http
from starlette.types import Receive, Scope, Send

Event = Mapping[str, Any]
HEAD_SECONDS = 0.5
"""For so long the head of an answer waits for the first event."""
TURNS = 3
"""Of the event loop, in which an answer ends after its last event."""
PING_SECONDS = 15.0
"""A stream on which nothing came for so long gets a comment, or proxies would end it."""
PING = b": ping\r\n\r\n"


class EventStream:
    """An ASGI response: each event of `content` as it comes; `data_sender_callable` makes them.

    The names of its arguments are those of the SDK. It ends with the content, or with the
    connection.
    """

    def __init__(
        self,
        content: MemoryObjectReceiveStream[Event],
        data_sender_callable: Callable[[], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None:
        fields = {**headers, "X-Accel-Buffering": "no"}  # nginx would keep it back
        self._head = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
        self._content = content
        self._make = data_sender_callable
        self._began = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._make)
            tasks.start_soon(self._await_end, receive, tasks.cancel_scope)
            await self._pass_on(send)

    async def _await_end(self, receive: Receive, scope: anyio.CancelScope) -> None:
        """Break off where the client leaves.

        It is told of a disconnection when the answer is complete, too (ASGI, HTTP, "Disconnect").
        """
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    async def _pass_on(self, send: Send) -> None:
        try:
            first = await self._next(HEAD_SECONDS)
            ends = first is not None and await self._ends()
            await self._send(send, encoded(first) if first else b"", last=ends)
            while not ends:
                event = await self._next(PING_SECONDS)
                await self._send(send, encoded(event) if event else PING, last=False)
        except anyio.EndOfStream:
            await self._send(send, b"", last=True)

    async def _next(self, seconds: float) -> Event | None:
        """Return the next event, None where none comes in time; raises `EndOfStream`."""
        with anyio.move_on_after(seconds):
            return await self._content.receive()
        return None

    async def _ends(self) -> bool:
        """Whether the content ends with the event that came: then it does so at once."""
        for _ in range(TURNS):
            await checkpoint()
            left = self._content.statistics()
            if not left.open_send_streams:
                return not left.current_buffer_used
        return False

    async def _send(self, send: Send, body: bytes, *, last: bool) -> None:
        if not self._began:
            length = [(b"content-length", str(len(body)).encode())] if last else []
            head = [*self._head, *length]
            await send({"type": "http.response.start", "status": 200, "headers": head})
        self._began = True
        await send({"type": "http.response.body", "body": body, "more_body": not last})


def encoded(event: Event) -> bytes:
    """Return an event as it is sent (HTML, 9.2.6); its data is JSON and has no line break."""
    return "".join(f"{name}: {value}\r\n" for name, value in event.items()).encode() + b"\r\n"


def send_as_one() -> None:
    """Have the SDK send its answers so, where it does by the class that this one stands for."""
    names = vars(streamable_http)
    if "EventSourceResponse" in names:
        names["EventSourceResponse"] = EventStream
