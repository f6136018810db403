"""Telling an event loop that is stuck from one that is not."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

STUCK = 2.0
"""Seconds without a beat, far beyond what a busy machine does to a loop that is well."""


@asynccontextmanager
async def beating(stuck: float = STUCK) -> AsyncIterator[None]:
    """Assert that the event loop goes on with other things while the block runs."""
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - began)

    beats = asyncio.create_task(beat())
    try:
        yield
        await asyncio.sleep(0.02)  # the last gap counts as well
    finally:
        beats.cancel()
    assert longest < stuck, f"the event loop was stuck for {longest:.1f} s"
