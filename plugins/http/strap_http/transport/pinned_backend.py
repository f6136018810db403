"""Connections to the addresses that the guard vetted, and to no others."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import httpcore2

from strap import VettedURL, first_connection
from strap_http.transport.surplus_guard import CountedStream

MAX_ADDRESSES = 4

Connect = Callable[[str, int], Awaitable[httpcore2.AsyncNetworkStream]]
"""`async (address, port) -> stream`."""

_pinned: ContextVar[VettedURL] = ContextVar("pinned")


async def connect(address: str, port: int) -> httpcore2.AsyncNetworkStream:
    """Open a TCP connection to an IP address."""
    return CountedStream(await httpcore2.AnyIOBackend().connect_tcp(address, port))


@contextmanager
def pinned(target: VettedURL) -> Iterator[None]:
    """Let connections that are opened inside go to the addresses of `target` alone."""
    token = _pinned.set(target)
    try:
        yield
    finally:
        _pinned.reset(token)


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Knows no names: connects to the vetted addresses of the target of the current request."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to the first of the addresses that answers; the options are not used."""
        target = _pinned.get()
        if (host, port) != (target.host, target.port):
            raise httpcore2.ConnectError(f"{host!r} is not what was vetted")
        try:
            async with asyncio.timeout(timeout):
                return await self._first(target.addresses[:MAX_ADDRESSES], port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout from None

    async def _first(self, addresses: Sequence[str], port: int) -> httpcore2.AsyncNetworkStream:
        return await first_connection(
            addresses, lambda address: self._connect(address, port), _close
        )


async def _close(stream: httpcore2.AsyncNetworkStream) -> None:
    await stream.aclose()
