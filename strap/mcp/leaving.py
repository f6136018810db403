"""Leaving in time: signals, and a last resort where a clean-up hangs."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CLEAN_UP = 1.8
"""Seconds for leaving; clients kill two seconds after the end of input."""


def on_signals(leave: Callable[[], None]) -> None:
    """Call `leave` in the running loop for every signal that asks the process to end."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, leave)


def leave_within(seconds: float) -> None:
    """End the process after `seconds` even if a clean-up or a foreign thread hangs."""

    def leave() -> None:
        sys.stderr.write("strap: the clean-up took too long; leaving without it\n")
        sys.stderr.flush()
        os._exit(1)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()
