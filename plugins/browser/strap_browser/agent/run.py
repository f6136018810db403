"""One run: a browser, a worker, limits enforced from outside, and always an answer."""

import asyncio
import logging
import time
import uuid
from contextlib import AsyncExitStack, suppress
from typing import Any

from strap import StrapError
from strap_browser.agent.briefing import brief
from strap_browser.agent.browser_lease import BrowserLease
from strap_browser.agent.caller import CallerChannel
from strap_browser.agent.contract import MAX_WARNINGS, EvalAnswer, PageSeen, StopReason
from strap_browser.agent.monitor.request_guard import RequestGuard
from strap_browser.agent.monitor.watcher import BrowserMonitor
from strap_browser.agent.recorder import RunRecorder
from strap_browser.agent.request import RunRequest
from strap_browser.agent.result.compose import Redactor, compose, interim_answer
from strap_browser.agent.result.verdict import Failure, RunOutcome, decide
from strap_browser.agent.schema_checks import check_ending
from strap_browser.agent.store.records import STORE_ERRORS
from strap_browser.agent.store.store import Store
from strap_browser.agent.workers.pool import Message, Worker, WorkerGone, Workers

log = logging.getLogger(__name__)
SILENCE = 10.0
"""Seconds beyond a step's own limit after which a worker that says nothing is given up."""
LOOK = 0.5
"""Seconds between two looks at the limits while the worker is silent: they change meanwhile."""
JUDGE_LIMIT = 15.0
"""Seconds for the judge, which reads the run once: the task is done, and the caller waits."""
LOOK_LIMIT = 1.2
"""Seconds for the last look, which is within `END_LIMIT`: the page may hang."""
FIRST = "FIRST_COMPLETED"
END_LIMIT = 1.5
"""Seconds after its end from outside after which a run answers, whatever hangs."""


