"""From what happened to what is answered: the status table."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from strap import record
from strap.text import counted
from strap_agent.contract import MAX_LINE, MAX_SUMMARY, TIMED_OUT, Status, StopReason
from strap_agent.result.stop_reasons import Stop, stop_in
from strap_agent.result.usage import UsageCount
from strap_agent.result.visibility import has_something
from strap_browser.api import clip, strip_fence

JSON = re.compile(r"[{\[]")
LONGEST_EMPTY = 10_000
"""Characters of an answer that is looked at for whether it is empty."""
ADVICE: dict[str, str] = {
    "budget": "Give it more with budget_s, or a smaller task.",
    "max_steps": "Give it more with max_steps, or a smaller task.",
    "step_timeout": "Give a step more time with step_timeout_s (large models need 30).",
    "login_required": "Log in on a profile and give profile, or a saved login with state_id.",
    "bot_wall": "The site keeps automated browsers out; another source may serve.",
    "impossible_task": "Check the task and the address.",
    "provider_error": "Check the model's key, name and address (STRAP_MODEL), or try again.",
    "refusal": "Put the task in other words, or try another model.",
    "schema_error": "The model does not keep to the form that was asked for; try another model.",
    "browser_error": "Call again: the next run gets a new browser; `strap doctor` checks it.",
    "empty_result": "Call again, and say in the task what to answer.",
    "not_finished": "Look at the screenshots and events, then call again with a clearer task.",
    "cancelled": "",
    "done": "",
    "invalid_arguments": "",
    "paused": "",
    "dns_error": "",
    "needs_confirmation": "",
    "flow_denied": "",
}
BY_PERSON = "A person stopped the run in the live view."
REASONS: dict[str, StopReason] = {
    "provider": "provider_error",
    "schema": "schema_error",
    "refusal": "provider_error",
    "step_timeout": "step_timeout",
    "browser": "browser_error",
}
"""Stop reason by the kind of the last failure."""
BROKEN: dict[str, StopReason] = {
    "provider": "provider_error",
    "confirmation": "needs_confirmation",
}
"""Why it ended where something beside the agent ended it."""
GAVE_UP = ("impossible_task", "not_finished", "max_steps")
"""Ends of an agent that could not do what it was to."""


@record
class Failure:
    """A failure of the agent: its kind, its text, the HTTP status of a provider, its step."""

    kind: str
    text: str
    status: int | None = None
    step: int = 0


@dataclass(kw_only=True, slots=True)
class RunOutcome:
    """All that is known when a run is over."""

    done: bool = False
    success: bool | None = None
    text: str | None = None
    misfit: str | None = None
    """Why its answer does not fit the schema asked for, empty if it does; None: none was asked."""
    judgement: dict[str, Any] | None = None
    judge_failed: bool = False
    out_of_steps: bool = False
    steps: int = 0
    waiting: bool = False
    """Whether it had not begun, as others were going on."""
    interrupted: StopReason | None = None
    """`budget`, `cancelled` or `step_timeout`, if the run was ended from outside."""
    broken: Failure | None = None
    """Failure outside the agent that ended the run: a dead browser or worker, an exception."""
    failures: list[Failure] = field(default_factory=list)
    """Failures of steps, in order."""
    failing: bool = False
    """Whether the last step failed."""
    usage: UsageCount = field(default_factory=UsageCount)
    withheld: tuple[str, ...] = ()
    """Actions of browser-use that the agent did without, as strap does not know them."""
    contradicted: bool = False
    """Whether its agent gave several answers at once that differ."""
    kept_back: str = ""
    """Why the agent was last not let send something, by the information-flow guard."""
    by_person: bool = False
    """Whether it was a person who ended it, in the live view."""

    def interrupt(self, reason: StopReason, *, judge: bool) -> None:
        """Take note that the run was ended from outside; `judge`: a judge was to be asked."""
        if self.done and reason != "cancelled":
            self.judge_failed = judge  # it was still at work
        else:
            self.interrupted = reason


@record
class Verdict:
    """Verdict on a run, for its answer."""

    status: Status
    stop_reason: StopReason
    summary: str
    result: str | None = None
    answer_text: str | None = None
    """Answer of the agent that is no result: it is kept with the run."""
    warnings: tuple[str, ...] = ()

    @property
    def timed_out(self) -> bool:
        """Whether a limit ended the run."""
        return self.stop_reason in TIMED_OUT


def claim(outcome: RunOutcome) -> str:
    """Return the answer, or the part of one, that an agent which is done gives; may be empty."""
    if not outcome.done or outcome.interrupted is not None:
        return ""
    text = outcome.text or ""
    stop = stop_in(text)
    return strip_fence(text if _succeeded(outcome, stop) else stop.part)


def decide(outcome: RunOutcome) -> Verdict:
    """Apply the status table; what the flow guard kept back may be why there is no answer."""
    verdict, why = _decided(outcome), outcome.kept_back
    if why and verdict.status == "failed" and verdict.stop_reason in GAVE_UP:
        return replace(verdict, stop_reason="flow_denied", summary=f"{why} {verdict.summary}")
    return replace(verdict, warnings=(why, *verdict.warnings)) if why else verdict


def _decided(outcome: RunOutcome) -> Verdict:
    if outcome.interrupted is not None:
        return _failed(outcome.interrupted, _interruption(outcome))
    if outcome.broken is not None and not outcome.done:
        return _failed(BROKEN.get(outcome.broken.kind, "browser_error"), outcome.broken.text)
    if not outcome.done:
        return _unfinished(outcome)
    stop = stop_in(outcome.text or "")
    return _successful(outcome) if _succeeded(outcome, stop) else _stopped(outcome, stop)


def _succeeded(outcome: RunOutcome, stop: Stop) -> bool:
    return bool(outcome.success) and (not stop.is_explicit or _is_json(outcome.text or ""))


def _is_json(text: str) -> bool:
    """Whether an answer is one JSON object or list: what it holds says nothing of the run."""
    text = strip_fence(text).strip()
    return JSON.match(text) is not None and _parsed(text) is not None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _holds_nothing(text: str) -> bool:
    if len(text) > LONGEST_EMPTY or not text.startswith(("[", "{", '"', "null")):
        return False
    rest = [json.loads(text)] if text == "null" or _parsed(text) is not None else [0]
    while rest:
        value = rest.pop()
        if isinstance(value, dict | list):
            rest += value.values() if isinstance(value, dict) else value
        elif value is not None and not (isinstance(value, str) and not has_something(value)):
            return False
    return True


def _successful(outcome: RunOutcome) -> Verdict:
    text = outcome.text or ""
    if not has_something(text):
        return _failed("empty_result", "The agent said that it is done, without an answer.")
    if outcome.misfit is not None:
        text = strip_fence(text)
    if outcome.misfit:
        why = f"The answer does not fit the schema: {outcome.misfit} It was: {text[:MAX_SUMMARY]}"
        return replace(_failed("schema_error", why), answer_text=text)
    warnings = (*_oddities(outcome, text), *recovered(outcome))
    if outcome.judge_failed:
        warnings = (*warnings, "The judge gave no verdict.")
    reason, objection = judge_objection(outcome.judgement)
    if objection:
        return Verdict(
            status="partial",
            stop_reason=reason,
            summary=f"The agent finished, but the judge objects: {objection} {ADVICE[reason]}",
            result=text,
            warnings=(f"judge: {objection}", *warnings),
        )
    first = clip(text, 300)
    return Verdict(
        status="success", stop_reason="done", summary=first, result=text, warnings=warnings
    )


def _oddities(outcome: RunOutcome, text: str) -> list[str]:
    oddities = []
    if outcome.contradicted:
        oddities.append("The agent gave several different answers at once; this is the first.")
    if _holds_nothing(strip_fence(text).strip()):
        oddities.append(f"The answer is empty: {clip(strip_fence(text), 100)}")
    return oddities


def _stopped(outcome: RunOutcome, stop: Stop) -> Verdict:
    """`done(success=false)`, or a stop line: it says why, what follows `PARTIAL:` is an answer."""
    reason, why, answer = stop.reason, stop.why or "The agent gave no reason.", stop.part
    warnings = (*_oddities(outcome, ""), *recovered(outcome))
    if not has_something(answer):
        answer = ""
    if outcome.misfit is not None:
        answer = strip_fence(answer)
    if answer and outcome.misfit:
        why = f"{why} The part that is there does not fit the schema: {outcome.misfit}"
        return replace(_failed(reason, why), answer_text=answer, warnings=warnings)
    if not answer:
        return replace(_failed(reason, why), warnings=warnings)
    return Verdict(
        status="partial",
        stop_reason=reason,
        summary=f"{why} {ADVICE[reason]}".strip(),
        result=answer,
        warnings=(f"incomplete ({reason}): {why}", *warnings),
    )


def _unfinished(outcome: RunOutcome) -> Verdict:
    last = outcome.failures[-1] if outcome.failures and outcome.failing else None
    if outcome.out_of_steps and not _never_got_on(outcome):
        why = "The agent used up its steps before it was done."
        texts = [failure.text for failure in outcome.failures if failure.kind == "action"]
        return _failed("max_steps", f"{why} Last trouble: {texts[-1]}" if texts else why)
    if last is not None:
        return _failed(REASONS.get(last.kind, "not_finished"), last.text, ADVICE.get(last.kind))
    return _failed("not_finished", "The agent ended without finishing.")


def _never_got_on(outcome: RunOutcome) -> bool:
    """Whether all steps failed, for another reason than that only `done` is left in the last."""
    failed = {failure.step for failure in outcome.failures if failure.kind in REASONS}
    forced = bool(outcome.failures) and outcome.failures[-1].kind == "schema"
    return len(failed) >= outcome.steps and not (forced and len(failed) == 1)


def _interruption(outcome: RunOutcome) -> str:
    when = (
        "while the run waited for others to end" if outcome.waiting else "before the agent was done"
    )
    text = {
        "budget": f"The time budget was over {when}.",
        "step_timeout": "The agent did not answer for longer than a step may take.",
        "cancelled": BY_PERSON if outcome.by_person else "The run was cancelled.",
    }[outcome.interrupted or "cancelled"]
    last = outcome.failures[-1] if outcome.failures and outcome.failing else None
    return f"{text} Last trouble: {last.text}" if last and outcome.interrupted == "budget" else text


def _failed(reason: StopReason, why: str, advice: str | None = None) -> Verdict:
    why, advice = why.strip(), ADVICE[reason] if advice is None else advice
    why = why if why.endswith((".", "!", "?")) or not advice else f"{why}."
    return Verdict(status="failed", stop_reason=reason, summary=f"{why} {advice}".strip())


def recovered(outcome: RunOutcome) -> tuple[str, ...]:
    """Return a line for each failure that the agent got over, and what follows from many."""
    lines = [f"recovered ({f.kind}, step {f.step}): {f.text}" for f in outcome.failures]
    slow = sum(failure.kind == "step_timeout" for failure in outcome.failures)
    if slow and slow * 2 >= len(outcome.failures):
        lines.insert(0, f"{counted(slow, 'step')} timed out: {ADVICE['step_timeout']}")
    return tuple(lines)


def judge_objection(judgement: dict[str, Any] | None) -> tuple[StopReason, str]:
    """Return in a word and in its own why the judge does not agree, empty if it does."""
    judged = judgement or {}
    text = clip(
        str(judged.get("failure_reason") or judged.get("reasoning") or "no reason given"), MAX_LINE
    )
    if judged.get("reached_captcha") is True:
        return "bot_wall", clip(f"A captcha was in the way: {text}", MAX_LINE)
    if judged.get("impossible_task") is True:
        return "impossible_task", clip(f"The task is impossible: {text}", MAX_LINE)
    return "done", text if judged.get("verdict") is False else ""
