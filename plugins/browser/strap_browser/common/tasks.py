"""Work in the background whose failure concerns nobody."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)
Value = TypeVar("Value")


class Tasks:
    """Starts coroutines and ends those that still run."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __call__(self, work: Coroutine[Any, Any, Value]) -> asyncio.Task[Value]:
        """Start `work`; a failure that nobody awaits is logged for developers only."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    def __len__(self) -> int:
        """How many run."""
        return len(self._running)

    async def settle(self) -> None:
        """Wait for what runs."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def cancel(self) -> None:
        """Cancel what runs."""
        for task in self._running:
            task.cancel()

    async def aclose(self) -> None:
        """Cancel what runs and wait for it."""
        running = list(self._running)
        self.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("In the background: %s", type(error).__name__)


def started(work: Awaitable[Value]) -> asyncio.Future[Value]:
    """Start `work`; should nobody wait for it in the end, its failure is not reported."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()
