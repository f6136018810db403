"""How hard one host is asked: so many items at a time, so many in a second."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager


class Hosts:
    """Turns of items by the host of their first URL; `at_a_time` 0: no limit, `rates` a second."""

    def __init__(self, at_a_time: int, rates: Mapping[str, float]) -> None:
        self._at_a_time = at_a_time
        self._rates = rates
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}
        self._next: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Hold a turn; the block is entered when there is one."""
        if not host or not self._at_a_time:
            await self._pace(host)
            yield
            return
        turns = self._turns.setdefault(host, asyncio.Semaphore(self._at_a_time))
        self._users[host] = self._users.get(host, 0) + 1
        try:
            async with turns:
                await self._pace(host)
                yield
        finally:
            self._users[host] -= 1
            if not self._users[host]:  # a batch may see more hosts than fit into memory
                del self._users[host], self._turns[host]

    async def _pace(self, host: str) -> None:
        rate = self._rates.get(host)
        if rate is None:
            return
        now = time.monotonic()
        turn = max(now, self._next.get(host, now))
        self._next[host] = turn + 1 / rate
        await asyncio.sleep(turn - now)
