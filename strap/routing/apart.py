"""Actions in tasks of their own: who calls one is answered in time, whatever it does.

In the caller's own task nothing could part from one that waits for a deaf task.
"""

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from strap.api.time_limits import ANSWERING, limited, waited_for
from strap.errors import ActionError
from strap.faults import GRACE, close_tasks
from strap.routing.lifespans import shutting_down

Value = TypeVar("Value")
_Task = asyncio.Task[Any]
LESS = 0.2
"""Seconds less for one that another one has called, so that it is given up before that."""
log = logging.getLogger(__name__)


class Apart:
    """Runs actions; those that go on although they were cancelled are left behind until the end."""

    def __init__(self) -> None:
        self._left: set[_Task] = set()
        self._open: dict[asyncio.Future[Any], tuple[_Task, _Task | None]] = {}
        """Futures of outermost actions; each with its task, and the task that waits."""
        self._ended: set[asyncio.Future[Any]] = set()
        self._takes_none = False

    async def run(
        self, work: Coroutine[Any, Any, Value], name: str, seconds: float | None, *, depth: int
    ) -> Value:
        """Return what the work of an action returns, or raise what it raises.

        `name` is what errors and the log call it, `depth` how many other actions it is within.
        Raises `ActionError` (code "timeout") where it has not ended `seconds` after its beginning.
        """
        started, grace = time.monotonic(), GRACE - LESS * depth
        try:
            async with limited(seconds) as scope:
                return await self._run(work, name, grace, depth)
        except TimeoutError as error:
            if not scope.expired():
                raise
            took, hint = time.monotonic() - started, waited_for(error)
            raise ActionError(
                f"{name} did not finish within {took:.3g} s.",
                hint=hint or "Give it more with timeout (seconds), or ask for less.",
                code="timeout",
                retryable=True,
            ) from None

    def end(self, seconds: float, of: _Task | None = None) -> None:
        """Cancel the action that the task `of` waits for, else all, and take no more.

        Who waits is answered: with what the action returns within `seconds`, else with an error.
        """
        self._takes_none = self._takes_none or of is None
        for waiting, (task, around) in self._open.items():
            if of in (None, around):
                self._ended.add(waiting)
                task.cancel(ANSWERING)
                asyncio.get_running_loop().call_later(seconds, waiting.cancel)

    async def _run(
        self, work: Coroutine[Any, Any, Value], name: str, grace: float, depth: int
    ) -> Value:
        if self._takes_none and not depth:
            work.close()
            raise shutting_down("The call was not begun")
        around = asyncio.current_task()
        task = asyncio.create_task(work, name=around.get_name() if around else None)
        waiting = asyncio.shield(task)
        if not depth:
            self._open[waiting] = task, around
        try:
            return await waiting
        except asyncio.CancelledError as error:
            if waiting in self._ended and not (around and around.cancelling()):
                if not task.done():
                    self._leave(task, name)
                raise shutting_down("The call was cancelled") from None
            task.cancel()
            if not await _ended(task, grace):
                self._leave(task, name)
                raise
            if task.cancelled():  # scopes of anyio know their own error again
                _take_notes(task, error)
                raise
        finally:
            self._open.pop(waiting, None)
            self._ended.discard(waiting)
        return task.result()

    async def aclose(self) -> None:
        """End what was left behind: a program waits for all of its tasks before it ends."""
        await close_tasks(self._left)

    def _leave(self, task: _Task, name: str) -> None:
        log.warning("%s goes on although it was cancelled: nobody waits for it any more", name)
        self._left.add(task)  # the loop itself holds tasks by weak references
        task.add_done_callback(self._over)

    def _over(self, task: _Task) -> None:
        """Forget an action that has ended after all; its error is nobody's."""
        self._left.discard(task)
        if not task.cancelled():
            task.exception()


async def _ended(task: _Task, seconds: float) -> bool:
    """Whether a task ends in time; who waits may be cancelled again, as scopes of anyio do."""
    end = time.monotonic() + seconds
    while not task.done() and (left := end - time.monotonic()) > 0:
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task}, timeout=left)
    return task.done()


def _take_notes(task: _Task, error: asyncio.CancelledError) -> None:
    """Note at `error` what a cancelled task noted at its own, as for `waited_for`."""
    try:
        task.result()
    except asyncio.CancelledError as own:
        for note in getattr(own, "__notes__", ()):
            error.add_note(note)
