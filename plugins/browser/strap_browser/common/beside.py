"""Work whose length a page decides, beside the event loop: other calls go on meanwhile."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def beside(work: Callable[[], T], *, large: bool) -> T:
    """Return what `work` returns; what is `large` is done in a thread, the rest at once.

    A thread costs a small page more than it spares the others. What is cancelled meanwhile goes on
    to its end, unseen: `work` is bounded by itself, and changes nothing that is not locked.
    """
    return await asyncio.to_thread(work) if large else work()
