"""`strap serve --http`: the server over streamable HTTP."""

import gc
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
)
from starlette.requests import Request
from starlette.types import ASGIApp

from strap.api.calls import Caller
from strap.config import Config
from strap.errors import StartupError
from strap.mcp.asking import Ask, Ctx
from strap.mcp.elicitation import confirmer, inviter
from strap.mcp.event_loop import run
from strap.mcp.http.affinity import Affinity
from strap.mcp.http.allowed_hosts import AllowedHosts, check_names
from strap.mcp.http.bodies import MAX_BODY
from strap.mcp.http.connections import HEAD_SECONDS, Connection
from strap.mcp.http.draining import BODY_GRACE, DRAIN_SECONDS, Departure
from strap.mcp.http.exposure import is_loopback, warnings
from strap.mcp.http.identity.tokens import can_be_sent
from strap.mcp.http.listening import News, hosts, listen, url_of
from strap.mcp.http.middleware import PRINCIPAL, SESSION, AccessMiddleware
from strap.mcp.http.missed import Resumption
from strap.mcp.http.principals.principal import Principal
from strap.mcp.http.principals.registry import Principals
from strap.mcp.http.serve_settings import ServeSettings, read
from strap.mcp.http.sessions import Sessions
from strap.mcp.linked_files import LinkedFiles
from strap.mcp.resources import add_resources
from strap.mcp.sampling import sampler
from strap.mcp.server import Answer, WebServer
from strap.mcp.shutdown import ANSWERS
from strap.mcp.tool import MAX_CALLS, WebTool

MAX_SESSIONS = 100
IDLE_SECONDS = 1800.0
KNOWS_LINKS = "2025-06-18"
"""The first protocol version with `resource_link`."""


class HttpServer(WebServer):
    """Serves the tool over streamable HTTP: who calls is the session, where there is one."""

    def __init__(self, principals: Principals, sessions: Sessions) -> None:
        super().__init__(principals.first.tool)
        self.principals = principals
        self._sessions = sessions

    def build(self) -> Server[Any]:
        """Return the SDK's server, which has the files of calls as resources."""
        server = super().build()
        add_resources(server, self._files)
        return server

    def caller(self, ctx: Ctx, ask: Ask | None) -> Caller:
        """Return the caller of a call: from protocol 2026-07-28 on there are no sessions."""
        principal = _principal(ctx)
        return Caller(
            transport="http",
            principal=principal.name,
            session=_request(ctx).headers.get(SESSION),
            sample=sampler(ctx, ask),
            confirm=confirmer(ctx, ask),
            invite=inviter(ctx, ask),
            handles=principal.tool.handles.use(ctx, principal.name),
        )

    def tool_of(self, ctx: Ctx) -> WebTool:
        """The tool of the principal that calls."""
        return _principal(ctx).tool

    async def end_session(self, principal: Principal, session: str) -> None:
        """Release what the session's caller holds."""
        principal.tool.files.end(session)
        await principal.tool.router.end_session(f"{principal.name}/{session}")

    async def list_tools(self, ctx: Ctx, params: PaginatedRequestParams | None) -> ListToolsResult:
        """Answer `tools/list` with what this principal may call."""
        return ListToolsResult(tools=_principal(ctx).listed)

    async def call_tool(self, ctx: Ctx, params: CallToolRequestParams) -> Answer:
        """Answer a call and keep its session from being idle, whether or not anybody waits."""
        with self._sessions.busy(_request(ctx).headers.get(SESSION)):
            result = await super().call_tool(ctx, params)
        if isinstance(result, CallToolResult) and ctx.protocol_version < KNOWS_LINKS:
            result.content = [item for item in result.content if not isinstance(item, ResourceLink)]
        return result

    def _files(self, ctx: Ctx) -> tuple[LinkedFiles, str | None]:
        return _principal(ctx).tool.files, _request(ctx).headers.get(SESSION)


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
    replica: str | None = None,
    metrics: int | None = None,
    plugins: Iterable[tuple[str, Any]] = (),
) -> None:
    """Serve clients at http://HOST:PORT/mcp until a signal.

    `token` is needed unless `host` is loopback or the configuration names tokens. `names` are
    further host names that clients reach the server by. After SIGTERM calls in flight have `drain`
    seconds. `replica` is what ids of sessions begin with, `metrics` the port of `/metrics`, 0 for
    none; both win over the configuration. Raises `StartupError`.
    """
    _check_token(token or "")
    names = tuple(names)
    check_names(names)
    settings = read(config, replica=replica, metrics=metrics)
    principals = Principals(config, settings, token=token, max_calls=max_calls, plugins=plugins)
    principals.first.tool.router.plugins.report()
    listener = _listen(host, port, strangers=not (token or settings.tokens or settings.oauth))
    news = News(as_json=config.log_format == "json")
    for warning in warnings(listener, host, names, token):
        news.tell("warning", warning)
    sessions = Sessions(limit=max_sessions, idle_seconds=idle_seconds)
    server = HttpServer(principals, sessions)
    known = AllowedHosts(hosts(listener, names))
    gc.freeze()  # what is loaded is never garbage: without a look at it leaving is faster
    with listener, _counted(principals, sessions, settings):
        run(_serve, server, sessions, listener, known, drain, settings.replica, news)
    sys.stderr.flush()


