"""The runs of this process, beside the store of all."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from strap import ActionError, Detached, Environment
from strap.api.time_limits import is_answered
from strap_agent.contract import EvalAnswer
from strap_agent.lifecycle.detached_call import DetachedCall
from strap_agent.models.agent_extra import AGENT
from strap_agent.recovery import open_store
from strap_agent.request import GRACE, RunRequest
from strap_agent.run import Run
from strap_agent.schema_checks import check_schema
from strap_agent.supervisor import LOOK
from strap_agent.workers.pool import Workers
from strap_agent.workers.workspace import sweep
from strap_browser.api import BrowserSettings

Value = TypeVar("Value")
CLEAN_LIMIT, HASTE = 2.0, 0.3
"""Seconds that an answer waits for the clean-up, which goes on; of a run that was interrupted."""


MOST_DETACHED = 20
"""Detached runs of a principal that go on or wait for a slot: each may last an hour."""


class RunManager:
    """Starts runs, as many at a time as configured, and ends them all with the process."""

    def __init__(self, environment: Environment) -> None:
        settings: BrowserSettings = environment.settings
        home = environment.config.home
        self.work = home / "work"
        sweep(self.work)
        self.store = open_store(home / "runs", days=settings.runs_days, megabytes=settings.runs_mb)
        self.active: dict[str, Run] = {}
        self.calls: dict[str, DetachedCall] = {}
        """Calls of other actions that go on as runs."""
        self.leased: Callable[[], None] = lambda: None
        """Told when a run has its browser, before anything of it acts there."""
        self.environments = environment.config.environments
        self._workers = Workers(
            self.work, stays=settings.agent_warm, own=lambda: AGENT.own(self.environments)
        )
        self._slots = asyncio.Semaphore(settings.max_runs)
        self._orphan_s = settings.orphan_s
        self._tasks: set[asyncio.Task[Any]] = set()

    async def check(self, request: RunRequest) -> None:
        """Raise `UsageError` for an order whose schema is none."""
        if request.schema is None:
            return
        try:
            await check_schema(self._workers, request)
        finally:
            if not self.active:
                self._workers.rest()

    async def prepare(self, modules: Sequence[str]) -> None:
        """Load what workers need, so that the first run does not wait; raises `WorkerGone`."""
        worker = await self._workers.take(modules)
        try:
            await worker.ready()
        finally:
            await worker.end()
            if not self.active:
                self._workers.rest()

    def detach(self, request: RunRequest) -> str:
        """Begin a run whose caller does not wait, and return its id; raises `ActionError`."""
        self._check_room(request.owner)
        run, _ = self._begun(request)
        return run.session_id

    def detach_call(self, order: Detached, owner: str, hide: Callable[[str], str]) -> str:
        """Begin a call of another action as a run, and return its id; raises `ActionError`."""
        self._check_room(owner)
        call = DetachedCall(order, self.store, owner, hide)
        call.begin()
        self.calls[call.session_id] = call
        self._start(self._call(call))
        return call.session_id

    async def carry_out(self, request: RunRequest) -> EvalAnswer:
        """Carry out an order; a caller that goes away ends its run.

        Raises `ActionError` where nothing can be stored, before anything began.
        """
        run, task = self._begun(request)
        try:
            # It ends in time by itself, unless a person keeps it waiting.
            await asyncio.wait({task}, timeout=request.limits.answer_within)
        except asyncio.CancelledError as error:
            run.hurried = is_answered(error)
            run.stop("cancelled")
            current = asyncio.current_task()
            if not run.hurried or current is None:
                raise
            # A signal: who waits is told what became of the run.
            current.uncancel()
            return await asyncio.shield(task)
        if task.done():
            return await task
        self._start(self._end_orphan(run))
        return run.while_paused()

    def going_on(self, session_id: str) -> Run | DetachedCall | None:
        """Return a run of this process, None where none of that id goes on here."""
        return self.active.get(session_id) or self.calls.get(session_id)

    def end_session(self, key: str) -> None:
        """End the runs of a caller that is gone."""
        for run in list(self.active.values()):
            owner = run.request.owner
            if not run.request.detach and (owner == key or owner.startswith(f"{key}/")):
                run.stop("cancelled")

    async def aclose(self) -> None:
        """End every run and the spare worker."""
        going_on: list[Run | DetachedCall] = [*self.active.values(), *self.calls.values()]
        for run in going_on:
            run.stop("cancelled")
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._workers.aclose()
        self.store.close()

    def _check_room(self, owner: str) -> None:
        """Raise `ActionError` where too many detached runs of a principal go on or wait already."""
        runs = [run.request.owner for run in self.active.values() if run.request.detach]
        if [*runs, *(call.owner for call in self.calls.values())].count(owner) >= MOST_DETACHED:
            raise ActionError(
                f"{MOST_DETACHED} detached runs go on or wait already.",
                hint="list_runs names yours; cancel_run ends one.",
                code="busy",
                retryable=True,
            )

    def _begun(self, request: RunRequest) -> tuple[Run, asyncio.Task[EvalAnswer]]:
        run = Run(request, self.store, self._workers, self.leased)
        run.begin()
        self.active[run.session_id] = run
        # In a task of its own: cancelling the call must not cut the clean-up short.
        return run, self._start(self._carry_out(run))

    async def _call(self, call: DetachedCall) -> None:
        try:
            await call.carry_out(self._slots)
        finally:
            del self.calls[call.session_id]

    async def _end_orphan(self, run: Run) -> None:
        """End a run that waits for a person, once neither they nor the caller are there."""
        run.polled = time.monotonic()
        while not run.is_over and (left := run.polled + self._orphan_s - time.monotonic()) > 0:
            await asyncio.sleep(min(left, LOOK))
            if run.supervisor.person is not None and run.supervisor.person.near:
                run.polled = time.monotonic()
        run.stop("cancelled")

    async def _carry_out(self, run: Run) -> EvalAnswer:
        """Answer when the run is cleaned up after, or before where that takes long."""
        try:
            answer = await run.carry_out(self._slots)
        finally:
            del self.active[run.session_id]
            cleaning = self._start(self._clean(run))
        limit = CLEAN_LIMIT if run.outcome.interrupted is None else HASTE
        limit = 0 if run.hurried else limit
        await asyncio.wait({cleaning}, timeout=max(0, min(limit, run.left + GRACE)))
        return answer

    async def _clean(self, run: Run) -> None:
        await run.gone()
        if not self.active:
            self._workers.rest()

    def _start(self, work: Coroutine[Any, Any, Value]) -> asyncio.Task[Value]:
        task = asyncio.create_task(work, name="run")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
