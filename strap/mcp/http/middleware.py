"""Checks of every HTTP request before it reaches the SDK: host, origin, token, limits."""

import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from strap.json.values import MOST_VALUES
from strap.mcp.http.allowed_hosts import AllowedHosts
from strap.mcp.http.answers import PROBES, RETRY, probed, refusal
from strap.mcp.http.bodies import TooManyValuesError, counted, in_time
from strap.mcp.http.connections import Connection
from strap.mcp.http.listening import PATH
from strap.mcp.http.principals.principal import Principal
from strap.mcp.http.principals.registry import Principals
from strap.mcp.http.rate import LATE
from strap.mcp.http.sessions import Sessions
from strap.network import OWN_REQUEST
from strap.text import short_repr

SESSION = "mcp-session-id"
METHOD = "mcp-method"
LAST_EVENT = "last-event-id"
"""Header with the last event that a client got; if it is not kept, only new events follow."""
KEPT = 1 << 16
"""Bytes of a response that are looked at: errors are short."""


EndSession = Callable[[Principal, str], Awaitable[None]]
PRINCIPAL = "strap.principal"
"""Key of a request's scope that says who calls."""


class AccessMiddleware:
    """An ASGI application around the SDK's, for one path.

    `end_session` is awaited with the principal and the id of a session that is over, after the SDK
    has ended it. At most `most` requests are answered at a time, of one of several principals half
    of them.
    """

    def __init__(
        self,
        app: ASGIApp,
        sessions: Sessions,
        *,
        names: AllowedHosts,
        principals: Principals,
        end_session: EndSession,
        most: int,
    ) -> None:
        self.draining = False
        """Whether sessions that are open may go on, and no other request is answered."""
        self.closing = False
        """Whether no request is answered."""
        self.arriving: set[int] = set()
        """Requests whose body is on its way."""
        self.answering: set[int] = set()
        """Requests that wait for an answer; streams, which clients keep open, are none."""
        self._running = 0
        self._most = most
        self._app = app
        self._sessions = sessions
        self._names = names
        self._principals = principals
        self._challenges = principals.challenges
        self._share = most if principals.single else most // 2
        self._end_session = end_session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"] in PROBES:
            ready = not (self.draining or self.closing or self._sessions.full)
            await probed(scope["path"], ready=ready)(scope, receive, send)
            return
        if scope["path"] == self._challenges.metadata_path and self._challenges.metadata:
            await self._challenges.metadata(scope, receive, send)
            return
        request = Request(scope)
        admitted = self._refuse(request) or await self._admit(request)
        if isinstance(admitted, Response):
            await admitted(scope, receive, send)
            return
        await self._serve(admitted, request, scope, receive, send)

    async def _serve(
        self, principal: Principal, request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        scope[PRINCIPAL] = principal
        if request.headers.get(METHOD) == "server/discover" and (at := Connection.of(scope)):
            at.is_new_client = True
        scope["user"] = _user(principal.name)
        last, session = request.headers.get(LAST_EVENT, ""), request.headers.get(SESSION)
        dropped = b"" if principal.missed.has(last, session) else LAST_EVENT.encode()
        scope["headers"] = [_plain(*header) for header in scope["headers"] if header[0] != dropped]
        self._running += 1
        principal.requests += 1
        try:
            await self._answer(request, scope, receive, send)
        finally:
            self._running -= 1
            principal.requests -= 1
            principal.idle_since = time.monotonic()
            self.arriving.discard(id(scope))
            self.answering.discard(id(scope))

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        session = request.headers.get(SESSION)
        if request.method == "POST":
            self.arriving.add(id(scope))
            receive = counted(in_time(receive, partial(self._arrived, id(scope))))
        try:
            if session is None and _has_sessions(request):
                await self._open(scope, receive, send)
            else:
                await self._pass(session, scope, receive, send)
        except TimeoutError:
            await refusal("The body of the request did not come in time.", 408)(
                scope, receive, send
            )
        except TooManyValuesError:
            why = f"The body of the request has more than {MOST_VALUES:,} values."
            await refusal(why, 413)(scope, receive, send)

    def _arrived(self, number: int) -> None:
        self.arriving.discard(number)
        self.answering.add(number)

    def _refuse(self, request: Request) -> Response | None:
        if request.url.path != PATH:
            return refusal(f"Not found; the server is at {PATH}.", 404)
        if not self._names.served(request.headers):
            host = short_repr(request.headers.get("host", ""))
            return refusal(f"Not served under the host {host}; allow it with --name.", 421)
        if not self._names.trusts(request.headers):
            return Response("Invalid Origin header", status_code=403)
        if OWN_REQUEST in request.headers:
            return refusal("strap serves nobody whom strap calls for.", 403)
        return _refuse_ambiguous(request)

    async def _admit(self, request: Request) -> Principal | Response:
        principal = await self._principals.admit(request)
        if isinstance(principal, Response):
            return principal
        if self._running >= self._most or principal.requests >= self._share:
            self._principals.calls.refuse("requests", principal.name)
            return refusal("Too many requests at a time. Try again later.", 503, RETRY)
        if (wait := principal.rate.take()) > 0:
            return await self._slow_down(principal, wait)
        if self.closing or (self.draining and SESSION not in request.headers):
            return refusal("strap is shutting down.", 503, RETRY)
        return principal

    async def _slow_down(self, principal: Principal, wait: int) -> Response:
        """Refuse late, as a call beyond the rate is."""
        self._principals.calls.refuse("rate", principal.name)
        self._running += 1
        principal.requests += 1
        try:
            await anyio.sleep(LATE)
        finally:
            self._running -= 1
            principal.requests -= 1
        headers = {"retry-after": str(wait)}
        return refusal("There were too many requests in the last minute.", 429, headers)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope[PRINCIPAL]
        if not self._sessions.has_room(principal.name, principal.sessions):
            self._principals.calls.refuse("sessions", principal.name)
            refused = refusal("Too many sessions are open. Try again later.", 503, RETRY)
            await refused(scope, receive, send)
            return
        with self._sessions.opening(principal.name), principal.missed.of(None) as streams:
            reply = _Reply(send, lambda name: principal.missed.begin(name, streams))
            await self._app(scope, receive, reply)
            if reply.session is not None:
                end = partial(self._end, opened_by=scope)
                self._sessions.add(reply.session, end, owner=principal.name)
        if reply.session is not None and reply.failed:
            await self._sessions.end(reply.session)

    async def _pass(self, session: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        reply, principal = _Reply(send), scope[PRINCIPAL]
        with self._sessions.busy(session), principal.missed.of(session):
            await self._app(scope, receive, reply)
        if session is not None and scope["method"] == "DELETE" and reply.status == 200:
            await self._sessions.end(session)

    async def _end(self, name: str, opened_by: Scope) -> None:
        """End a session in the SDK as its client would, then tell the router."""
        essential = [(k, v) for k, v in opened_by["headers"] if k in (b"host", b"authorization")]
        headers = [*essential, (SESSION.encode(), name.encode())]
        await self._app({**opened_by, "method": "DELETE", "headers": headers}, _nothing, _ignore)
        principal: Principal = opened_by[PRINCIPAL]
        principal.missed.end(name)
        await self._end_session(principal, name)


class _Reply:
    def __init__(self, send: Send, opened: Callable[[str], None] | None = None) -> None:
        """`opened` is called with the session, before its client knows of it."""
        self.status = 0
        self.session: str | None = None
        self._body = b""
        self._send = send
        self._opened = opened

    @property
    def failed(self) -> bool:
        """Whether it is an error, of HTTP or of JSON-RPC, or nobody waited for it."""
        return self.status >= 400 or not self._body or "error" in _messages(self._body)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            values = [v for k, v in message.get("headers", ()) if k.lower() == SESSION.encode()]
            self.session = values[0].decode("latin-1") if values else None
            if self.session is not None and self._opened is not None:
                self._opened(self.session)
        elif len(self._body) < KEPT:
            self._body += message.get("body", b"")
        await self._send(message)


def _refuse_ambiguous(request: Request) -> Response | None:
    """Refuse what a proxy could read in another way than this server (RFC 9112, 6.1)."""
    if len(request.headers.getlist(SESSION)) > 1:
        return refusal("There is more than one header Mcp-Session-Id.", 400)
    if "transfer-encoding" in request.headers and "content-length" in request.headers:
        headers = {"connection": "close"}  # what follows may be a part of this request
        return refusal("The length of the body is told in two ways.", 400, headers)
    return None


def _has_sessions(request: Request) -> bool:
    """Whether the SDK serves the request by a protocol with sessions."""
    version = request.headers.get("mcp-protocol-version")
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _messages(body: bytes) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for line in body.splitlines():
        with suppress(ValueError):
            message = json.loads(line.removeprefix(b"data:"))
            if isinstance(message, dict):
                merged |= message
    return merged


def _user(principal: str) -> AuthenticatedUser:
    """The SDK binds a session to whom it was opened by."""
    return AuthenticatedUser(AccessToken(token="", client_id=principal, scopes=[]))


def _plain(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header field as the SDK reads it: it knows media types in lower case only."""
    if name != b"content-type":
        return name, value
    media_type, semicolon, rest = value.partition(b";")
    return name, media_type.lower() + semicolon + rest


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_: Message) -> None:
    return