def _listen(host: str, port: int, *, strangers: bool) -> socket.socket:
    """Return the socket; `strangers`, who show no token, are served on loopback alone."""
    listener = listen(host, port)
    if strangers and not is_loopback(listener):
        listener.close()
        raise StartupError(
            f"{host!r} can be reached from other machines, so a bearer token is needed.",
            hint="Give one with --token, STRAP_TOKEN or [serve.tokens], or bind 127.0.0.1.",
        )
    return listener


@contextmanager
def _counted(principals: Principals, sessions: Sessions, settings: ServeSettings) -> Iterator[None]:
    """Serve the metrics, if somebody wants them; calls cannot reach their port."""
    metrics, guard = principals.metrics, principals.first.tool.router.guard
    if metrics is None:
        yield
        return
    calls = principals.calls
    metrics.gauge("strap_calls_running", "Calls that run.", lambda: calls.running)
    metrics.gauge("strap_sessions", "Sessions that are open.", lambda: len(sessions))
    metrics.refusals(calls.refused)
    metrics.gauges(principals.gauges)
    with metrics.served(settings.metrics_host, settings.metrics) as port:
        guard.reserve(port, "http")
        try:
            yield
        finally:
            guard.release(port)


async def _serve(
    server: HttpServer,
    sessions: Sessions,
    listener: socket.socket,
    names: AllowedHosts,
    drain: float,
    replica: str,
    news: News,
) -> None:
    manager = StreamableHTTPSessionManager(
        server.build(),
        event_store=Resumption(),
        # The gate looks at hosts and origins; the SDK compares beginnings.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        session_idle_timeout=None,
        max_request_body_size=MAX_BODY,
    )
    gate = _gate(server, manager, sessions, names)
    port = listener.getsockname()[1]
    guard = server.tool.router.guard
    guard.reserve(port, "http")
    async with AsyncExitStack() as routers, manager.run(), anyio.create_task_group() as tasks:
        routers.push_async_callback(server.principals.aclose)
        web = _web_server(Affinity(gate, replica) if replica else gate)
        tasks.start_soon(sessions.watch)
        tasks.start_soon(server.principals.watch_handles, sessions.idle_seconds, server.end_session)
        if (subjects := server.principals.subjects) is not None:
            tasks.start_soon(subjects.watch, sessions.idle_seconds, sessions.any_of)
        tasks.start_soon(_stop, web, gate, server.principals, sessions, drain)
        news.tell("listening", f"listening on {url_of(listener)}")
        try:
            await web.serve(sockets=[listener])
        finally:
            guard.release(port)
        tasks.cancel_scope.cancel()


def _gate(
    server: HttpServer,
    manager: StreamableHTTPSessionManager,
    sessions: Sessions,
    names: AllowedHosts,
) -> AccessMiddleware:
    return AccessMiddleware(
        StreamableHTTPASGIApp(manager),
        sessions,
        names=names,
        principals=server.principals,
        end_session=server.end_session,
        most=4 * sessions.limit + MAX_CALLS,
    )


class _WebServer(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to strap: uvicorn would raise them again before the router is closed."""
        yield


def _web_server(gate: ASGIApp) -> uvicorn.Server:
    return _WebServer(
        uvicorn.Config(
            gate,
            http=Connection,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # nothing asks whom a proxy says that it is for
            timeout_keep_alive=int(HEAD_SECONDS),
            timeout_graceful_shutdown=1,
        )
    )


async def _stop(
    web: uvicorn.Server,
    gate: AccessMiddleware,
    principals: Principals,
    sessions: Sessions,
    drain: float,
) -> None:
    departure = Departure()
    await departure.requested.wait()
    gate.draining = True
    principals.drain()
    await departure.wait_for(lambda: not gate.arriving, min(BODY_GRACE, drain))
    await departure.wait_for(lambda: not (principals.calls.running or gate.answering), drain)
    departure.hurry()
    principals.end_calls(ANSWERS)
    await departure.wait_for(lambda: not (principals.calls.running or gate.answering), 0, ANSWERS)
    gate.closing = web.should_exit = True
    await sessions.end_all()


def _check_token(token: str) -> None:
    if token and not can_be_sent(token):
        raise StartupError(
            "The bearer token has characters that no client can send in a header.",
            hint="Use ASCII letters, digits and signs, and no blanks.",
        )


def _principal(ctx: Ctx) -> Principal:
    principal: Principal = _request(ctx).scope[PRINCIPAL]
    return principal


def _request(ctx: Ctx) -> Request:
    request = ctx.request
    assert isinstance(request, Request)
    return request
