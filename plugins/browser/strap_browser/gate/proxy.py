"""The proxy itself: a browser that is told to use it reaches nothing else."""

import asyncio
import json
import logging
import secrets
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from strap import ActionError, Guard, PolicyDenied, Space, StrapError, Target, first_connection
from strap_browser.gate import socks
from strap_browser.gate.client import CONTROL, Gate
from strap_browser.gate.socks import SocksError
from strap_browser.gate.sources import Sources
from strap_browser.gate.tunnel import MAX_HEAD, Head, Stream, read_head, relay, relay_one

MAX_ADDRESSES = 4
CONNECT_LIMIT = 30.0
HELLO_LIMIT = 30.0
"""Seconds for the browser to say what it wants."""
REMEMBERED = 256
"""Servers whose last failure is kept in mind."""
HTTPS = 443
_TLS = 0x16
"""The first byte of a TLS handshake (RFC 8446, 5.1)."""

log = logging.getLogger(__name__)


async def connect(address: str, port: int) -> Stream:
    """Open a TCP connection to an IP address."""
    return await asyncio.open_connection(address, port, limit=MAX_HEAD)


class GuardProxy:
    """A SOCKS 5 proxy on loopback that connects to what `guard` allows, at vetted addresses.

    A request to a private address is looked at, so that no public page makes it; all other
    traffic passes as it is.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._sources = Sources()
        self._failures: dict[tuple[str, int], StrapError] = {}
        self._token = secrets.token_urlsafe(16)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.gate = Gate(port=0, token="")
        """What processes that use the browser need to know."""

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        port = self._server.sockets[0].getsockname()[1]
        self._guard.reserve(port)
        self.gate = Gate(port=port, token=self._token)

    async def aclose(self) -> None:
        """Stop listening and break off every connection."""
        if self._server is None:
            return
        self._server.close()
        self._guard.release(self.gate.port)
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (
            OSError,
            EOFError,
            asyncio.LimitOverrunError,
            SocksError,
            ValueError,
        ) as error:
            log.debug("A connection ended: %s", type(error).__name__)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        async with asyncio.timeout(HELLO_LIMIT):
            first = await reader.readexactly(1)
            if first == CONTROL:
                await self._control(reader, writer)
                return
            if first[0] != socks.VERSION:
                return
            await socks.greet(reader, writer)
            host, port = await socks.read_request(reader)
        await self._tunnel((reader, writer), host, port)

    async def _tunnel(self, browser: Stream, host: str, port: int) -> None:
        try:
            target = await self._guard.check(_url(host, port))
            self._sources.note(target)
            if target.space is Space.PUBLIC:
                server = await self._connect(target)
            else:
                await self._tunnel_private(browser, target)
                return
        except StrapError as error:
            self._failed(host, port, error)
            denied = isinstance(error, PolicyDenied)
            browser[1].write(socks.reply(socks.NOT_ALLOWED if denied else socks.UNREACHABLE))
            return
        browser[1].write(socks.reply(socks.GRANTED))
        await _joined(browser, server, relay(browser, server))

    async def _tunnel_private(self, browser: Stream, target: Target) -> None:
        """Let the browser say what it wants before anything is connected.

        Otherwise a page could find out which ports are open. Only servers that a caller goes to
        are connected first, so that the browser can tell why they cannot be reached.
        """
        server = await self._connect(target) if self._sources.is_addressed(target) else None
        browser[1].write(socks.reply(socks.GRANTED))
        try:
            first = await browser[0].readexactly(1)
            if first[0] == _TLS:
                self._sources.vet_opaque(target)
                server = server or await self._connect(target)
                server[1].write(first)
                await _joined(browser, server, relay(browser, server))
                return
            request = await read_head(browser[0], first)
            self._sources.vet(target, request.headers)
            server = server or await self._connect(target)
            if request.upgrades:
                server[1].write(bytes(request))
                await _joined(browser, server, relay(browser, server))
            else:

                def answered(response: Head) -> None:
                    self._follow(target, response)

                await _joined(browser, server, relay_one(browser, server, request, answered))
        except StrapError as error:
            self._failed(target.host, target.port, error)
        finally:
            if server is not None:
                server[1].close()

    def _follow(self, target: Target, response: Head) -> None:
        """Let a redirect lead from one private server to another, as a link of its pages could.

        The browser does not tell where the redirect of a navigation of its own comes from.
        """
        location = response.headers.get("location")
        if location is None:
            return
        with suppress(StrapError, ValueError):
            next_target = self._guard.check_url(urljoin(target.url, location), target)
            self._sources.address(next_target.host, next_target.port)

    async def _connect(self, target: Target) -> Stream:
        try:
            async with asyncio.timeout(CONNECT_LIMIT):
                return await first_connection(
                    target.addresses[:MAX_ADDRESSES],
                    lambda address: connect(address, target.port),
                    _close,
                )
        except TimeoutError:
            raise ActionError(
                f"{target.host!r} did not answer in time.",
                hint="Try again later.",
                code="timed_out",
                retryable=True,
            ) from None
        except OSError as error:
            refused = isinstance(error, ConnectionRefusedError)
            raise ActionError(
                f"{target.host!r} {'refused the connection' if refused else 'cannot be reached'}.",
                hint="Is a server running there?",
                code="connection_refused" if refused else "address_unreachable",
                retryable=True,
            ) from None

    def _failed(self, host: str, port: int, error: StrapError) -> None:
        log.info("Not connected: %s", error)
        self._failures.pop((host, port), None)
        self._failures[host, port] = error
        while len(self._failures) > REMEMBERED:
            del self._failures[next(iter(self._failures))]

    async def _control(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve a `Gate`."""
        wish: Any = json.loads(await reader.readline())
        token = wish.get("token") if isinstance(wish, dict) else None
        if not secrets.compare_digest(str(token).encode(), self._token.encode()):
            return
        server = (str(wish["host"]), int(wish["port"]))
        if wish["do"] == "address":
            self._sources.address(*server)
            self._failures.pop(server, None)
        error = self._failures.get(server)
        answer = error and [type(error).__name__, error.message, error.hint, error.code]
        writer.write(json.dumps(answer).encode() + b"\n")
        with suppress(OSError):
            await writer.drain()


def _url(host: str, port: int) -> str:
    scheme = "https" if port == HTTPS else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"


async def _joined(browser: Stream, server: Stream, work: Any) -> None:
    try:
        await work
    finally:
        server[1].close()


async def _close(stream: Stream) -> None:
    stream[1].close()
