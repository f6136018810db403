"""The system's resolver, bounded in time and in number of look-ups."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from strap.errors import ActionError

if TYPE_CHECKING:
    import asyncio

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""`async (host, port) -> addresses`; raises `OSError` for a name that does not resolve."""

TIMEOUT = 5.0
"""Seconds for one look-up, waiting for a free slot included."""
LOOKUPS = 16
"""Look-ups at the same time."""


class SystemResolver:
    """`getaddrinfo` in a bounded number of daemon threads: a stuck one cannot be interrupted."""

    def __init__(self) -> None:
        self._slots: asyncio.Semaphore | None = None

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of `host`; raises `TimeoutError` after `TIMEOUT` seconds."""
        import asyncio

        if self._slots is None:
            self._slots = asyncio.Semaphore(LOOKUPS)
        async with asyncio.timeout(TIMEOUT):
            await self._slots.acquire()
            return await _start(host, port, self._slots)


def _start(host: str, port: int, slots: "asyncio.Semaphore") -> "asyncio.Future[Sequence[str]]":
    import asyncio
    import contextlib
    import threading

    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def finish(addresses: Sequence[str], error: OSError | None) -> None:
        slots.release()
        if answer.cancelled():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(addresses)

    def work() -> None:
        try:
            result: tuple[Sequence[str], OSError | None] = _lookup(host, port), None
        except (OSError, UnicodeError) as error:
            result = (), error if isinstance(error, OSError) else OSError(str(error))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(finish, *result)

    threading.Thread(target=work, name=f"resolve {host}", daemon=True).start()
    return answer


def _lookup(host: str, port: int) -> Sequence[str]:
    import socket

    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in addresses))


def lookup_failed(host: str, error: OSError) -> ActionError:
    """Return what to say of a look-up of `host` that failed with `error`."""
    from socket import EAI_AGAIN

    if isinstance(error, TimeoutError) or error.errno == EAI_AGAIN:
        return ActionError(
            f"The name server did not answer for {host!r}.",
            hint="Try again, or check that this machine is online.",
            code="dns",
            retryable=True,
        )
    return ActionError(
        f"The host {host!r} does not resolve to an address.",
        hint="Check the spelling, or look for the site with resource=search.",
        code="dns",
    )
