"""Foreign code that fails, told from the wish to end it; and that takes no notice of its end."""

import asyncio
import dis
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

GRACE = 5.0
"""Seconds that tasks get to clean up after they were cancelled."""
TURN = 0.2
"""Seconds for the last turn of what is closed; one that waits for a deaf task never takes it."""
log = logging.getLogger(__name__)


def is_fault(error: BaseException) -> bool:
    """Whether `error` is foreign code's own, whatever its class, and to be answered as a failure.

    False for what must go on its way: the cancellation of the running task, the operator's Ctrl-C,
    the closing of a coroutine. Plugins may raise the exceptions of these as well, as they may call
    `sys.exit()`; that ends neither the server nor other calls.
    """
    if isinstance(error, asyncio.CancelledError):
        return not _is_cancelled()
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        return _is_raised_in_code(error.__traceback__)
    return True


def _is_cancelled() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs: nothing could be cancelled
        return False
    return task is not None and task.cancelling() > 0


def _is_raised_in_code(trace: TracebackType | None) -> bool:
    """Whether a `raise` statement of foreign code is where an exception comes from.

    An interrupt strikes at any other instruction, or is raised by the handler of `asyncio.run`.
    """
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code, place = trace.tb_frame.f_code, trace.tb_lasti
    if trace.tb_frame.f_globals.get("__name__") == "asyncio.runners":
        return False
    return place >= 0 and dis.opname[code.co_code[place]] == "RAISE_VARARGS"


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
        names = sorted(
            getattr(waiting.get_coro(), "__qualname__", waiting.get_name()) for waiting in deaf
        )
        log.warning("Tasks that were cancelled in vain are closed: %s", ", ".join(names))
    await close_tasks(deaf)


async def close_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Close the coroutines of tasks that were cancelled in vain."""
    left = set(tasks)
    for task in left:
        with suppress(Exception):  # nobody is there any more whom it would tell something
            task.get_coro().close()  # the one end that a coroutine cannot refuse without an error
        task.cancel()  # so that it takes its turn, and finds its coroutine closed
    ended = (await asyncio.wait(left, timeout=TURN))[0] if left else set()
    for task in ended:
        _ = task.cancelled() or task.exception()  # else the loop tells that it was closed
