"""When an engine may be asked: spread over time, and not for a while after it refused."""

import asyncio
import time
from collections.abc import Callable

from strap_search import failures

MAX_DOUBLING = 16


class RateLimiter:
    """The pace at which one engine is asked, over all callers."""

    def __init__(
        self, *, interval: float, cooldown: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval = interval
        self._cooldown = cooldown
        self._clock = clock
        self._free_at = 0.0
        self._queue = asyncio.Lock()
        self._rests_until = 0.0
        self._next_rest = cooldown

    async def turn(self, engine: str) -> None:
        """Wait until the next request may be sent; raises `ActionError` while the engine rests."""
        self._check(engine)
        async with self._queue:  # who gives up while waiting takes no turn from the others
            await asyncio.sleep(max(0.0, self._free_at - self._clock()))
            self._check(engine)
            self._free_at = self._clock() + self._interval

    def refused(self, after: float | None) -> float:
        """Pause the engine for `after` seconds, else twice the last pause; returns the seconds."""
        now = self._clock()
        if self._rests_until > now:
            return self._rests_until - now
        if after is None:
            after = self._next_rest
            self._next_rest = min(2 * after, MAX_DOUBLING * self._cooldown)
        seconds = min(max(after, 0.0), failures.PATIENCE)
        self._rests_until = now + seconds
        return seconds

    def answered(self) -> None:
        """Note that the engine answers: a refusal to come is the first one again."""
        self._next_rest = self._cooldown

    def _check(self, engine: str) -> None:
        left = self._rests_until - self._clock()
        if left > 0:
            raise failures.cooling_down(engine, max(left, 1))
