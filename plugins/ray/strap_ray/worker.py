"""Actor in a Ray worker: runs items on a router with a home of its own."""

import asyncio
import os
import shutil
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from strap import config as configuration
from strap.batch.artifacts import ArtifactSelection
from strap.batch.engine import Outcome
from strap.batch.items import Calls
from strap.batch.options import BatchOptions
from strap.batch.worker import run_calls
from strap.batch.worker_dirs import make_home
from strap.config import Config
from strap.config.log_setup import configure_logging
from strap.config.secrets import Secrets
from strap.routing.assembly import make_router
from strap.routing.router import Router
from strap_ray.ray_dirs import sweep

LINGER = 0.05
"""Seconds that outcomes wait for others to go with them: a call of Ray costs 2 ms of CPU."""
BEAT = 10.0
"""Seconds after which a worker answers even if it has nothing to tell."""
PATIENCE = 1.0
"""Seconds that an item waits behind others before it is handed back."""
Ticketed = tuple[int, str, Calls]
"""A ticket, and an item's key and calls."""
Done = tuple[int, Outcome | None]
"""A ticket, and what became of the item; None where it was not begun: others may have it."""


@dataclass(frozen=True, slots=True)
class Spec:
    """Configuration sent to a worker, without secrets: the worker reads those itself."""

    config: Config
    options: BatchOptions

    @classmethod
    def of(cls, config: Config, options: BatchOptions) -> "Spec":
        """Return what may leave this process."""
        return cls(replace(config, secrets=Secrets(), environ={}, serve={}), options)

    def configuration(self, home: Path) -> Config:
        """Return the configuration of a worker: its own secrets and environment, and this home."""
        source = self.config.source
        own = configuration.load(file=source if source and source.is_file() else None)
        return replace(self.config, home=home, secrets=own.secrets, environ=own.environ)


class Worker:
    """An actor; a restart makes a new one, so everything is opened by `start`.

    Items come by `give` and leave by `take`, several at a time either way. `concurrency` of them
    run; what was given beyond that is there already when one of them ends.

    Ray may bring a call that it has told to have failed. So each belongs to an era, which `start`
    begins and whoever asks counts: one of an earlier era does nothing.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._era = 0
        self._opening = asyncio.Lock()
        self._router: Router | None = None
        self._home: Path | None = None
        self._room = asyncio.Semaphore(spec.options.concurrency)
        self._running: dict[int, asyncio.Task[Outcome | None]] = {}
        self._done: list[Done] = []
        self._news = asyncio.Event()

    async def start(self, era: int) -> int:
        """Open the router, unless it is open, and return the process's id.

        What ran in an earlier era is ended.
        """
        if era > self._era:
            self._era = era
            for task in self._running.values():
                task.cancel()
            self._done.clear()
        async with self._opening:
            if self._router is None:
                await asyncio.to_thread(sweep)
                self._home = make_home()
                config = self._spec.configuration(self._home)
                configure_logging(config)
                self._router = make_router(config)
        return os.getpid()

    async def give(self, era: int, items: Sequence[Ticketed]) -> None:
        """Run these items, as there is room."""
        if era != self._era:
            return
        for ticket, key, calls in items:
            task = self._running[ticket] = asyncio.create_task(self._outcome(key, calls))
            task.add_done_callback(partial(self._ended, ticket))

    async def take(self, era: int) -> tuple[list[Done], list[int]]:
        """Return what was done, each once: a chunk of it, or what there is after a short while.

        And the tickets of what it has still.
        """
        await self._until(1, BEAT)
        if self._done:
            await self._until(self._spec.options.chunk, LINGER)
        if era != self._era:
            return [], []
        done, self._done = self._done, []
        return done, list(self._running)

    async def drop(self, ticket: int) -> None:
        """End an item of which nobody wants to know any more."""
        if task := self._running.get(ticket):
            task.cancel()

    async def stop(self) -> None:
        """Close what items opened."""
        if self._router is not None:
            await self._router.aclose()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)

    async def _until(self, number: int, seconds: float) -> None:
        """Wait for so many outcomes, or until nothing runs of which there could be more."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while len(self._done) < number and (self._running or not self._done):
                    self._news.clear()
                    await self._news.wait()

    def _ended(self, ticket: int, task: "asyncio.Task[Outcome | None]") -> None:
        self._running.pop(ticket, None)
        if not task.cancelled():
            error = task.exception()
            self._done.append((ticket, _failed(error) if error else task.result()))
        self._news.set()

    async def _outcome(self, key: str, calls: Calls) -> Outcome | None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._room.acquire()
        except TimeoutError:
            return None
        assert self._router is not None
        options = self._spec.options
        try:
            selection, limit = ArtifactSelection.of(options), options.item_timeout
            return {**await run_calls(self._router, key, calls, selection, limit), **where()}
        finally:
            self._room.release()


def _failed(error: BaseException) -> Outcome:
    message = f"strap failed: {type(error).__name__}: {error}"
    return {"status": "failed", "code": "internal", "message": message, "text": message}


def where() -> dict[str, Any]:
    """Return the columns that tell which process this is."""
    return {"worker": str(os.getpid()), "node": socket.gethostname()}
