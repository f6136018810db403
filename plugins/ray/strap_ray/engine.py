"""The engine `ray`: workers are actors, on this machine or on a cluster."""

import asyncio
import sys
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from itertools import count

from strap.batch.engine import NoWorkers, Outcome
from strap.batch.items import Calls
from strap.batch.options import BatchOptions
from strap.config import Config
from strap.errors import StartupError, StrapError
from strap_ray.cluster import Cluster
from strap_ray.cluster_address import why_none_started
from strap_ray.ray_dirs import sweep_after
from strap_ray.worker import Spec, Worker
from strap_ray.worker_handle import PendingItem, WorkerHandle, answered

STOP_SECONDS = 5.0
"""For a worker to close its browser; one that hangs is killed."""


class RayEngine:
    """Runs items on actors, `concurrency` on each at a time."""

    def __init__(self, cluster: Cluster, options: BatchOptions) -> None:
        self._cluster = cluster
        self._options = options
        self._handles: list[WorkerHandle] = []
        self._tickets = count()
        self._waiting = deque[PendingItem]()
        self._working: list[asyncio.Task[None]] = []
        self._missing: asyncio.TimerHandle | None = None
        self._over = False

    @property
    def slots(self) -> int:
        """How many items it ever takes at a time."""
        return sum(handle.most for handle in self._handles)

    @property
    def capacity(self) -> int:
        """How many items it takes now."""
        return sum(handle.capacity for handle in self._handles)

    @classmethod
    async def open(cls, config: Config, options: BatchOptions) -> "RayEngine":
        """Start Ray or join a cluster, and wait for workers; raises `StartupError`."""
        engine = cls(Cluster(options), options)
        try:
            await engine._place(Spec.of(config, options))
        except BaseException:
            await engine.aclose()
            raise
        return engine

    def refusal(self, calls: Calls) -> StrapError | None:
        """Its workers alone know: they may be on other machines, with other plugins."""
        del calls
        return None

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item on the next worker that has room."""
        if self._over:
            raise self._nobody()
        future = asyncio.get_running_loop().create_future()
        item = PendingItem(next(self._tickets), key, calls, future)
        self._waiting.append(item)
        self._deal()
        try:
            outcome: Outcome = await future
            return outcome
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._waiting.remove(item)
            for handle in self._handles:
                handle.drop(item)
            raise

    async def aclose(self) -> None:
        """End the workers, and Ray where it is our own."""
        for task in self._working:
            task.cancel()
        if self._missing is not None:
            self._missing.cancel()
        stopping = [asyncio.ensure_future(answered(s.actor.stop.remote())) for s in self._handles]
        if stopping:
            await asyncio.wait(stopping, timeout=STOP_SECONDS)
        for handle in self._handles:
            with suppress(Exception):
                self._cluster.ray.kill(handle.actor)
        await asyncio.to_thread(self._cluster.close)
        own = {pid for handle in self._handles for pid in handle.pids} if self._cluster.own else ()
        await sweep_after(own, STOP_SECONDS)

    async def _place(self, spec: Spec) -> None:
        room = self._cluster.room()
        workers = self._options.workers or room
        kind = self._cluster.ray.remote(Worker).options(
            num_cpus=1,
            max_restarts=-1,
            max_task_retries=0,  # the driver tries again, so that it can count
            max_concurrency=100,  # calls are short, and items no calls
        )
        for _ in range(min(workers, room)):
            self._handles.append(WorkerHandle(self._cluster.ray, kind.remote(spec), self._options))
        await self._await_workers()
        if workers > (number := len(self._handles)):
            what = f"{workers} workers were asked for, there is room for {number}"
            sys.stderr.write(f"strap: {what}\n")
        self._working = [asyncio.create_task(handle.work(self._back)) for handle in self._handles]

    async def _await_workers(self) -> None:
        """Keep those that start; raises `StartupError` where none does."""
        answers = {handle: asyncio.create_task(handle.answers()) for handle in self._handles}
        await asyncio.wait(answers.values(), timeout=self._options.worker_wait)
        self._handles = [
            handle for handle, task in answers.items() if task.done() and task.result()
        ]
        for handle in answers.keys() - set(self._handles):
            answers[handle].cancel()
            self._cluster.ray.kill(handle.actor)
        if not self._handles:
            if why := next((handle.why for handle in answers if handle.why), ""):
                raise StartupError(f"No worker of Ray started: {why}", hint=why_none_started(why))
            raise NoWorkers(f"No worker started within {self._options.worker_wait:g} s.")

    def _back(self, returned: Iterable[PendingItem]) -> None:
        """Have a worker's change: it has room, or is lost, or gives back what it has not begun."""
        self._waiting.extendleft(returned)
        if any(handle.ready for handle in self._handles):
            if self._missing is not None:
                self._missing.cancel()
            self._missing = None
        elif self._missing is None:
            loop = asyncio.get_running_loop()
            self._missing = loop.call_later(self._options.worker_wait, self._give_up)
        self._deal()

    def _deal(self) -> None:
        """Give what waits to the workers that have most room."""
        while self._waiting:
            handle = max(self._handles, key=lambda candidate: candidate.room)
            if handle.room <= 0:
                return
            item = self._waiting.popleft()
            if not item.future.done():
                handle.give(item)

    def _give_up(self) -> None:
        self._over = True
        for item in self._waiting:
            if not item.future.done():
                item.future.set_exception(self._nobody())
        self._waiting.clear()

    def _nobody(self) -> NoWorkers:
        return NoWorkers(f"No worker came back within {self._options.worker_wait:g} s.")
