"""The way out of a server with callers: what runs is finished, unless somebody is in a hurry."""

import asyncio
import signal
import time
from collections.abc import Callable

import anyio

from strap.mcp.shutdown import PAUSE, SIGNALS, leave_in_time

DRAIN_SECONDS = 25.0
"""Seconds for calls in flight after SIGTERM; Kubernetes kills after 30 unless told otherwise."""
BODY_GRACE = 1.0
"""Seconds for bodies on their way: enough for a slow line, no more for a client that hangs."""
GRACE = 0.3
"""Seconds that running calls may still take where somebody is in a hurry."""


class Departure:
    """Shutdown by signals: SIGTERM drains, any other or a second one leaves at once."""

    def __init__(self) -> None:
        """Handle signals in the running loop from now on."""
        self.requested = anyio.Event()
        self._hurried: float | None = None
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._signalled, number)

    def hurry(self) -> None:
        """Leave at once; the process ends in time even if a clean-up hangs."""
        if self._hurried is None:
            self._hurried = time.monotonic()
            leave_in_time()

    async def wait_for(
        self, done: Callable[[], bool], seconds: float, hurried: float = GRACE
    ) -> None:
        """Return when `done` says so, at the latest after so many seconds; `hurried` in a hurry."""
        begun = time.monotonic()
        while not done():
            now = time.monotonic()
            since = self._hurried
            if now > (begun + seconds if since is None else max(since, begun) + hurried):
                return
            await anyio.sleep(PAUSE)

    def _signalled(self, number: int) -> None:
        if number != signal.SIGTERM or self.requested.is_set():
            self.hurry()
        self.requested.set()
