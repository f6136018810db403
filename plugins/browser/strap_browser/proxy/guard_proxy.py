"""The proxy itself: a browser that is told to use it reaches nothing else."""

import asyncio
import json
import logging
import secrets
import socket
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

from strap import (
    Guard,
    Peers,
    PolicyDenied,
    Space,
    StrapError,
    VettedURL,
)
from strap_browser.common.tasks import Tasks
from strap_browser.proxy import socks
from strap_browser.proxy.address_spaces import SiteAddressSpaces, is_led
from strap_browser.proxy.connecting import connect
from strap_browser.proxy.control import CONTROL, ProxyControl
from strap_browser.proxy.http_tunnel import (
    MAX_HEAD,
    HttpHead,
    Stream,
    read_head,
    relay,
    relay_http,
)
from strap_browser.proxy.socks import SocksError
from strap_browser.proxy.upstream import Upstream

HELLO_LIMIT = 30.0
"""Seconds for the browser to say what it wants."""
REMEMBERED = 256
"""Servers whose last failure is kept in mind."""
HTTPS = 443
_TLS = 0x16
"""The first byte of a TLS handshake (RFC 8446, 5.1)."""

log = logging.getLogger(__name__)


class GuardProxy:
    """A SOCKS 5 proxy on loopback that connects to what `guard` allows, at vetted addresses.

    A request to a private address is looked at, so that no public page makes it; all other
    traffic passes as it is. With `upstream` it connects through a further proxy, which resolves
    names: then the guard sees only literal addresses.
    """

    def __init__(self, guard: Guard, upstream: Upstream | None = None) -> None:
        self._guard = guard.proxied(upstream.takes) if upstream else guard
        self._upstream = upstream
        self._sources = SiteAddressSpaces(everywhere=guard.mode == "all" and upstream is None)
        self._peers = Peers()
        self._failures: dict[tuple[str, int], StrapError] = {}
        self._token = secrets.token_urlsafe(16)
        self._server: asyncio.Server | None = None
        self._connections = Tasks()
        self.gate = ProxyControl(port=0, token="")
        """Address and secret of the proxy, for processes that use the browser."""

    async def start(self, listener: socket.socket | None = None) -> None:
        """Listen on a free port of loopback, or with `listener`, which does so already."""
        where: dict[str, Any] = {"sock": listener} if listener else {"host": "127.0.0.1", "port": 0}
        self._server = await asyncio.start_server(self._begin, limit=MAX_HEAD, **where)
        port = self._server.sockets[0].getsockname()[1]
        self._guard.reserve(port, "gate")
        self.gate = ProxyControl(port=port, token=self._token)

    async def aclose(self) -> None:
        """Stop listening and break off every connection."""
        if self._server is None:
            return
        self._server.close()
        self._guard.release(self.gate.port)
        self._peers.close()
        await self._connections.aclose()

    def _begin(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve a connection in a task of ours: asyncio reports the end of its own as an error."""
        self._connections(self._accept(reader, writer))

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as error:
            log.debug("A connection ended: %s", type(error).__name__)
        finally:
            writer.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        peer, local = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
        if peer is None or self._peers.is_stranger(peer, local):
            return
        async with asyncio.timeout(HELLO_LIMIT):
            first = await reader.readexactly(1)
            if first == CONTROL:
                wish = await self._wish(reader)
            elif first[0] != socks.VERSION:
                return
        if first == CONTROL:
            await self._grant(wish, reader, writer)
            return
        async with asyncio.timeout(HELLO_LIMIT):
            try:
                await socks.greet(reader, writer)
                host, port = await socks.read_request(reader)
            except SocksError as error:
                if error.reply is not None:
                    writer.write(socks.reply(error.reply))
                return
        await self._tunnel((reader, writer), host, port)

    async def _tunnel(self, browser: Stream, host: str, port: int) -> None:
        try:
            target, server = await self._reach(host, port)
        except StrapError as error:
            self._failed(host, port, error)
            denied = isinstance(error, PolicyDenied)
            browser[1].write(socks.reply(socks.NOT_ALLOWED if denied else socks.UNREACHABLE))
            return
        public = target.space is Space.PUBLIC
        browser[1].write(socks.reply(socks.GRANTED))
        try:
            begun = b"" if server and public else await self._beginning(browser[0], target)
            single = begun if isinstance(begun, HttpHead) and not begun.upgrades else None
            handed = self._upstream if single and self._is_handed(target) else None
            server = server or await (handed.connect() if handed else self._connect(target))
            if single:
                single = handed.addressed(single, target) if handed else single
                vet, follow = partial(self._vet_further, target), partial(self._follow, target)
                await relay_http(browser, server, single, vet=vet, answered=follow)
            else:
                server[1].write(bytes(begun))
                await relay(browser, server)
        except StrapError as error:
            self._failed(target.host, target.port, error)
        finally:
            if server is not None:
                server[1].close()

    async def _reach(self, host: str, port: int) -> tuple[VettedURL, Stream | None]:
        """Connect to what the guard allows, so that the browser can tell what is in the way.

        A private server that no caller goes to is not connected before it is known who asks:
        otherwise a page could find out which ports are open.
        """
        target = await self._guard.check(_url(host, port))
        self._sources.note(target)
        at_once = target.space is Space.PUBLIC or self._sources.is_addressed(target)
        if not at_once or self._is_handed(target):
            return target, None
        return target, await self._connect(target)

    def _through(self, target: VettedURL) -> Upstream | None:
        return self._upstream if self._upstream and self._upstream.takes(target) else None

    def _is_handed(self, target: VettedURL) -> bool:
        """Whether plain requests to `target` are handed to a proxy, which not all tunnel."""
        through = self._through(target)
        return through is not None and through.speaks_http

    async def _beginning(self, reader: StreamReader, target: VettedURL) -> HttpHead | bytes:
        """Read the beginning of what the browser says: the head of a request, or a byte of TLS.

        Raises `PolicyDenied` where it says that to a private server for a page that may not.
        """
        first = await reader.readexactly(1)
        request = None if first[0] == _TLS else await read_head(reader, first)
        if target.space is not Space.PUBLIC:
            await self._vet(target, request)
        return first if request is None else request

    async def _vet_further(self, target: VettedURL, request: HttpHead) -> HttpHead:
        """Return a further request as the server is to have it; raises `PolicyDenied`."""
        if target.space is not Space.PUBLIC:
            self._sources.note(target)
            await self._vet(target, request)
        handed = self._upstream if self._is_handed(target) else None
        return handed.addressed(request, target) if handed else request

    async def _vet(self, target: VettedURL, request: HttpHead | None) -> None:
        """Raise `PolicyDenied` unless the private `target` may be asked that; None is opaque."""
        if request is None:
            self._sources.vet_opaque(target)
            return
        self._sources.vet(target, request.headers)
        await self._guard.check_path(target, request.path)

    def _follow(self, target: VettedURL, request: HttpHead, response: HttpHead) -> None:
        """Let a redirect lead from one private server to another, as a link of its pages could.

        The browser does not tell where the redirect of a navigation of its own comes from.
        """
        if self._upstream and self._is_handed(target):
            self._upstream.vet(response)
        location = response.headers.get("location")
        if location is None or target.space is Space.PUBLIC:
            return
        with suppress(StrapError, ValueError):
            next_target = self._guard.check_url(urljoin(target.url, location), target)
            server = (next_target.host, next_target.port)
            self._sources.address(*server)
            if is_led(target, request.headers):
                private = next_target.space not in (None, Space.PUBLIC)
                self._sources.redirect(target, server if private else None)

    async def _connect(self, target: VettedURL) -> Stream:
        through = self._through(target)
        return await (through.tunnel(target) if through else connect(target))

    def _failed(self, host: str, port: int, error: StrapError) -> None:
        log.info("Not connected: %s", error)
        self._failures.pop((host, port), None)
        self._failures[host, port] = error
        while len(self._failures) > REMEMBERED:
            del self._failures[next(iter(self._failures))]

    async def _wish(self, reader: StreamReader) -> Any:
        """Return what a `Gate` asks for, None unless it knows the token."""
        token, _, line = (await reader.readline()).partition(b" ")
        if not secrets.compare_digest(token, self._token.encode()):
            return None
        return json.loads(line)

    async def _grant(self, wish: Any, reader: StreamReader, writer: StreamWriter) -> None:
        if wish is None:
            return
        server = (str(wish["host"]), int(wish["port"]))
        if wish["do"] == "go":
            goal = server if wish["host"] else None
            await self._accompany(goal, reader, writer, again=bool(wish["again"]))
            return
        if wish["do"] == "address":
            self._sources.address(*server)
            self._failures.pop(server, None)
        error = self._failures.get(server)
        answer = error and [type(error).__name__, error.message, error.hint, error.code]
        writer.write(json.dumps(answer).encode() + b"\n")
        with suppress(OSError):
            await writer.drain()

    async def _accompany(
        self,
        server: tuple[str, int] | None,
        reader: StreamReader,
        writer: StreamWriter,
        *,
        again: bool,
    ) -> None:
        """Know of a navigation until the connection that tells of it is closed."""
        if server is not None:
            self._failures.pop(server, None)
        journey = self._sources.begin(server, again=again)
        try:
            writer.write(b"null\n")
            await reader.read()
        finally:
            self._sources.end(journey)


def _url(host: str, port: int) -> str:
    scheme = "https" if port == HTTPS else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
