"""Leaving in time: signals, and a last resort where a clean-up hangs."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from strap.mcp.signals import ending

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
GRACE = 0.5
"""Seconds that calls may still take after the end of input, before they are cancelled."""
ANSWERS = 0.9
"""Seconds for the answers of calls that are ended: half of the time for leaving."""
TURN = 0.1
"""Seconds more for making and writing these answers."""
PAUSE = 0.02
"""Seconds between two looks at what still runs."""
SECONDS = 1.8
"""Time for leaving; clients kill two seconds after the end of input."""


class Exit:
    """The way out of a server of stdio."""

    end: Callable[[], object]
    """Ends its service by now, whatever calls still run."""
    settled: Callable[[], Awaitable[object]]
    """Returns when all calls are answered."""

    def __init__(self, end_calls: Callable[[float], None], running: Callable[[], int]) -> None:
        """`end_calls` ends them in so many seconds, `running` says how many there still are."""
        self._end_calls = end_calls
        self._running = running

    async def settle(self) -> None:
        """End all calls, and wait for their answers while there is time."""
        self._end_calls(ANSWERS)
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWERS + TURN):
                while self._running():  # noqa: ASYNC110 - it sends no event
                    await asyncio.sleep(PAUSE)
        with suppress(TimeoutError):
            async with asyncio.timeout(TURN):
                await self.settled()

    async def leave(self) -> None:
        """End the service once its calls are answered."""
        await self.settle()
        self.end()


def on_signals(leave: Callable[[], object]) -> None:
    """Call `leave` in the running loop for every signal that asks the process to end.

    Those count that came before there was a loop.
    """
    loop = asyncio.get_running_loop()

    def signalled() -> None:
        leave_in_time()
        leave()

    for number in SIGNALS:
        loop.add_signal_handler(number, signalled)
    if ending.came:
        signalled()


def leave_in_time(seconds: float = SECONDS) -> None:
    """End the process in `seconds` from now even if a clean-up or a foreign thread hangs."""
    timer = threading.Timer(seconds, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    try:
        sys.stderr.write("strap: the clean-up took too long; leaving without it\n")
        sys.stderr.flush()
    finally:  # perhaps nobody reads it any more
        os._exit(1)
