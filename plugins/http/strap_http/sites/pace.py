"""How fast a host is asked: never by more than two at a time, and at intervals."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 2
"""Requests to a host that may be under way."""
SLOWEST = 30.0
"""Seconds between requests that a robots.txt may ask for, or that refusals lead to."""
EASED = 0.9
"""Factor for the interval after each answer, down to its first value: a doubled one takes seven."""
MAX_HOSTS = 256


class Pace:
    """The turns of all crawls at one host; `interval` are seconds from request to request."""

    def __init__(self, interval: float) -> None:
        self.interval = self._least = interval
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._next = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until one more request may begin; it is over with the block."""
        async with self._slots:
            now = asyncio.get_running_loop().time()
            begin = max(self._next, now)
            self._next = begin + self.interval
            await asyncio.sleep(begin - now)
            yield

    def slow_down(self, interval: float) -> None:
        """Leave at least so many seconds between requests from now on."""
        self._least = max(self._least, min(interval, SLOWEST))
        self.interval = max(self.interval, self._least)

    def refused(self, seconds: float) -> None:
        """Pause the host and double its interval; answers shorten it again."""
        now = asyncio.get_running_loop().time()
        self._next = max(self._next, now + min(seconds, SLOWEST))
        self.interval = max(self.interval, min(2 * self.interval, SLOWEST))

    def answered(self) -> None:
        """The host has answered: come nearer to the interval from before refusals."""
        self.interval = max(self._least, EASED * self.interval)


class Paces:
    """The pace of each host that was crawled lately."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._paces: OrderedDict[str, Pace] = OrderedDict()

    def of(self, host: str) -> Pace:
        """Return the pace that all share who ask `host` (as URLs write it, with its port)."""
        pace = self._paces.setdefault(host, Pace(self._interval))
        self._paces.move_to_end(host)
        while len(self._paces) > MAX_HOSTS:
            self._paces.popitem(last=False)
        return pace
