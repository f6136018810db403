"""`strap serve --http`: the server over streamable HTTP."""

import gc
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, CallToolResult

from strap.api.calls import Caller
from strap.config import Config
from strap.errors import StartupError
from strap.mcp.event_loop import run
from strap.mcp.http.allowed_hosts import AllowedHosts
from strap.mcp.http.connections import Connection
from strap.mcp.http.draining import DRAIN_SECONDS, Departure
from strap.mcp.http.exposure import is_loopback, warnings
from strap.mcp.http.middleware import PATH, SESSION, AccessMiddleware, principal
from strap.mcp.http.sessions import Sessions
from strap.mcp.http.tool import HttpTool
from strap.mcp.sampling import sampler
from strap.mcp.server import Ctx, WebServer
from strap.mcp.tool import MAX_CALLS
from strap.routing.assembly import make_router

MAX_SESSIONS = 100
IDLE_SECONDS = 1800.0
MAX_BODY = 4 << 20

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class HttpServer(WebServer):
    """Serves the tool over streamable HTTP: who calls is the session, where there is one."""

    tool: HttpTool

    def __init__(self, tool: HttpTool, sessions: Sessions, *, token: str | None) -> None:
        super().__init__(tool)
        self._principal = principal(token)
        self._sessions = sessions

    def caller(self, ctx: Ctx) -> Caller:
        """Who makes a call: from protocol 2026-07-28 on there are no sessions."""
        session = ctx.request.headers.get(SESSION) if ctx.request is not None else None
        return Caller(
            transport="http",
            principal=self._principal,
            session=session,
            sample=sampler(ctx),
        )

    async def end_session(self, session: str) -> None:
        """Release what the session's caller holds."""
        await self.tool.router.end_session(f"{self._principal}/{session}")

    async def call_tool(self, ctx: Ctx, params: CallToolRequestParams) -> CallToolResult:
        """Answer a call and keep its session from being idle, whether or not anybody waits."""
        with self._sessions.busy(self.caller(ctx).session):
            return await super().call_tool(ctx, params)


def serve(
    config: Config,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    names: Iterable[str] = (),
    max_sessions: int = MAX_SESSIONS,
    max_calls: int = MAX_CALLS,
    idle_seconds: float = IDLE_SECONDS,
    drain: float = DRAIN_SECONDS,
    plugins: Iterable[tuple[str, Any]] = (),
) -> None:
    """Serve clients at http://HOST:PORT/mcp until a signal.

    `token` is needed unless `host` is loopback. `names` are further host names that clients reach
    the server by. After SIGTERM calls in flight have `drain` seconds. Raises `StartupError`.
    """
    _check_token(token or "")
    router = make_router(config, default_network="public", extra=plugins)
    router.plugins.report()
    listener = _listen(host, port)
    if not token and not is_loopback(listener):
        listener.close()
        raise StartupError(
            f"{host!r} can be reached from other machines, so a bearer token is needed.",
            hint="Give one with --token or STRAP_TOKEN, or bind 127.0.0.1.",
        )
    names = tuple(names)
    for warning in warnings(listener, host, names, token or ""):
        sys.stderr.write(f"strap: {warning}\n")
    sessions = Sessions(limit=max_sessions, idle_seconds=idle_seconds)
    tool = HttpTool(router, max_calls=max_calls)
    server = HttpServer(tool, sessions, token=token or None)
    known = AllowedHosts(_hosts(listener, names))
    gc.freeze()  # what is loaded is never garbage: without a look at it leaving is faster
    run(_serve, server, sessions, listener, known, token or None, drain)
    sys.stderr.flush()


async def _serve(
    server: HttpServer,
    sessions: Sessions,
    listener: socket.socket,
    names: AllowedHosts,
    token: str | None,
    drain: float,
) -> None:
    manager = StreamableHTTPSessionManager(
        server.build(),
        # The gate looks at hosts and origins; the SDK compares beginnings.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        session_idle_timeout=None,
        max_request_body_size=MAX_BODY,
    )
    gate = AccessMiddleware(
        StreamableHTTPASGIApp(manager),
        sessions,
        names=names,
        token=token,
        end_session=server.end_session,
        most=4 * sessions.limit + MAX_CALLS,
    )
    router, port = server.tool.router, listener.getsockname()[1]
    router.guard.reserve(port, "http")
    async with router, manager.run(), anyio.create_task_group() as tasks:
        web = _web_server(gate)
        tasks.start_soon(sessions.watch)
        tasks.start_soon(_stop, web, gate, server.tool, sessions, drain)
        sys.stderr.write(f"strap: listening on {_url(listener)}\n")
        sys.stderr.flush()
        try:
            await web.serve(sockets=[listener])
        finally:
            router.guard.release(port)
        tasks.cancel_scope.cancel()


class _WebServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to strap: uvicorn would raise them again before the router is closed."""
        yield


def _web_server(gate: AccessMiddleware) -> uvicorn.Server:
    return _WebServer(
        uvicorn.Config(
            gate,
            http=Connection,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )


async def _stop(
    web: uvicorn.Server, gate: AccessMiddleware, tool: HttpTool, sessions: Sessions, drain: float
) -> None:
    departure = Departure()
    await departure.asked.wait()
    gate.draining = tool.draining = True
    await departure.wait_for(lambda: not (tool.running or gate.answering), drain)
    departure.hurry()
    tool.cancel_all()
    await departure.wait_for(lambda: not gate.answering, 0)
    gate.closing = web.should_exit = True
    await sessions.end_all()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise StartupError(f"There is no port {port}.", hint="Choose one from 0 to 65535.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise StartupError(
            f"Cannot listen on port {port} of {host!r}: {error.strerror}.",
            hint="Choose another port with --port; 0 is any free one.",
        ) from None
    return listener


def _check_token(token: str) -> None:
    if not (token.isascii() and token.isprintable()) or token != token.strip():
        raise StartupError(
            "The bearer token has characters that no client can send in a header.",
            hint="Use ASCII letters, digits and signs, without blanks around them.",
        )


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def _hosts(listener: socket.socket, names: Iterable[str]) -> Iterator[str]:
    """The hosts that the server is called by."""
    yield from (*LOOPBACK, *names)
    if not is_loopback(listener):
        yield from (listener.getsockname()[0], socket.gethostname())
