"""Follows the worker of a run: what it says becomes steps, failures and the outcome."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any

from strap import Asker, Question, StrapError
from strap.credentials.answers import takes_words, words_taken
from strap_agent.browser_lease import BrowserLease
from strap_agent.caller import CallerChannel
from strap_agent.monitor.watcher import BrowserMonitor
from strap_agent.person.consent import Refusal
from strap_agent.person.pause import ASK_LIMIT, DECLINED, DONE, NOBODY, Pause, Person, Words
from strap_agent.person.permission import Permission
from strap_agent.recorder import RunRecorder
from strap_agent.request import RunRequest
from strap_agent.result.compose import Redactor
from strap_agent.result.usage import StepClock
from strap_agent.result.verdict import Failure, RunOutcome
from strap_agent.workers.pool import Message, Worker, WorkerGone
from strap_browser.api import Tasks, origin_of

SILENCE = 10.0
"""Seconds beyond a step's own limit after which a worker that says nothing is given up."""
LOOK = 0.5
"""Seconds between two looks at the limits while the worker is silent: they change meanwhile."""
DROPPED = "an answer of the model was dropped: it was about the page before"
JUDGE_LIMIT = 15.0
"""Seconds for the judge, which reads the run once: the task is done, and the caller waits."""


class Supervisor:
    """Listens to one worker, from its run's beginning until nothing more is to be heard."""

    def __init__(
        self,
        request: RunRequest,
        outcome: RunOutcome,
        recorder: RunRecorder,
        caller: CallerChannel,
        pause: Pause,
        hide: Redactor,
    ) -> None:
        self.person: Person | None = None
        """Person who may be asked, once somebody watches."""
        self.judging_since: float | None = None
        self._request = request
        self._outcome = outcome
        self._recorder = recorder
        self._caller = caller
        self._pause = pause
        self._hide = hide
        self._heard = time.monotonic()
        self._acts: Callable[[], object] = lambda: None
        """Told when an action of the agent begins, and when it has ended."""
        self._tasks = Tasks()
        self._clock = StepClock(lambda: pause.seconds)
        self._pending: dict[int, asyncio.Task[None]] = {}  # for a yes, by their numbers
        self._answers = ""  # the names of what a person answered in words
        self._refused = asyncio.Event()
        """Set where nobody can be asked: the run ends."""
        live = Asker(confirm=self._confirm_live, there=lambda: self._watched)
        self._permission = Permission(request.consent, request.flow, pause, recorder.flow, live)

    @property
    def _watched(self) -> bool:
        return self.person is not None and self.person.near

    async def follow(self, worker: Worker, lease: BrowserLease, monitor: BrowserMonitor) -> None:
        """Listen until the run is over, the browser is gone, or nothing is heard any more.

        Raises `WorkerGone`.
        """
        self._acts = lease.acts
        self._permission.begin(lease)
        reading = asyncio.create_task(self._read(worker, monitor))
        gone = asyncio.create_task(lease.cdp.closed.wait())
        over = asyncio.create_task(self._refused.wait())
        self._heard = time.monotonic()
        try:
            while not reading.done() and (left := self._patience()) > 0:
                # In short looks: while it waits, the judge may begin, who gets less time.
                left = min(left, LOOK)
                ends = {reading, gone, over}
                await asyncio.wait(ends, timeout=left, return_when="FIRST_COMPLETED")
                if over.done():
                    return
                if (lost := self._lost(gone, monitor)) and not reading.done():
                    self._outcome.broken = Failure(kind="browser", text=lost)
                    return
            if reading.done():
                reading.result()
            else:
                self._outcome.interrupt("step_timeout", judge=self._request.judge)
        finally:
            reading.cancel()
            gone.cancel()
            over.cancel()
            await asyncio.wait({reading, gone, over})

    async def aclose(self) -> None:
        """Wait for nobody any more."""
        flow = self._request.flow
        self._outcome.kept_back = self._hide(flow.refused) if flow is not None else ""
        await self._tasks.aclose()
        await self._caller.aclose()

    def _lost(self, gone: asyncio.Future[Any], monitor: BrowserMonitor) -> str:
        """Return what of the run is lost for good, empty if nothing is."""
        # First: it may be why the browser ended, of which nobody tells that a page crashed.
        if monitor.has_crashed(self._recorder.page_id):
            return "The page's process crashed."
        return "The browser ended." if gone.done() else ""

    def _patience(self) -> float:
        """Seconds for which silence is still no reason to end the run."""
        now = time.monotonic()
        if self._pause.on:
            # Who waits for a person says nothing, and neither does a judge count meanwhile.
            self._heard = now
            self.judging_since = None if self.judging_since is None else now
            return math.inf
        if self.judging_since is not None:
            return self.judging_since + JUDGE_LIMIT - now
        limits = self._request.limits
        return self._heard + max(limits.step_timeout_s, limits.llm_timeout_s) + SILENCE - now

    async def _read(self, worker: Worker, monitor: BrowserMonitor) -> None:
        async for message in worker.messages():
            self._heard = time.monotonic()
            await self._take(message, worker, monitor)
            if message["op"] in ("finished", "crashed"):
                return
        raise WorkerGone("The agent's process ended in the middle of the run.")

    async def _take(self, message: Message, worker: Worker, monitor: BrowserMonitor) -> None:
        match message["op"]:
            case "step":
                await self._step(message, monitor)
            case "shown":
                await self._permission.shown(message, monitor)
            case "acting" | "acted":
                self._recorder.acts(message)
                self._acts()
            case "parked" | "ask_person" | "may_act" | "unasked":
                self._person(message, worker, monitor)
            case "model_asked" | "model_answered" | "model_failed" | "interrupted":
                self._model(message)
            case "page_made":
                await monitor.adopt(message["target"])
            case "sample":
                self._caller.ask(message, worker)
            case "secret":
                self._tasks(self._obtain(message, worker))
            case _:
                self._ends(message)

    def _person(self, message: Message, worker: Worker, monitor: BrowserMonitor) -> None:
        """Take what the worker wants of a person, or waits for."""
        match message["op"]:
            case "parked":
                self._pause.parked(message["number"])
            case "ask_person":
                self._tasks(self._ask(message["reason"], worker, monitor))
            case "may_act":
                task = self._tasks(self._may_act(message, worker, monitor))
                self._pending[message["number"]] = task
            case "unasked":
                if (asking := self._pending.pop(message["number"], None)) is not None:
                    asking.cancel()

    def _model(self, message: Message) -> None:
        """Take what the worker says of a call of the model."""
        self._recorder.thinking = time.time() if message["op"] == "model_asked" else None
        match message["op"]:
            case "model_asked":
                self._outcome.usage.calls += 1
                self._clock.begin()
            case "model_answered":
                self._outcome.usage.answered(message["tokens"])
                self._clock.answered(message["tokens"])
            case "model_failed":
                self._clock.answered()
                self._recorder.model_failed(message)
            case "interrupted":
                if (tokens := self._clock.dropped()) is not None:
                    counted = f" ({sum(tokens.values()):,} tokens, which are counted)"
                    self._recorder.person(f"{DROPPED}{counted if tokens else ''}")

    def _ends(self, message: Message) -> None:
        """Take what the worker says of the beginning and the end of its run."""
        match message["op"]:
            case "seen":
                self._recorder.seen(message)
            case "withheld":
                self._outcome.withheld = tuple(message["actions"])
            case "judging":
                self._finished(message)
                self.judging_since = time.monotonic()
            case "finished":
                self._finished(message)
                judged = message["judgement"] is not None
                self._outcome.judge_failed = (
                    self._request.judge and self._outcome.done and not judged
                )
            case "crashed":
                text = self._hide(message["error"])
                self._outcome.broken = Failure(kind=message["kind"], text=text)

    async def _may_act(self, message: Message, worker: Worker, monitor: BrowserMonitor) -> None:
        """Let an action of the agent begin, after a person's yes where one is needed."""
        try:
            why, asks = await self._permission.refusal(message, monitor)
        except Refusal as refusal:
            text = self._hide(str(refusal))
            self._outcome.broken = Failure(kind="confirmation", text=text)
            self._refused.set()
            return
        self._pending.pop(message["number"], None)
        worker.post("answered", number=message["number"], why=why, asked=asks)

    async def _confirm_live(self, question: Question) -> bool:
        """Ask whoever watches the run, once somebody does."""
        while self.person is None:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(LOOK)
        return await self.person.confirm(question)

    async def _ask(self, reason: str, worker: Worker, monitor: BrowserMonitor) -> None:
        """Ask whoever watches; the agent waits, and its time does not count."""
        self._pause.begin("ask")
        page = await monitor.known(self._recorder.page_id)
        answer, origin = NOBODY, origin_of(page.get("url", ""))

        def take(words: str) -> str:
            name = self._request.secrets.answered(words, origin, shared=True)
            self._answers += f"{{{{{name}}}}}"
            worker.post("learn", name=name, origin=origin)
            return words_taken(name, origin)

        try:
            answer = await self._answered(reason, take if takes_words(reason, origin) else None)
        finally:
            self._pause.end("ask", answer)

    async def _answered(self, reason: str, words: Words | None) -> str:
        """Return what a person answers in the live view, or before the caller's client."""
        invite = self._request.invite
        if self.person is not None and self.person.is_watched:
            return await self.person.ask_person(reason, ASK_LIMIT, invite, words)
        if invite is None:
            return NOBODY
        try:
            async with asyncio.timeout(ASK_LIMIT):
                done = await invite(reason)
                while done is None and not (self.person and self.person.is_watched):  # noqa: ASYNC110
                    await asyncio.sleep(LOOK)
            if isinstance(done, str) and words is not None:
                return words(done)
        except (StrapError, TimeoutError):
            return NOBODY
        if done is not None or self.person is None:
            return DONE if done else DECLINED
        return await self.person.ask_person(reason, ASK_LIMIT, words=words)

    async def _obtain(self, message: Message, worker: Worker) -> None:
        """Tell the worker the value of a secret that the task names, for an origin."""
        named, value, why = f"{{{{{message['name']}}}}}", "", ""
        try:
            usable = self._request.secrets.among(self._request.task + self._answers)
            value = await usable.filled(named, message["origin"])
        except StrapError as error:
            why = str(error)
        worker.post("secret", number=message["number"], value=value, why=why)

    def _finished(self, message: Message) -> None:
        outcome = self._outcome
        outcome.done, outcome.success = message["done"], message["success"]
        outcome.text, outcome.judgement = message["text"], message["judgement"]
        outcome.out_of_steps, outcome.steps = message["out_of_steps"], message["steps"]

    async def _step(self, message: Message, monitor: BrowserMonitor) -> None:
        page = await monitor.known(message["target"])
        if page.get("url") == message["url"]:
            message["title"] = page["title"]  # the agent's own may be that of the last page
        message["took"] = self._clock.step()
        answers = [action["done"] for action in message["actions"] if "done" in action]
        self._outcome.contradicted = any(answer != answers[0] for answer in answers)
        await self._caller.tell(self._recorder.step(message), message["number"])
        self._heard = time.monotonic()
