"""A worker as the driver sees it: whether it answers, and what it was given."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from strap.batch.engine import Outcome, WorkerLost
from strap.batch.items import Calls
from strap.batch.options import BatchOptions
from strap_ray.worker import BEAT, Done

QUICK = 1.0
"""Seconds of an item of which several are worth having ahead."""
SILENCE = 60.0
"""Seconds beyond the time of an item after which a worker that does not answer is ended."""


@dataclass(slots=True, eq=False)
class PendingItem:
    """An item on its way to a worker and back."""

    ticket: int
    key: str
    calls: Calls
    future: "asyncio.Future[Outcome]"
    sent: float = 0.0
    """When it was given to a worker, by the monotonic clock."""


class WorkerHandle:
    """A worker; `work` keeps it busy, and has it back when it was lost."""

    def __init__(self, ray: Any, actor: Any, options: BatchOptions) -> None:
        self.actor = actor
        self.ready = False
        self.pids = set[int]()
        """Its processes, one after the other."""
        self.why = ""
        """Reason why it did not start."""
        self._ray = ray
        self._limit = options.item_timeout + SILENCE + BEAT
        self._concurrency = options.concurrency
        # What is had ahead begins later than it was let begin, and nobody knows whether it did.
        self._ahead = (
            options.chunk if options.chunk > 1 and not (options.once or options.rate) else 0
        )
        self._quick = False
        self._era = 0
        self._held: dict[int, PendingItem] = {}
        self._to_send: list[PendingItem] = []
        self._giving = set[asyncio.Task[None]]()

    @property
    def most(self) -> int:
        """How many items it ever has."""
        return self._concurrency + self._ahead

    @property
    def capacity(self) -> int:
        """How many items it may have now."""
        return self.most if self._quick else self._concurrency

    @property
    def room(self) -> int:
        """How many more it may have."""
        return self.capacity - len(self._held) if self.ready else 0

    def give(self, item: PendingItem) -> None:
        """Give it an item, with all that it is given in this turn of the loop."""
        item.sent = time.monotonic()
        self._held[item.ticket] = item
        self._to_send.append(item)
        if len(self._to_send) == 1:
            task = asyncio.create_task(self._send())
            self._giving.add(task)
            task.add_done_callback(self._giving.discard)

    def drop(self, item: PendingItem) -> None:
        """End an item of which nobody wants to know any more."""
        if self._held.pop(item.ticket, None):
            self.actor.drop.remote(item.ticket)

    async def work(self, back: Callable[[Iterable[PendingItem]], None]) -> None:
        """Take what is done, for as long as the worker may come back.

        `back` is told of each change, with the items that others may have.
        """
        while await self.answers():
            self.ready = True
            back(())
            try:
                while True:
                    back(await self._taken())
            except TimeoutError:
                self._ray.kill(self.actor, no_restart=False)
                self._lose(self._held, "it did not answer any more")
            except self._ray.exceptions.RayError as error:
                self._lose(self._held, type(error).__name__)
            self.ready = self._quick = False
            back(())

    async def answers(self) -> bool:
        """Wait until it answers, also where it starts again; whether it ever will."""
        errors = self._ray.exceptions
        while True:
            self._era += 1
            try:
                self.pids.add(await self.actor.start.remote(self._era))
            except errors.ActorUnavailableError:
                await asyncio.sleep(0.1)
            except errors.RayError as error:
                self.why = _why(error)
                return False
            else:
                return True

    async def _send(self) -> None:
        await asyncio.sleep(0)
        pending = [item for item in self._to_send if item.ticket in self._held]
        self._to_send = []
        items = [(item.ticket, item.key, item.calls) for item in pending]
        try:
            await self.actor.give.remote(self._era, items)
        except self._ray.exceptions.RayError as error:
            self._lose([item.ticket for item in pending], type(error).__name__)

    async def _taken(self) -> list[PendingItem]:
        """Settle what the worker has done; returns what it has not begun."""
        before = time.monotonic()
        taking = _awaited(self.actor.take.remote(self._era))
        done, running = await asyncio.wait_for(taking, self._limit)
        returned = self._settle(done)
        forgotten = [
            item.ticket
            for item in self._held.values()
            if item.sent + BEAT < before and item.ticket not in running
        ]
        self._lose(forgotten, "it does not have it any more")
        return returned

    def _settle(self, done: Iterable[Done]) -> list[PendingItem]:
        """Tell what became of items; returns those that were not begun."""
        returned = []
        for ticket, outcome in done:
            item = self._held.pop(ticket, None)
            if item is None:
                continue
            self._quick = outcome is not None and outcome.get("seconds", QUICK) < QUICK
            if outcome is None:
                returned.append(item)
            elif not item.future.done():
                item.future.set_result(outcome)
        return returned

    def _lose(self, tickets: Iterable[int], why: str) -> None:
        for ticket in list(tickets):
            item = self._held.pop(ticket, None)
            if item is not None and not item.future.done():
                item.future.set_exception(WorkerLost(f"Its worker ended: {why}."))


def _why(error: Exception) -> str:
    """Return what an error of Ray comes to, which stands below its tracebacks."""
    if cause := getattr(error, "cause", None):
        return str(cause)
    lines = [line for line in str(error).split("\n") if line.strip()]
    return lines[-1] if lines else type(error).__name__


async def _awaited(call: Any) -> Any:
    return await call


async def answered(call: Any) -> None:
    """Wait for a worker that may have ended."""
    with suppress(Exception):
        await call
