"""Pictures of how the page of a run looks while it goes on, whether anybody watches or not."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Look = Callable[[], Awaitable[bytes | None]]
Keep = Callable[[bytes, float], None]


@asynccontextmanager
async def sampling(look: Look, keep: Keep, pace: float) -> AsyncIterator[None]:
    """Hand what `look` sees to `keep`, every `pace` seconds within the block."""
    work = asyncio.create_task(_sample(look, keep, pace), name="sample a run")
    try:
        yield
    finally:
        work.cancel()
        await asyncio.wait({work})


async def _sample(look: Look, keep: Keep, pace: float) -> None:
    while True:
        await asyncio.sleep(pace)
        at = time.time()  # before: what a person has begun to type meanwhile is not kept
        if (seen := await look()) is not None:
            keep(seen, at)
