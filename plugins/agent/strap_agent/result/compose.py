"""The answer of a run, put together from its verdict and what was stored."""

import re
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from strap_agent.contract import (
    MAX_EXCERPT,
    MAX_LINE,
    MAX_SUMMARY,
    MAX_WARNINGS,
    Artifacts,
    DevExcerpts,
    EvalAnswer,
    PageSeen,
)
from strap_agent.result.bounded_result import bound
from strap_agent.result.doubts import doubts
from strap_agent.result.ranking import top_errors
from strap_agent.result.verdict import RunOutcome, Verdict
from strap_agent.store.records import Event, Query
from strap_browser.api import clip, without_query

if TYPE_CHECKING:
    from strap_agent.request import RunRequest
    from strap_agent.store.store import Store

KEY = re.compile(r"\b(?:(?:sk|pk|gsk|xai|key)-|AIza|Bearer )[A-Za-z0-9_\-*.]{8,}")
MARKS = ("k-", "key-", "xai-", "AIza", "Bearer ")
"""Substrings, one in every key: to look for them first takes a hundredth of the time."""
HIDDEN = "***"
ALL = Query(last_n=1_000, has_error=True)
INTERRUPTED = "strap ended while the run was going on."
PAUSED = "The run waits for a person; it goes on. list_runs tells its end."


def interim_answer(request: "RunRequest", session_id: str, hide: "Redactor") -> EvalAnswer:
    """Return the answer that stands if strap is killed during the run."""
    return EvalAnswer(
        session_id=session_id,
        tool_call_id=str(uuid.uuid4()),
        url=hide(without_query(request.target.url)),
        task=hide(request.task),
        mode=request.mode,
        status="failed",
        stop_reason="lost",
        summary=INTERRUPTED,
        timeouts=request.limits.timeouts(),
    )


def compose(
    draft: EvalAnswer, verdict: Verdict, outcome: RunOutcome, store: "Store", *,
    page: PageSeen, warnings: Iterable[str], hide: "Redactor", max_tokens: int | None = None,
    paused_s: float = 0, stays: bool = False, frame: str | None = None,
) -> EvalAnswer:  # fmt: skip
    """Return the final answer in place of `draft`; one that `stays` had a page to begin with."""
    counts = artifacts(store.counts(draft.session_id))
    events = store.events(draft.session_id, ALL)[::-1]
    errors = top_errors(outcome, events, draft.url, verdict=verdict)
    fitted = bound(
        verdict, partial(store.keep_answer, draft.session_id), hide,
        fits=outcome.misfit == "", max_tokens=max_tokens,
    )  # fmt: skip
    run = draft.session_id
    unsure = doubts(store, run, page.url, stays=stays, frame=frame) if verdict.result else ()
    shown = [*fitted.warnings, *unsure, *warnings, *_withheld(outcome), *verdict.warnings]
    return draft.model_copy(
        update={
            "status": verdict.status,
            "stop_reason": verdict.stop_reason,
            "result": fitted.result,
            "summary": clip(hide(verdict.summary), MAX_SUMMARY),
            "timeouts": draft.timeouts.model_copy(
                update={"timed_out": verdict.timed_out, "paused_s": round(paused_s, 1) or None}
            ),
            "warnings": bounded(hide(line) for line in shown),
            "artifacts": counts,
            "page": page,
            "usage": outcome.usage.usage,
            "errors_top": [e.model_copy(update={"summary": hide(e.summary)}) for e in errors],
            "next_actions": [
                *draft.next_actions,
                *next_actions(run, verdict, counts, errors=bool(errors), start=fitted.start),
            ],
            "dev_excerpts": _excerpts(outcome, verdict, events, draft)
            if draft.mode == "dev"
            else None,
        }
    )


def _withheld(outcome: RunOutcome) -> list[str]:
    if not outcome.withheld:
        return []
    names = ", ".join(outcome.withheld)
    return [f"The agent did without actions that this strap does not know: {names}."]


def artifacts(counts: dict[str, int]) -> Artifacts:
    """Return how much of each kind there is."""
    shots, samples = counts.pop("screenshots"), counts.pop("samples")
    return Artifacts(screenshots=shots, stream_samples=samples, run_events=sum(counts.values()))


def while_paused(draft: EvalAnswer, paused_s: float) -> EvalAnswer:
    """Return the answer for a caller who cannot wait until a person lets the run go on."""
    return draft.model_copy(
        update={
            "stop_reason": "paused",
            "summary": PAUSED,
            "timeouts": draft.timeouts.model_copy(update={"paused_s": round(paused_s, 1)}),
            "next_actions": ['web(resource: "browser", action: "list_runs")'],
        }
    )


def next_actions(
    session_id: str, verdict: Verdict, counts: Artifacts, *, errors: bool, start: int | None = None
) -> list[str]:
    """Return the calls that would tell more; `start` is where the answer goes on, if it does."""
    handle = f'session_id: "{session_id}"'
    events = f'web(resource: "browser", action: "get_run_events", {handle}'
    calls = [] if start is None else [f'{events}, event_types: ["result"], start: {start})']
    if counts.screenshots:
        calls.append(f'web(resource: "browser", action: "get_screenshots", {handle})')
    if errors or verdict.status != "success":
        calls.append(f"{events}, has_error: true)")
    return calls


def bounded(lines: Iterable[str]) -> list[str]:
    """Return `lines` as warnings: each once, short, not too many."""
    return list(dict.fromkeys(clip(line, MAX_LINE) for line in lines))[:MAX_WARNINGS]


class Redactor:
    """Hides keys: those of this run wherever they appear, and what looks like one.

    `configured` hides the secrets of the configuration.
    """

    def __init__(self, secrets: Iterable[str], configured: Callable[[str], str] = str) -> None:
        self._configured = configured
        self._secrets = [secret for secret in secrets if len(secret) > 3]

    def __call__(self, text: str) -> str:
        """Return `text` without keys."""
        text = self._configured(text)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return KEY.sub(HIDDEN, text) if any(mark in text for mark in MARKS) else text

    def deep(self, value: Any) -> Any:
        """Return plain JSON values without keys."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {key: self.deep(item) for key, item in value.items()}
        return [self.deep(item) for item in value] if isinstance(value, list) else value


def _excerpts(
    outcome: RunOutcome, verdict: Verdict, events: list[Event], draft: EvalAnswer
) -> DevExcerpts:
    def lines(kind: str) -> list[str]:
        summaries = (clip(event.summary, MAX_LINE) for event in events if event.type == kind)
        return list(dict.fromkeys(summaries))[:MAX_EXCERPT]

    return DevExcerpts(
        console_errors=lines("console"),
        network_errors=lines("network"),
        ranked_errors=top_errors(outcome, events, draft.url, 2 * MAX_EXCERPT, verdict=verdict),
    )