class Run:
    """Carries out one order; `stop` ends it from outside."""

    def __init__(self, request: RunRequest, store: Store, workers: Workers) -> None:
        self.session_id = str(uuid.uuid4())
        self.request = request
        self.began = request.began
        self.outcome = RunOutcome()
        self._store = store
        self._workers = workers
        self._stopped: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self.hide = Redactor(request.choice.secrets, request.secrets.hide)
        events = Redactor(request.choice.secrets, request.secrets.remembering(request.task).hide)
        self.recorder = RunRecorder(self.session_id, store, events, request.limits.max_steps)
        self.monitor: BrowserMonitor | None = None
        self._worker: Worker | None = None
        self._warnings = [*request.limits.warnings, *request.choice.warnings, *store.notices()]
        self._heard = self.began
        self._judging_until: float | None = None
        self._caller = CallerChannel(request)
        self._work: asyncio.Task[None] | None = None
        self._leaving = False
        """Whether what is left to do is the clean-up, which nothing may cut short."""
        self._over = asyncio.Event()
        """Set when all that the answer needs is there."""
        self._draft = interim_answer(request, self.session_id, self.hide)
        self.lease: BrowserLease | None = None
        """The browser that it works in, once it has one."""

    @property
    def is_over(self) -> bool:
        """Whether all is done, but for what is cleaned up."""
        return self._over.is_set() or (self._work is not None and self._work.done())

    def stop(self, reason: StopReason) -> None:
        """End the run; it answers at once."""
        if not self._stopped.done():
            self._stopped.set_result(reason)

    async def carry_out(self, slots: asyncio.Semaphore) -> EvalAnswer:
        """Run to the end, whatever end that is; what then is left to clean up is in `left`.

        Raises `ActionError` only where nothing can be stored, before anything began.
        """
        self._store.begin(self._draft, owner=self.request.owner, model=self.request.choice.name)
        work = self._work = asyncio.create_task(self._carry_out(slots), name="carry out run")
        over = asyncio.create_task(self._over.wait())
        try:
            ends: set[asyncio.Future[Any]] = {work, over, self._stopped}
            await asyncio.wait(ends, timeout=max(0, self.request.left), return_when=FIRST)
            if not (work.done() or over.done()):
                self._interrupt(self._stopped.result() if self._stopped.done() else "budget")
                if not self._leaving:
                    work.cancel()
            checking = check_ending(self._workers, self.request, self.outcome, self._stopped)
            await asyncio.wait({work, over}, timeout=END_LIMIT, return_when=FIRST)
        finally:
            over.cancel()
        if not await checking:
            self._interrupt(self._stopped.result())
        if work.done() and not work.cancelled() and (error := work.exception()) is not None:
            self._broke(error)
        return self._conclude()

    async def left(self) -> None:
        """Return when nothing is left of the run: no page, browser, process or folder."""
        if self._work is not None:
            await asyncio.wait({self._work})
            if not self._work.cancelled() and (error := self._work.exception()) is not None:
                log.debug("The run ended with %r", error)

    def _interrupt(self, reason: StopReason) -> None:
        if self.outcome.done and reason != "cancelled":
            self.outcome.judge_failed = self.request.judge  # it was still at work
        else:
            self.outcome.interrupted = reason

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
            lease = self.lease = await stack.enter_async_context(self.request.lease())
            guard = RequestGuard(self.request.check, self.request.target, lease.gate)
            watch = self.monitor = BrowserMonitor(
                lease.cdp, self.recorder.add, guard, lease.target, lent=lease.lent
            )
            watch.refused = worker.note
            stack.push_async_callback(watch.close_pages)
            await watch.begin()
            await worker.ready()
            await worker.send(
                "run", **brief(self.request, self.session_id, lease, worker.folder.path)
            )
            try:
                await self._follow(worker, lease)
            except Exception as error:  # noqa: BLE001 - told in the answer
                self._broke(error)
            finally:
                self._leaving = True
                await self._leave(worker, watch)

    async def _leave(self, worker: Worker, watch: BrowserMonitor) -> None:
        """End the agent, then see what it left: it must not go on while its pages close."""
        await self._caller.aclose()
        for message in await worker.end():
            if message["op"] == "page_made":
                await watch.adopt(message["target"])
        await self._last_look(watch)
        self._over.set()

    async def _follow(self, worker: Worker, lease: BrowserLease) -> None:
        """Listen until the run is over, the browser is gone, or nothing is heard any more."""
        reading = asyncio.create_task(self._read(worker))
        gone = asyncio.create_task(lease.cdp.closed.wait())
        self._heard = time.monotonic()
        try:
            while not reading.done() and (left := self._patience()) > 0:
                # In short looks: while it waits, the judge may begin, who gets less time.
                left = min(left, LOOK)
                await asyncio.wait({reading, gone}, timeout=left, return_when="FIRST_COMPLETED")
                if (lost := self._lost(gone)) and not reading.done():
                    self.outcome.broken = Failure(kind="browser", text=lost)
                    return
            if reading.done():
                reading.result()
            else:
                self._interrupt("step_timeout")
        finally:
            reading.cancel()
            gone.cancel()
            await asyncio.wait({reading, gone})

    def _lost(self, gone: asyncio.Future[Any]) -> str:
        """Return what of the run is lost for good, empty if nothing is."""
        # First: it may be why the browser ended, of which nobody tells that a page crashed.
        if self.monitor is not None and self.monitor.has_crashed(self.recorder.page_id):
            return "The page's process crashed."
        return "The browser ended." if gone.done() else ""

    def _patience(self) -> float:
        """Seconds for which silence is still no reason to end the run."""
        if self._judging_until is not None:
            return self._judging_until - time.monotonic()
        limits = self.request.limits
        allowed = max(limits.step_timeout_s, limits.llm_timeout_s) + SILENCE
        return self._heard + allowed - time.monotonic()

    async def _read(self, worker: Worker) -> None:
        async for message in worker.messages():
            self._heard = time.monotonic()
            await self._take(message)
            if message["op"] in ("finished", "crashed"):
                return
        raise WorkerGone("The agent's process ended in the middle of the run.")

    async def _take(self, message: Message) -> None:
        match message["op"]:
            case "step":
                await self._step(message)
            case "seen":
                self.recorder.seen(message)
            case "model_failed":
                self.recorder.model_failed(message)
            case "judging":
                self._finished(message)
                self._judging_until = time.monotonic() + JUDGE_LIMIT
            case "finished":
                self._finished(message)
                judged = message["judgement"] is not None
                self.outcome.judge_failed = self.request.judge and self.outcome.done and not judged
            case "crashed":
                self.outcome.broken = Failure(
                    kind=message["kind"], text=self.hide(message["error"])
                )
            case "page_made" if self.monitor is not None:
                await self.monitor.adopt(message["target"])
            case "sample" if self._worker is not None:
                self._caller.ask(message, self._worker)

    def _finished(self, message: Message) -> None:
        outcome = self.outcome
        outcome.done, outcome.success = message["done"], message["success"]
        outcome.text, outcome.judgement = message["text"], message["judgement"]
        outcome.out_of_steps, outcome.steps = message["out_of_steps"], message["steps"]

    async def _step(self, message: Message) -> None:
        if self.monitor is not None:
            page = await self.monitor.known(message["target"])
            if page.get("url") == message["url"]:
                message["title"] = page["title"]  # the agent's own may be that of the last page
        await self._caller.tell(self.recorder.step(message), message["number"])
        self._heard = time.monotonic()

    async def _last_look(self, watch: BrowserMonitor) -> None:
        """Keep a picture of how the page looks at the end."""
        watch.finish()
        page: dict[str, Any] = {}
        picture = None
        with suppress(TimeoutError):
            if not self.recorder.has_picture and watch.has_crashed(self.recorder.page_id):
                await watch.revive(self.recorder.page_id)
            async with asyncio.timeout(LOOK_LIMIT):
                page = await watch.known(self.recorder.page_id)
                picture = await watch.look(self.recorder.page_id)
                page = await watch.known(self.recorder.page_id)  # a title may change a little later
        self.recorder.last_page(page, picture)

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
                warnings=self._warnings,
                hide=self.hide,
                max_tokens=self.request.max_tokens,
            )
        except Exception as error:
            log.exception("The answer of a run could not be put together")
            self.recorder.close()
            text = f"The run ended, but its answer could not be made ({type(error).__name__})."
            answer = self._draft.model_copy(
                update={"summary": text, "stop_reason": "browser_error"}
            )
        return self._stored(answer)

    def _stored(self, answer: EvalAnswer) -> EvalAnswer:
        """Store the answer; where that fails it says so."""
        try:
            self._store.finish(answer, steps=self.recorder.steps)
        except STORE_ERRORS as error:
            log.exception("The answer of a run could not be stored")
            line = f"The run could not be stored ({type(error).__name__})."
            warnings = (*answer.warnings[: MAX_WARNINGS - 1], line)
            answer = answer.model_copy(update={"warnings": list(warnings)})
            self._store.put_off(answer, steps=self.recorder.steps)
        return answer
