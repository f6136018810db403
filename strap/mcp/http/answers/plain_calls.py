"""Plain calls over HTTP, answered without the SDK exactly as it would answer them.

What the SDK does for a call, its streams, tasks and models, takes longer than a short call itself.
It still gets whatever is no plain call, and any call where something of its is wanted: a client
that may be asked, progress, a span of its own.
"""

import asyncio
import json
import sys
from collections.abc import Coroutine, Mapping
from typing import Any

from mcp_types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from strap.api.calls import Caller
from strap.mcp.http.answers import events
from strap.mcp.http.bodies import MAX_BODY
from strap.mcp.http.principals.principal import Principal
from strap.mcp.http.sessions import Sessions
from strap.mcp.messages.plain_calls import ToolCall, as_call, cancelled_id, correlated
from strap.mcp.messages.requests import as_request
from strap.mcp.tool import CallResult

KNOWS_LINKS = "2025-06-18"
"""The first protocol version with `resource_link`."""
SPANS = "opentelemetry.sdk.trace"
"""Where spans are collected, the SDK makes one for each request."""
ASKED = frozenset(("elicitation", "sampling"))
"""What clients offer that can be asked."""
TAKEN = frozenset(("application/json", "text/event-stream"))
"""What a client takes as an answer (MCP, Streamable HTTP)."""
CANCELLED = {"code": -32800, "message": "Request cancelled"}
"""What the SDK answers to a call that was cancelled."""


class _Run:
    """A call that runs; `over` is done when its session is."""

    def __init__(self, work: Coroutine[Any, Any, CallResult]) -> None:
        self.task = asyncio.create_task(work, name="plain call")
        self.over = asyncio.get_running_loop().create_future()


