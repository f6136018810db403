"""Event loops that end although a plugin has begun tasks that take no notice of their end."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

GRACE = 5.0
"""Seconds that tasks get to clean up after they were cancelled."""
TURN = 0.2
"""Seconds for the last turn of what is closed; one that waits for a deaf task never takes it."""
log = logging.getLogger(__name__)


@contextmanager
def runner(
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Iterator[asyncio.Runner]:
    """Make an `asyncio.Runner` that tells of tasks which were cancelled in vain, and closes them.

    One of asyncio's own waits for them at its end, however long that takes.
    """
    with asyncio.Runner(loop_factory=factory) as made:
        try:
            yield made
        finally:
            made.run(_end_all())


async def _end_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    deaf = (await asyncio.wait(tasks, timeout=GRACE))[1] if tasks else set()
    if deaf:
        names = sorted(getattr(each.get_coro(), "__qualname__", each.get_name()) for each in deaf)
        log.warning("Tasks that were cancelled in vain are closed: %s", ", ".join(names))
    await close(deaf)


async def close(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Close the coroutines of tasks that were cancelled in vain."""
    left = set(tasks)
    for task in left:
        with suppress(Exception):  # nobody is there any more whom it would tell something
            task.get_coro().close()  # the one end that a coroutine cannot refuse without an error
        task.cancel()  # so that it takes its turn, and finds its coroutine closed
    ended = (await asyncio.wait(left, timeout=TURN))[0] if left else set()
    for task in ended:
        _ = task.cancelled() or task.exception()  # else the loop tells that it was closed
