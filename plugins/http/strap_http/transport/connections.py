"""Sending a request to its target and streaming the response."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpcore2
import httpx2

from strap import OWN_REQUEST, Space, VettedURL
from strap_http.message.request import Request
from strap_http.settings import HttpSettings
from strap_http.transport.certificates import ssl_context
from strap_http.transport.pinned_backend import Connect, PinnedBackend, connect, pinned
from strap_http.transport.surplus_guard import CountedStream

if TYPE_CHECKING:
    from strap_http.transport.proxies import Proxy

ENCODINGS = "gzip, deflate, br, zstd"
MAX_CONNECTIONS = 64
KEEP_ALIVE = 5.0
"""Seconds: long enough for redirects and pages of one site, shorter than servers wait."""


class RawResponse:
    """The head of an answer, and its body as it comes."""

    def __init__(self, response: httpcore2.Response, method: str) -> None:
        self._response = response
        self._bodiless = method == "HEAD" or response.status in (204, 304)
        self.status = response.status
        self.headers = httpx2.Headers(response.headers)

    async def stream(self) -> AsyncGenerator[bytes]:
        """Yield the body, still encoded; raises httpcore2's errors, also for surplus bytes."""
        async for chunk in self._response.aiter_stream():
            yield chunk
        if self._has_surplus():
            raise httpcore2.RemoteProtocolError("more than was announced")

    async def aclose(self) -> None:
        """End the exchange, and the connection too if it is not ready for another one."""
        if self._has_surplus():
            await self._response.extensions["network_stream"].aclose()
        await self._response.aclose()

    def _has_surplus(self) -> bool:
        connection = self._response.extensions.get("network_stream")
        if not isinstance(connection, CountedStream):
            return False
        length = "0" if self._bodiless else self.headers.get("content-length", "")
        framed = length.isascii() and length.isdigit() and "transfer-encoding" not in self.headers
        return framed and connection.received > int(length)


class Transport:
    """Sends requests, each to the addresses of its target.

    There is a pool of kept connections for each address space, so that a connection that was
    opened to a private network never carries a request that is meant for a public one; and for
    each scheme, so that the certificate authorities are read (some 30 ms) where HTTPS is used.
    """

    def __init__(self, settings: HttpSettings, connect: Connect = connect) -> None:
        self._settings = settings
        self._backend = PinnedBackend(connect)
        self._context: ssl.SSLContext | None = None
        self._proxy = self._make_proxy()
        self._pools: dict[object, httpcore2.AsyncConnectionPool] = {}

    def _make_proxy(self) -> "Proxy | None":
        if self._settings.proxy is None:
            return None
        from strap_http.transport.proxies import Proxy

        url = self._settings.proxy.get_secret_value()
        return Proxy(url, self._settings.no_proxy)

    @property
    def has_proxy(self) -> bool:
        """Whether anything is reached through a proxy."""
        return self._proxy is not None

    def proxied(self, target: VettedURL) -> bool:
        """Whether `target` is reached through the proxy, which resolves its name."""
        return self._proxy is not None and self._proxy.takes(target)

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()

    @asynccontextmanager
    async def send(self, request: Request, target: VettedURL) -> AsyncIterator[RawResponse]:
        """Send `request` to `target`; the response is there when its head is, the body streams."""
        headers = _fields(request, target)
        message = httpcore2.Request(
            method=request.method,
            url=_url(target),
            headers=headers,
            content=request.body,
            extensions={"timeout": {"connect": self._settings.connect_timeout}},
        )
        if self._proxy is not None and self._proxy.takes(target):
            pool = self._proxy_pool(self._proxy, await self._trusted())
            async with self._proxy.connecting(message):
                raw = await pool.handle_async_request(message)
        else:
            pool = self._pool(target, await self._trusted() if target.scheme == "https" else None)
            with pinned(target):
                raw = await pool.handle_async_request(message)
        response = RawResponse(raw, request.method)
        try:
            yield response
        finally:
            await response.aclose()

    async def _trusted(self) -> ssl.SSLContext:
        """Return whom to trust, read off the loop when it is first asked for."""
        if self._context is None:
            self._context = await asyncio.to_thread(ssl_context, self._settings.ca_file)
        return self._context

    def _proxy_pool(self, proxy: "Proxy", context: ssl.SSLContext) -> httpcore2.AsyncConnectionPool:
        if proxy not in self._pools:
            self._pools[proxy] = proxy.pool(context, MAX_CONNECTIONS, KEEP_ALIVE)
        return self._pools[proxy]

    def _pool(
        self, target: VettedURL, context: ssl.SSLContext | None
    ) -> httpcore2.AsyncConnectionPool:
        key = target.space, target.scheme
        if key not in self._pools:
            self._pools[key] = httpcore2.AsyncConnectionPool(
                ssl_context=context,
                max_connections=MAX_CONNECTIONS,
                max_keepalive_connections=MAX_CONNECTIONS,
                keepalive_expiry=KEEP_ALIVE,
                network_backend=self._backend,
            )
        return self._pools[key]


def _url(target: VettedURL) -> httpcore2.URL:
    parts = urlsplit(target.url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=path)


def _fields(request: Request, target: VettedURL) -> list[tuple[bytes, bytes]]:
    fields = {"host": urlsplit(target.url).netloc, "accept-encoding": ENCODINGS}
    fields |= dict(request.fields)
    if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
        fields["content-length"] = str(len(request.body or b""))
    if target.space is Space.LOOPBACK:
        fields[OWN_REQUEST] = "1"  # a server of strap's serves no caller of strap's
    return [(name.encode("ascii"), value.encode("utf-8")) for name, value in fields.items()]
