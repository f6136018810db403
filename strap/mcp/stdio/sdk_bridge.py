"""One stdio connection: the front's lines on one side, the streams of the SDK on the other."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from strap.mcp.messages.plain_calls import cancelled_id
from strap.mcp.shutdown import GRACE, Exit
from strap.mcp.stdio.fast_calls import FastCalls
from strap.mcp.stdio.handshake import Handshake
from strap.mcp.stdio.jsonrpc import decode, encode
from strap.mcp.stdio.sdk_probe import ask
from strap.mcp.stdio.writer import Writer

MAX_UNANSWERED = 256
"""Requests that wait for their answer; beyond it the client's messages wait."""

log = logging.getLogger(__name__)
Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


class Channel:
    """Carries messages between the client and the SDK until the client is gone."""

    def __init__(
        self,
        front: Handshake,
        server: Server[Any],
        early: FastCalls,
        writer: Writer,
        way: Exit,
    ) -> None:
        self.tools_changed = False
        """Set it when the front has listed an outdated tool: the client will be told."""
        self._front = front
        self._server = server
        self._early = early
        self._writer = writer
        self._way = way
        way.settled = self._settled
        self._lines: asyncio.Queue[tuple[bytes, bool] | None] = asyncio.Queue()
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()
        self._initialized = self._ended = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[tuple[Incoming, Outgoing]]:
        """Yield the pair of streams that `Server.run` takes."""
        to_sdk, sdk_in = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sdk_out, from_sdk = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._pump_in, to_sdk, tasks)
            tasks.start_soon(self._pump_out, from_sdk)
            self._early.take_over(self._take)
            yield sdk_in, sdk_out
            tasks.cancel_scope.cancel()

    def _take(self, line: bytes | None, apart: bool) -> None:
        if line is None:
            self._ended = True
            self._answered.set()
        self._lines.put_nowait(None if line is None else (line, apart))

    async def _pump_in(
        self, to_sdk: MemoryObjectSendStream[SessionMessage | Exception], tasks: Any
    ) -> None:
        async with to_sdk:
            while item := await self._lines.get():
                line, apart = item
                self._front.room.leave(line)
                message, error = decode(line)
                if error is not None:
                    await self._write(error)
                elif message is not None and apart:
                    tasks.start_soon(self._answer_apart, message)
                elif message is not None:
                    await self._forward(message, to_sdk)
            with anyio.move_on_after(GRACE):
                await self._settled()
            await self._way.settle()

    async def _settled(self) -> None:
        """Return when all requests are answered."""
        while self._unanswered:
            await self._next_answer()
        await self._early.finish()

    async def _forward(
        self, message: JSONRPCMessage, to_sdk: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        if isinstance(message, JSONRPCRequest):
            while len(self._unanswered) >= MAX_UNANSWERED and not self._ended:
                await self._next_answer()
            self._unanswered.add(message.id)
        await to_sdk.send(SessionMessage(message))
        if isinstance(message, JSONRPCNotification):
            if message.method == "notifications/cancelled":
                if (number := cancelled_id(message.params)) is not None:
                    self._unanswered.discard(number)
            elif message.method == "notifications/initialized":
                self._initialized = True
                await self.announce_change()

    async def _next_answer(self) -> None:
        self._answered = anyio.Event()
        await self._answered.wait()

    async def announce_change(self) -> None:
        """Tell a client of the handshake protocols that the tool list it got is outdated."""
        if self.tools_changed and self._initialized:
            self.tools_changed = False
            method = "notifications/tools/list_changed"
            await self._write(JSONRPCNotification(jsonrpc="2.0", method=method))

    async def _answer_apart(self, message: JSONRPCMessage) -> None:
        for answer in await ask(self._server, [message]):
            await self._write(answer)

    async def _pump_out(self, from_sdk: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_sdk:
            async for item in from_sdk:
                message = item.message
                if not isinstance(message, JSONRPCResponse | JSONRPCError):
                    await self._write(message)
                    continue
                if message.id in self._front.answered:
                    self._front.answered.discard(message.id)
                else:
                    await self._write(message)
                self._unanswered.discard("" if message.id is None else message.id)
                self._answered.set()

    async def _write(self, message: JSONRPCMessage) -> None:
        try:
            await self._writer.write(encode(message))
        except OSError:
            self._early.end()