class PlainCalls:
    """The calls in `sessions` that run without the SDK."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._running: dict[tuple[str, int | str], _Run] = {}

    async def take(
        self, principal: Principal, session: str, request: Request, receive: Receive, send: Send
    ) -> Receive | None:
        """Answer a plain call; of what is none, return how the SDK is to receive it."""
        if not self._is_known(principal, session, request):
            return receive
        body, receive = await read(request.scope, receive)
        if body is None or not self._is_known(principal, session, request):
            return receive  # the session may have ended while the body came
        message = _parsed(body)
        self._heed(session, message)
        asks = as_request(message)
        call = None if asks is None else as_call(asks, "legacy", KNOWS_LINKS)
        if call is None or not self._is_plain(principal, session, call):
            return receive
        await self._answer(self._begin(principal, session, call), session, call, receive, send)
        return None

    def end(self, session: str) -> None:
        """Cancel the calls of a session that is over: they get no answer."""
        for (name, _), run in tuple(self._running.items()):
            if name == session:
                run.task.cancel()
                if not run.over.done():
                    run.over.set_result(None)

    def _heed(self, session: str, message: Any) -> None:
        """Do what a message means for the calls that run, or for those to come."""
        method = message.get("method") if isinstance(message, dict) else None
        if method == "initialize":  # the client may offer something else from now on
            self._sessions.leave_to_sdk(session)
        cancelled = _cancelled(message) if method == "notifications/cancelled" else None
        if cancelled is not None and (run := self._running.get((session, cancelled))) is not None:
            run.task.cancel()

    def _is_known(self, principal: Principal, session: str, request: Request) -> bool:
        """Whether the SDK would take a request in this session."""
        return (
            request.method == "POST"
            and _types(request, "content-type") == {"application/json"}
            and _types(request, "accept") >= TAKEN
            and SPANS not in sys.modules
            and self._sessions.is_plain(session, principal.name)
        )

    def _is_plain(self, principal: Principal, session: str, call: ToolCall) -> bool:
        tool = principal.tool
        return (
            call.name == tool.name
            and call.progress_token is None
            and (session, correlated(call.id)) not in self._running
            and not tool.asks_caller(call.arguments)
        )

    def _begin(self, principal: Principal, session: str, call: ToolCall) -> _Run:
        """Run a call, which goes on where its client leaves."""

        async def work() -> CallResult:
            with self._sessions.busy(session):
                caller = Caller(transport="http", principal=principal.name, session=session)
                return await principal.tool.call(call.arguments, caller, None)

        key = session, correlated(call.id)
        run = self._running[key] = _Run(work())
        run.task.add_done_callback(lambda _: self._running.pop(key, None))
        return run

    async def _answer(
        self, run: _Run, session: str, call: ToolCall, receive: Receive, send: Send
    ) -> None:
        leaving = asyncio.ensure_future(_left(receive))
        answer = _Answer(session, send)
        try:
            ends = {run.task, run.over, leaving}
            seconds = events.HEAD_SECONDS
            while not any(each.done() for each in ends):
                await asyncio.wait(ends, timeout=seconds, return_when="FIRST_COMPLETED")
                if not any(each.done() for each in ends):
                    await answer.wait()
                seconds = events.PING_SECONDS
            if run.over.done():
                await answer.end(b"")
            elif run.task.done():
                await answer.end(_told(run.task, call))
        finally:
            leaving.cancel()


class _Answer:
    """An answer of one event, at most, which is sent in one piece where it comes soon."""

    def __init__(self, session: str, send: Send) -> None:
        self._head = [
            (b"cache-control", b"no-cache, no-transform"),
            (b"connection", b"keep-alive"),
            (b"content-type", b"text/event-stream"),
            (b"mcp-session-id", session.encode("latin-1")),
            (b"x-accel-buffering", b"no"),
        ]
        self._send = send
        self._began = False

    async def wait(self) -> None:
        """Send the head, or a sign of life."""
        ping = events.PING if self._began else b""
        await self._begin()
        await self._send({"type": "http.response.body", "body": ping, "more_body": True})

    async def end(self, body: bytes) -> None:
        """Send what is left."""
        await self._begin((b"content-length", str(len(body)).encode()))
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _begin(self, *more: tuple[bytes, bytes]) -> None:
        if not self._began:
            self._began = True
            headers = [*self._head, *more]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})


def _told(task: asyncio.Task[CallResult], call: ToolCall) -> bytes:
    """Return the event that tells how a call ended."""
    try:
        ending: Mapping[str, Any] = {"result": task.result()}
    except asyncio.CancelledError:
        ending = {"error": CANCELLED}
    message = {"jsonrpc": "2.0", "id": call.id, **ending}
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return events.encoded({"event": "message", "data": text})


def _types(request: Request, name: str) -> set[str]:
    """Return the media types in a header, without their parameters."""
    types = request.headers.get(name, "").lower().split(",")
    return {each.partition(";")[0].strip() for each in types}


def are_plain(hello: bytes | None, version: str) -> bool:
    """Whether calls of a session may be plain, which `hello` opens with a `version` agreed on.

    They are not where the client can be asked something, be it by a call within a call.
    """
    request = None if hello is None else as_request(_parsed(hello))
    capabilities = request and (request.get("params") or {}).get("capabilities")
    return (
        isinstance(capabilities, dict)
        and capabilities.keys().isdisjoint(ASKED)
        and version >= KNOWS_LINKS
    )


def _parsed(body: bytes) -> Any:
    """Return the message in a body as the SDK reads it, None where it refuses that."""
    try:
        return from_json(body)
    except ValueError:
        return None


def _cancelled(message: dict[str, Any]) -> int | str | None:
    """Return what tells the call that a notification cancels, None if the SDK takes it for none."""
    try:
        found = jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        return None
    params = found.params if isinstance(found, JSONRPCNotification) else None
    number = cancelled_id(params)
    return None if number is None else correlated(number)


async def read(scope: Scope, receive: Receive) -> tuple[bytes | None, Receive]:
    """Return the body of a request, and how it is received once more.

    None where the client left, or the body is longer than the SDK takes, or says that it is.
    """
    told = Headers(scope=scope).get("content-length", "")
    if told.isdecimal() and int(told) > MAX_BODY:
        return None, receive
    parts: list[Message] = []
    length, ends = 0, False
    while not ends:
        parts.append(await receive())
        length += len(parts[-1].get("body", b""))
        if parts[-1]["type"] != "http.request" or length > MAX_BODY:
            return None, _again(parts, receive)
        ends = not parts[-1].get("more_body", False)
    return b"".join(each.get("body", b"") for each in parts), _again(parts, receive)


def _again(parts: list[Message], receive: Receive) -> Receive:
    left = iter(parts)

    async def again() -> Message:
        return next(left, None) or await receive()

    return again


async def _left(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
