"""Connections to the addresses that the guard vetted, and to no others."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import httpcore2

from strap import Target
from strap_http.framing import CountedStream

STAGGER = 0.25
"""Seconds before the next address is tried beside the one that does not answer (RFC 8305 8)."""
MAX_ADDRESSES = 4

Connect = Callable[[str, int], Awaitable[httpcore2.AsyncNetworkStream]]
"""`async (address, port) -> stream`."""

_pinned: ContextVar[Target] = ContextVar("pinned")


async def connect(address: str, port: int) -> httpcore2.AsyncNetworkStream:
    """Open a TCP connection to an IP address."""
    return CountedStream(await httpcore2.AnyIOBackend().connect_tcp(address, port))


@contextmanager
def pinned(target: Target) -> Iterator[None]:
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
        """Try the addresses in turn, staggered; the first connection wins (RFC 8305)."""
        queue = list(addresses)
        running: set[asyncio.Task[httpcore2.AsyncNetworkStream]] = set()
        failures: list[BaseException] = []
        try:
            while queue or running:
                if queue:
                    attempt = self._connect(queue.pop(0), port)
                    running.add(asyncio.ensure_future(attempt))
                done, _ = await asyncio.wait(
                    running,
                    timeout=STAGGER if queue else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for task in done:
                    running.discard(task)
                    failure = task.exception()
                    if failure is None:
                        running |= done - {task}
                        return task.result()
                    failures.append(failure)
        finally:
            await _abandon(running)
        raise failures[-1]


async def _abandon(tasks: set["asyncio.Task[httpcore2.AsyncNetworkStream]"]) -> None:
    """Cancel the attempts that lost, and close those that connected all the same."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, httpcore2.AsyncNetworkStream):
            await outcome.aclose()
