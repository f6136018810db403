"""One run: a browser, a worker, limits enforced from outside, and always an answer."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

from strap import StrapError
from strap_agent.briefing import brief, whereabouts
from strap_agent.browser_lease import BrowserLease
from strap_agent.caller import CallerChannel
from strap_agent.contract import MAX_WARNINGS, TIMED_OUT, EvalAnswer, PageSeen, StopReason
from strap_agent.monitor.captchas import unsolved
from strap_agent.monitor.pictures import Look
from strap_agent.monitor.request_guard import RequestGuard
from strap_agent.monitor.samples import sampling
from strap_agent.monitor.watcher import BrowserMonitor
from strap_agent.person.pause import Pause, Person
from strap_agent.recorder import SAMPLE_PACE, RunRecorder
from strap_agent.request import RunRequest
from strap_agent.result.compose import Redactor, compose, interim_answer, while_paused
from strap_agent.result.verdict import Failure, RunOutcome, decide
from strap_agent.schema_checks import check_ending
from strap_agent.store.records import STORE_ERRORS
from strap_agent.store.run_folder import alive
from strap_agent.store.store import Store
from strap_agent.supervisor import LOOK, Supervisor
from strap_agent.workers.pool import Worker, Workers

log = logging.getLogger(__name__)
LOOK_LIMIT, BLANK_LIMIT = 0.9, 0.4
"""Seconds for the last look, and for one at a blank page: within `END_LIMIT`, pages may hang."""
FIRST = "FIRST_COMPLETED"
SIGN = 1.0
"""Seconds between two signs that a run goes on; the length of one that was killed is so exact."""
END_LIMIT, HURRY = 1.5, 0.7
"""Seconds after its end from outside after which a run answers, whatever hangs; in a hurry."""


class Run:
    """Carries out one order; `stop` ends it from outside."""

    def __init__(
        self, request: RunRequest, store: Store, workers: Workers, leased: Callable[[], None]
    ) -> None:
        """`leased` is told when it has its browser."""
        self.session_id = str(uuid.uuid4())
        self.request = request
        self.began = request.began
        self.outcome = RunOutcome()
        self._store = store
        self._workers = workers
        self._leased = leased
        self._stopped: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self.hide = Redactor(request.choice.secrets, request.secrets.hide)
        events = Redactor(request.choice.secrets, request.secrets.remembering(request.task).hide)
        self.recorder = RunRecorder(self.session_id, store, events)
        self.monitor: BrowserMonitor | None = None
        self.pause = Pause(self.recorder.person)
        self._worker: Worker | None = None
        self._warnings = [*request.limits.warnings, *request.choice.warnings, *store.notices()]
        self._caller = CallerChannel(request)
        self.supervisor = Supervisor(
            request, self.outcome, self.recorder, self._caller, self.pause, self.hide
        )
        self._work: asyncio.Task[None] | None = None
        self._leaving = False
        """Whether what is left to do is the clean-up, which nothing may cut short."""
        self.hurried = False
        """Whether the process ends, so that there is little time for an answer."""
        self._over = asyncio.Event()
        """Set when all that the answer needs is there."""
        self._draft = interim_answer(request, self.session_id, self.hide)
        self.polled = self.began
        """When its caller last asked for it, by the monotonic clock."""
        self.lease: BrowserLease | None = None
        """The browser that it works in, once it has one."""

    @property
    def is_over(self) -> bool:
        """Whether all is done, but for what is cleaned up."""
        return self._over.is_set() or (self._work is not None and self._work.done())

    @property
    def is_queued(self) -> bool:
        """Whether it waits for others to end."""
        return self._work is None or self.outcome.waiting

    @property
    def left(self) -> float:
        """Seconds that are left of the budget, which stands still while a person is waited for."""
        return self.request.left + self.pause.seconds

    def stop(self, reason: StopReason, *, by_person: bool = False) -> None:
        """End the run; it answers at once."""
        if not self._stopped.done():
            self.outcome.by_person = by_person
            self._stopped.set_result(reason)

    def watched(self, person: Person) -> None:
        """Take note that somebody watches, whom the agent may ask."""
        self.supervisor.person = person
        if self._worker is not None:
            self._worker.post("watched")

    def begin(self) -> None:
        """Store that it begins; raises `ActionError` where nothing can be stored."""
        self._store.begin(self._draft, owner=self.request.owner, model=self.request.choice.name)

    async def carry_out(self, slots: asyncio.Semaphore) -> EvalAnswer:
        """Run to the end, whatever end that is; what then is left to clean up is in `gone`."""
        work = self._work = asyncio.create_task(self._carry_out(slots), name="carry out run")
        over = asyncio.create_task(self._over.wait())
        try:
            ends: set[asyncio.Future[Any]] = {work, over, self._stopped}
            await self._wait_for(ends)
            if not (work.done() or over.done()):
                self._interrupt(self._stopped.result() if self._stopped.done() else "budget")
                if not self._leaving:
                    work.cancel()
            checking = check_ending(self._workers, self.request, self.outcome, self._stopped)
            limit = HURRY if self.hurried else END_LIMIT
            await asyncio.wait({work, over}, timeout=limit, return_when=FIRST)
        finally:
            over.cancel()
        if not await checking:
            self._interrupt(self._stopped.result())
        if work.done() and not work.cancelled() and (error := work.exception()) is not None:
            self._broke(error)
        return self._conclude()

    def while_paused(self) -> EvalAnswer:
        """Return the answer for a caller who cannot wait for the end."""
        return while_paused(self._draft, self.pause.seconds)

    async def gone(self) -> None:
        """Return when nothing is left of the run: no page, browser, process or folder."""
        if self._work is not None:
            await asyncio.wait({self._work})
            if not self._work.cancelled() and (error := self._work.exception()) is not None:
                log.debug("The run ended with %r", error)

    async def _wait_for(self, ends: set[asyncio.Future[Any]]) -> None:
        """Wait for one of `ends`, or the end of the budget, of which none is lost in a pause."""
        while not any(end.done() for end in ends) and (left := self.left) > 0:
            paused = self.pause.on
            alive(self._store.folder(self.session_id))
            wait = LOOK if paused else min(left, SIGN)
            await asyncio.wait(ends, timeout=wait, return_when=FIRST)
            if paused:
                await self._caller.tell_paused(self.pause.seconds, self.recorder.steps)

    def _interrupt(self, reason: StopReason) -> None:
        self.outcome.interrupt(reason, judge=self.request.judge)

    def _broke(self, error: BaseException) -> None:
        text = str(error) if isinstance(error, StrapError) else ""
        if not text:
            log.error("The run failed", exc_info=error)
            text = f"The run failed ({type(error).__name__}); the details are in strap's log."
        self.outcome.broken = self.outcome.broken or Failure(kind="browser", text=text)

    async def _carry_out(self, slots: asyncio.Semaphore) -> None:
        waiting = time.monotonic()
        self.outcome.waiting = slots.locked()
        async with slots, AsyncExitStack() as stack:
            self.outcome.waiting = False
            if (waited := time.monotonic() - waiting) > 0.1:
                self._warnings.append(f"The run waited {waited:.1f} s for another one to end.")
            worker = self._worker = await self._workers.take(self.request.choice.modules)
            stack.push_async_callback(worker.end)
            # It makes the agent while the browser starts.
            await worker.send("run", **brief(self.request, self.session_id, worker.folder.path))
            lease = self.lease = await stack.enter_async_context(self.request.lease())
            self._leased()
            self._warnings += lease.notes
            request = self.request
            of_run = (request.check, request.target, lease.gate, request.sites, request.secrets)
            watch = self.monitor = BrowserMonitor(
                lease.cdp, self.recorder.add, RequestGuard(*of_run), lease.target, lent=lease.lent
            )
            watch.refused, watch.joins = worker.note, lease.joins
            stack.push_async_callback(watch.close_pages)
            await watch.begin()
            stack.enter_context(lease.greeting(watch.adopt))
            if self.request.sampled:
                sampler = sampling(self._glance, self.recorder.sample, SAMPLE_PACE)
                await stack.enter_async_context(sampler)
            await worker.ready()
            self.pause.works(worker)
            if self.supervisor.person is not None or self.request.invite is not None:
                worker.post("watched")
            await worker.send("begin", **whereabouts(lease))
            try:
                await self.supervisor.follow(worker, lease, watch)
            except Exception as error:  # noqa: BLE001 - told in the answer
                self._broke(error)
            finally:
                self._leaving = True
                await self._leave(worker, watch)

    async def _glance(self) -> bytes | None:
        """Return how the page looks, None while a person has control of it."""
        if self.recorder.hushed or self.monitor is None:
            return None
        return await self.monitor.glance(self.recorder.page_id)

    async def _leave(self, worker: Worker, watch: BrowserMonitor) -> None:
        """End the agent, then see what it left: it must not go on while its pages close."""
        await self.supervisor.aclose()
        self.pause.ends()
        for message in await worker.end():
            if message["op"] == "page_made":
                await watch.adopt(message["target"])
        await self._last_look(watch)
        self._over.set()

    async def _last_look(self, watch: BrowserMonitor) -> None:
        """Keep a picture of how the page looks at the end, unless a person is typing there."""
        watch.finish()
        if self.recorder.hushed:
            return
        seen = Look()
        with suppress(TimeoutError):
            if not self.recorder.has_picture and watch.has_crashed(self.recorder.page_id):
                await watch.revive(self.recorder.page_id)
            async with asyncio.timeout(LOOK_LIMIT):
                seen = await watch.look(self.recorder.page_id)
        self._warnings += unsolved(seen.captcha)
        if seen.held_up and self._lost_time:
            watch.tell_held_up(self.recorder.page_id)
        # It is kept at once: a page that still waits for its server may not tell its title.
        self.recorder.last_page(watch.page(self.recorder.page_id), seen.picture)
        # A title may change a little later than its page, whether or not there was a picture.
        page = await watch.known(self.recorder.page_id, answers=seen.picture is not None)
        self.recorder.last_page(page, None)
        if self.recorder.has_picture or (self.lease and self.lease.lent):
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(BLANK_LIMIT):
                blank = await watch.look_at_blank(self.recorder.page_id)
                self.recorder.last_page({}, blank)

    @property
    def _lost_time(self) -> bool:
        """Whether the time was over for the run, or for its last step."""
        last = self.recorder.failures[-1].kind if self.recorder.failing else ""
        return self.outcome.interrupted in TIMED_OUT or last in TIMED_OUT

    def _conclude(self) -> EvalAnswer:
        self.recorder.settle()
        self.outcome.failures = self.recorder.failures
        self.outcome.failing = self.recorder.failing
        try:
            verdict = decide(self.outcome)
            self.recorder.ended(verdict)
            self.recorder.close()
            answer = compose(
                self._draft,
                verdict,
                self.outcome,
                self._store,
                page=PageSeen(url=self.recorder.url, title=self.recorder.title),
                warnings=[*self._warnings, *self._paused(), *self._other_sites()],
                hide=self.hide,
                max_tokens=self.request.max_tokens,
                stays=self.request.stays,
                frame=self.recorder.page_id,
                paused_s=self.pause.seconds,
            )
        except Exception as error:
            log.exception("The answer of a run could not be put together")
            self.recorder.close()
            text = f"The run ended, but its answer could not be made ({type(error).__name__})."
            answer = self._draft.model_copy(
                update={"summary": text, "stop_reason": "browser_error"}
            )
        return self._stored(answer)

    def _other_sites(self) -> list[str]:
        return self.request.sites.warnings() if self.request.sites else []

    def _paused(self) -> list[str]:
        lasted = self.pause.seconds
        return [f"Paused by a person for {lasted:.0f} s; not counted."] if lasted else []

    def _stored(self, answer: EvalAnswer) -> EvalAnswer:
        """Store the answer; where that fails it says so."""
        try:
            self._store.finish(answer, steps=self.recorder.steps)
        except STORE_ERRORS as error:
            log.error("The answer of a run could not be stored: %s", error)  # noqa: TRY400 - no fault of ours
            line = f"The run could not be stored ({type(error).__name__})."
            warnings = (*answer.warnings[: MAX_WARNINGS - 1], line)
            answer = answer.model_copy(update={"warnings": list(warnings)})
            self._store.put_off(answer, steps=self.recorder.steps)
        return answer
