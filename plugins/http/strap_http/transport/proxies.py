"""The proxy that the operator names, and what goes past it."""

import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial

import httpcore2
import socksio

from strap import ProxyServer, VettedURL
from strap_http.transport.errors import ERRORS, NoTunnel

_IN_TUNNEL = ("proxy.start_tls.started", "socks.start_tls.started")


@dataclass(kw_only=True, slots=True, eq=False)
class _Attempt:
    """Streams opened to the proxy for one request, and whether a tunnel through it stands."""

    streams: list[httpcore2.AsyncNetworkStream] = field(default_factory=list)
    has_tunnel: bool = False

    async def note(self, event: str, _: dict[str, object]) -> None:
        """Take note of an event of httpcore2 (its extension `trace`)."""
        self.has_tunnel |= event in _IN_TUNNEL


_attempt: ContextVar[_Attempt] = ContextVar("attempt")


class Proxy:
    """Connects through the proxy at `url`, which resolves names; not to `exceptions`."""

    def __init__(self, url: str, exceptions: Sequence[str]) -> None:
        self._server = ProxyServer.at(url, exceptions)

    def takes(self, target: VettedURL) -> bool:
        """Whether `target` is reached through the proxy."""
        return self._server.takes(target)

    def pool(
        self, context: ssl.SSLContext, connections: int, keep_alive: float
    ) -> httpcore2.AsyncConnectionPool:
        """Return a pool of connections through the proxy, to whom `context` trusts."""
        server = self._server
        auth = (server.user, server.password)
        url = httpcore2.URL(scheme=server.scheme, host=server.host, port=server.port, target="/")
        make: Callable[..., httpcore2.AsyncConnectionPool] = httpcore2.AsyncSOCKSProxy
        if server.scheme != "socks5":
            secure = context if server.scheme == "https" else None
            make = partial(httpcore2.AsyncHTTPProxy, proxy_ssl_context=secure)
        return make(
            proxy_url=url,
            proxy_auth=auth if any(auth) else None,
            ssl_context=context,
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=keep_alive,
            network_backend=_Backend(),
        )

    @asynccontextmanager
    async def connecting(self, message: httpcore2.Request) -> AsyncIterator[None]:
        """Close a connection that fails inside; before a tunnel stands, raise `NoTunnel`."""
        attempt = _Attempt()
        token = _attempt.set(attempt)
        message.extensions["trace"] = attempt.note
        try:
            yield
        except BaseException as error:
            for stream in attempt.streams:
                await stream.aclose()
            if isinstance(error, socksio.SOCKSError):
                raise httpcore2.ProxyError("not SOCKS") from error
            is_open = bool(attempt.streams) and not isinstance(error, httpcore2.ProxyError)
            needs_tunnel = message.url.scheme == b"https" and not attempt.has_tunnel
            if is_open and needs_tunnel and isinstance(error, ERRORS):
                raise NoTunnel from error
            raise
        finally:
            _attempt.reset(token)


class _Backend(httpcore2.AsyncNetworkBackend):
    """Connects to the proxy, and notes what it opened."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Open a TCP connection; the options are not used."""
        stream = await httpcore2.AnyIOBackend().connect_tcp(host, port, timeout)
        _attempt.get().streams.append(stream)
        return stream
