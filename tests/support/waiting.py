"""Waiting for what nothing tells of: it is asked again and again."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from strap import StrapError

T = TypeVar("T")
PAUSE = 0.02
"""Seconds between two questions."""


async def eventually(ask: Callable[[], T | Awaitable[T]], within: float = 30.0) -> T:
    """Return what `ask` gives as soon as it is true; an error of strap's is a reason to ask again.

    Raises `AssertionError` that shows the last answer where it does not come to that.
    """
    end, last = time.monotonic() + within, None
    while True:
        try:
            last = await _value(ask)
        except StrapError as error:
            last = error
        else:
            if last:
                return last
        assert time.monotonic() < end, f"in vain, the last answer: {last!r}"
        await asyncio.sleep(PAUSE)


async def becomes(ask: Callable[[], object], expected: object = True, within: float = 20.0) -> None:
    """Return as soon as `ask` gives what is expected; fails with what it gave last."""
    end = time.monotonic() + within
    while (last := await _value(ask)) != expected:
        if time.monotonic() > end:
            assert last == expected
        await asyncio.sleep(PAUSE)


def wait_until(ask: Callable[[], object], within: float = 30.0) -> None:
    """Return as soon as `ask` gives something true, for tests that may block."""
    end = time.monotonic() + within
    while not ask():
        assert time.monotonic() < end, "in vain"
        time.sleep(PAUSE)


async def _value(ask: Callable[[], Any]) -> Any:
    value = ask()
    return await value if inspect.isawaitable(value) else value
