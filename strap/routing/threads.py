"""Threads for blocking actions, a few for each action, so that one that hangs exhausts no other."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import Any

from strap.errors import ActionError

Outcome = asyncio.Future[tuple[Any, BaseException | None]]
"""Future of a function's result and error, as a pair: no future can raise everything."""
MOST = 8
"""Threads that one action has at a time."""


class Threads:
    """Runs the calls of one blocking action; use it from one event loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._free = asyncio.Semaphore(MOST)
        self._stuck = 0
        """Threads that still run although nobody waits for their result."""

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what `function` returns, or raise what it raises; waits for a free thread.

        A caller that does not wait any longer leaves the thread behind, which nothing can stop.
        It is a daemon: the process can end nevertheless. Raises `ActionError`.
        """
        if self._stuck >= MOST:
            raise ActionError(
                f"All {MOST} threads of {self._name} hang in earlier calls.",
                hint="Try again later.",
                code="busy",
                retryable=True,
            )
        await self._free.acquire()
        outcome: Outcome = asyncio.get_running_loop().create_future()
        try:
            self._start(outcome, function, *arguments)
        except BaseException:
            self._free.release()
            raise
        try:
            result, error = await outcome
        finally:
            if outcome.cancelled():
                self._stuck += 1
        if error is not None:
            raise error
        return result

    def _start(self, outcome: Outcome, function: Callable[..., Any], *arguments: Any) -> None:
        loop, context = outcome.get_loop(), copy_context()

        def work() -> None:
            result, error = None, None
            try:
                result = context.run(function, *arguments)
            except BaseException as raised:  # noqa: BLE001 - it is raised again where it is awaited
                error = raised
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(self._finish, outcome, result, error)

        Thread(target=work, name=f"strap {self._name}", daemon=True).start()

    def _finish(self, outcome: Outcome, result: Any, error: BaseException | None) -> None:
        self._free.release()
        if outcome.cancelled():
            self._stuck -= 1
        else:
            outcome.set_result((result, error))
