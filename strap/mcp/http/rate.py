"""So many calls a minute, evenly: a bucket that fills again as time goes by."""

import math
import time
from collections.abc import Callable

BURST = 10.0
"""Seconds' worth of calls that may come at once, unless told otherwise."""
LATE = 1.0
"""Seconds after which who is beyond a rate is told so: who floods the server waits meanwhile,
instead of making it refuse all the time."""


class Rate:
    """Counts calls; `per_minute` 0 is no limit."""

    def __init__(
        self,
        per_minute: int,
        clock: Callable[[], float] = time.monotonic,
        *,
        burst: float = BURST,
        least: float = 1,
    ) -> None:
        """`burst` seconds' worth may come at once, at least `least` of them."""
        self._per_second = per_minute / 60
        self._most = max(least, self._per_second * burst)
        self._left = self._most
        self._clock = clock
        self._seen = clock()

    def take(self) -> int:
        """Take a call's place and return 0, or the seconds after which there is one again."""
        if not self._per_second:
            return 0
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._seen) * self._per_second)
        self._seen = now
        if self._left >= 1:
            self._left -= 1
            return 0
        return math.ceil((1 - self._left) / self._per_second)
