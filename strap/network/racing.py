"""The first connection of several addresses, tried in turn and staggered (RFC 8305)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

STAGGER = 0.25
"""Seconds before the next address is tried beside the one that does not answer (section 8)."""

T = TypeVar("T")


async def first_connection(
    addresses: Iterable[str],
    connect: Callable[[str], Awaitable[T]],
    close: Callable[[T], Awaitable[None]],
) -> T:
    """Return the first connection made, closing the others; raises the last failure."""
    waiting = list(addresses)
    running: set[asyncio.Future[T]] = set()
    failures: list[BaseException] = []
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.ensure_future(connect(waiting.pop(0))))
            done, _ = await asyncio.wait(
                running,
                timeout=STAGGER if waiting else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for attempt in done:
                running.discard(attempt)
                failure = attempt.exception()
                if failure is None:
                    running |= done - {attempt}
                    return attempt.result()
                failures.append(failure)
    finally:
        await _abandon(running, close)
    raise failures[-1]


async def _abandon(attempts: set[asyncio.Future[T]], close: Callable[[T], Awaitable[None]]) -> None:
    for attempt in attempts:
        attempt.cancel()
    for outcome in await asyncio.gather(*attempts, return_exceptions=True):
        if not isinstance(outcome, BaseException):
            await close(outcome)
