"""A call of another action that goes on as a run: stored, told of and ended like one."""

import asyncio
import json
import logging
import re
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from strap import Detached, Result, StrapError
from strap.api.time_limits import limited
from strap_agent.contract import MAX_LINE, MAX_SUMMARY, EvalAnswer, StopReason, Timeouts, TopError
from strap_agent.result.bounded_result import LONGEST
from strap_agent.result.compose import INTERRUPTED, artifacts
from strap_agent.result.refusal import reason
from strap_agent.store.records import STORE_ERRORS, Event, RunRecord
from strap_agent.store.run_folder import alive
from strap_agent.store.store import Store
from strap_browser.api import clip, without_query

log = logging.getLogger(__name__)
SIGN = 1.0
"""Seconds between two signs that it goes on; the length of one that was killed is so exact."""


class DetachedCall:
    """Carries out one call; `stop` ends it from outside."""

    def __init__(
        self, order: Detached, store: Store, owner: str, hide: Callable[[str], str]
    ) -> None:
        self.order = order
        self.session_id = str(uuid.uuid4())
        self.is_queued = True
        """Whether it waits for others to end."""
        self._store = store
        self.owner = owner
        self._hide = hide
        self._step = 0
        self._reason: StopReason = "budget"
        """Why it ends, where its own work does not."""
        self._work: asyncio.Task[Result] | None = None
        self._limit: asyncio.Timeout | None = None
        self._draft = EvalAnswer(
            session_id=self.session_id,
            tool_call_id=str(uuid.uuid4()),
            url=hide(without_query(order.url)),
            task=hide(order.task),
            mode="compact",
            status="failed",
            stop_reason="lost",
            summary=INTERRUPTED,
            timeouts=Timeouts(
                budget_s=order.seconds, step_timeout_s=order.seconds, max_steps=order.steps
            ),
            next_actions=[hide(f"web({_fields(order.resume)})")] if order.resume else [],
        )

    @property
    def is_waiting(self) -> bool:
        """Whether a person is asked for a yes: its time stands still."""
        return self._limit is not None and self._limit.when() is None

    def begin(self) -> None:
        """Store that it begins; raises `ActionError` where nothing can be stored."""
        self._store.begin(self._draft, owner=self.owner, model="")

    def stop(self, reason: StopReason) -> None:
        """End it."""
        self._reason = reason
        if self._work is not None:
            self._work.cancel()

    async def carry_out(self, slots: asyncio.Semaphore) -> None:
        """Carry it out to the end, whatever end that is, and store the answer."""
        self._work = asyncio.create_task(self._in_turn(slots), name="carry out call")
        while not self._work.done():
            alive(self._store.folder(self.session_id))
            await asyncio.wait({self._work}, timeout=SIGN)
        answer = self._answer(self._work)
        with suppress(*STORE_ERRORS):
            if answer.status == "failed":
                self._note(f"run failed ({answer.stop_reason}): {answer.summary}", bad=True)
            counts = artifacts(self._store.counts(self.session_id))
            answer = answer.model_copy(update={"artifacts": counts})
        try:
            self._store.finish(answer, steps=self._step)
        except STORE_ERRORS as error:
            log.error("The answer of a call could not be stored: %s", error)  # noqa: TRY400 - no fault of ours

    async def _in_turn(self, slots: asyncio.Semaphore) -> Result:
        if self._reason == "cancelled":
            raise asyncio.CancelledError
        async with slots:
            self.is_queued = False
            async with limited(self.order.seconds) as self._limit:
                result: Result = await self.order.work(self._report)
                return result

    async def _report(self, message: str, done: float, total: float | None) -> None:
        """Note a step, as an event of the run."""
        del total
        self._step = int(done)
        try:
            self._note(message, bad=False)
        except STORE_ERRORS as error:
            log.warning("A step of a call is not stored: %s", error)

    def _note(self, text: str, *, bad: bool) -> None:
        event = Event(
            type="agent",
            summary=clip(self._hide(text), MAX_LINE),
            at=time.time(),
            step=self._step,
            has_error=bad,
        )
        self._store.add(self.session_id, [event])

    def _answer(self, work: asyncio.Task[Result]) -> EvalAnswer:
        if work.cancelled():
            return self._failed(self._reason, "The run was cancelled.")
        error = work.exception()
        if isinstance(error, TimeoutError):
            return self._failed("budget", f"It did not end within {self.order.seconds:g} s.")
        if isinstance(error, StrapError):
            why = "budget" if error.code == "timeout" else reason(error)
            return self._failed("not_finished" if why == "browser_error" else why, str(error))
        if error is not None:
            log.error("A detached call failed", exc_info=error)
            return self._failed("browser_error", f"It failed ({type(error).__name__}).")
        text = clip(self._hide(work.result().text), LONGEST)
        if work.result().is_error:
            return self._failed("not_finished", text).model_copy(update={"result": text})
        ended: dict[str, Any] = {"status": "success", "stop_reason": "done", "result": text}
        ended |= {"summary": clip(text, MAX_SUMMARY), "next_actions": []}
        return self._draft.model_copy(update=ended)

    def _failed(self, why: StopReason, text: str) -> EvalAnswer:
        line = clip(self._hide(text), MAX_SUMMARY)
        top = [TopError(type="agent", summary=clip(line, MAX_LINE))]
        timeouts = self._draft.timeouts.model_copy(update={"timed_out": why == "budget"})
        return self._draft.model_copy(
            update={
                "stop_reason": why, "summary": line, "errors_top": top, "timeouts": timeouts,
            }
        )  # fmt: skip


def call_to_resume(record: RunRecord) -> dict[str, Any] | None:
    """Return the call that a run of another action goes on with, None where there is none."""
    if record.answer is None or record.model or not (calls := record.answer.get("next_actions")):
        return None
    text, arguments = str(calls[0]).removeprefix("web("), dict[str, Any]()
    while match := re.match(r"(?:, )?(\w+): ", text):
        text = text[match.end() :]
        try:
            arguments[match[1]], end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            return None
        text = text[end:]
    return arguments if text == ")" else None


def _fields(arguments: Mapping[str, Any]) -> str:
    """Return arguments as `next_actions` name them."""
    return ", ".join(f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
