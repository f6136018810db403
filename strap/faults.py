"""Telling a failure of foreign code from the wish to end it."""

import asyncio
import dis
from types import TracebackType


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
    """Whether somebody has cancelled the running task."""
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
