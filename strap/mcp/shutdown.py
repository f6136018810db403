"""Leaving in time: signals, and a last resort where a clean-up hangs."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
GRACE = 0.5
"""Seconds that calls may still take after the end of input, before they are cancelled."""
SECONDS = 1.8
"""Time for leaving; clients kill two seconds after the end of input."""


class Exit:
    """The way out of a server; `end` is what ends its service by now."""

    end: Callable[[], object] | None = None

    def request_stop(self) -> None:
        """End the service, whatever calls still run."""
        if self.end is not None:
            self.end()


def on_signals(leave: Callable[[], object]) -> None:
    """Call `leave` in the running loop for every signal that asks the process to end."""
    loop = asyncio.get_running_loop()

    def signalled() -> None:
        leave_in_time()
        leave()

    for number in SIGNALS:
        loop.add_signal_handler(number, signalled)


def leave_in_time() -> None:
    """End the process in `SECONDS` from now even if a clean-up or a foreign thread hangs."""
    timer = threading.Timer(SECONDS, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    try:
        sys.stderr.write("strap: the clean-up took too long; leaving without it\n")
        sys.stderr.flush()
    finally:  # perhaps nobody reads it any more
        os._exit(1)
