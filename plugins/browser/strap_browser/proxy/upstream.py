"""The proxy that the operator names for a browser: the guarding proxy connects through it."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Sequence

from strap import ActionError, ProxyServer, VettedURL
from strap.network.authorities import tls_context
from strap_browser.proxy import socks
from strap_browser.proxy.http_tunnel import MAX_HEAD, HttpHead, Stream, read_head
from strap_browser.proxy.socks import SocksError
from strap_browser.settings.managed import ManagedSettings

LIMIT = 20.0
"""Seconds for the operator's proxy: fewer than for a connection in all, so that errors name it."""
_OPERATOR = "The operator of strap has to check `proxy` of the browser."
_FOREIGN = (OSError, EOFError, SocksError, asyncio.LimitOverrunError, ValueError)
"""Errors of talking to something that need not be a proxy; TLS errors are `OSError`s."""


def upstream_of(settings: ManagedSettings) -> "Upstream | None":
    """Return the proxy that browsers with these settings use."""
    if settings.proxy is None:
        return None
    return Upstream(settings.proxy.get_secret_value(), settings.no_proxy or ())


class Upstream:
    """Opens connections through the proxy at `url` (`http`, `https` or `socks5`).

    Names are resolved by the proxy. `exceptions` are hosts that are reached directly, with all
    below them; loopback always is.
    """

    def __init__(self, url: str, exceptions: Sequence[str] = ()) -> None:
        self._server = ProxyServer.at(url, exceptions)
        self._context: ssl.SSLContext | None = None

    @property
    def speaks_http(self) -> bool:
        """Whether plain requests are handed to it as they are, which not all tunnel."""
        return self._server.scheme != "socks5"

    def takes(self, target: VettedURL) -> bool:
        """Whether `target`, which need not be resolved, is reached through the proxy."""
        return self._server.takes(target)

    async def connect(self) -> Stream:
        """Connect to the proxy itself; raises `ActionError` (code "proxy")."""
        if self._server.scheme == "https" and self._context is None:
            self._context = await asyncio.to_thread(tls_context)
        try:
            async with asyncio.timeout(LIMIT):
                return await asyncio.open_connection(
                    self._server.host, self._server.port, limit=MAX_HEAD, ssl=self._context
                )
        except OSError:  # a `TimeoutError` is one
            raise _failed("The proxy cannot be reached.") from None

    async def tunnel(self, target: VettedURL) -> Stream:
        """Return a connection to `target`; raises `ActionError` (code "proxy")."""
        stream = await self.connect()
        try:
            async with asyncio.timeout(LIMIT):
                ask = self._ask_http if self.speaks_http else self._ask_socks
                await ask(stream, target)
        except _FOREIGN:
            stream[1].close()
            raise _not_connected(target) from None
        except BaseException:
            stream[1].close()
            raise
        return stream

    def addressed(self, request: HttpHead, target: VettedURL) -> HttpHead:
        """Return the request as a proxy wants it (RFC 9112, 3.2.2)."""
        return request.addressed(f"http://{_authority(target)}", self._credentials())

    def vet(self, response: HttpHead) -> None:
        """Raise `ActionError` (code "proxy") where the proxy refuses, and not the server."""
        if response.status == 407:
            raise _failed("The proxy refuses its credentials.")

    async def _ask_http(self, stream: Stream, target: VettedURL) -> None:
        """Ask for a tunnel (RFC 9110, 9.3.6)."""
        authority = _authority(target)
        lines = (f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", *self._credentials())
        stream[1].write("\r\n".join((*lines, "", "")).encode("latin-1"))
        response = await read_head(stream[0])
        self.vet(response)
        if not 200 <= response.status < 300:
            raise _not_connected(target)

    async def _ask_socks(self, stream: Stream, target: VettedURL) -> None:
        address = target.address or target.host
        if not await socks.log_in(stream, self._server.user, self._server.password):
            raise _failed("The proxy refuses its credentials.")
        if await socks.ask(stream, address, target.port) != socks.GRANTED:
            raise _not_connected(target)

    def _credentials(self) -> tuple[str, ...]:
        user, password = self._server.user, self._server.password
        if not (user or password):
            return ()
        word = b64encode(f"{user}:{password}".encode()).decode()
        return (f"Proxy-Authorization: Basic {word}",)


def _authority(target: VettedURL) -> str:
    return f"{f'[{target.host}]' if ':' in target.host else target.host}:{target.port}"


def _not_connected(target: VettedURL) -> ActionError:
    return _failed(f"The proxy does not connect to '{target.host}:{target.port}'.")


def _failed(message: str) -> ActionError:
    return ActionError(message, hint=_OPERATOR, code="proxy", retryable=True)
