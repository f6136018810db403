"""Calls that no run was begun for: the same answer, with the reason."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from strap import PolicyDenied, Result, StrapError, UsageError
from strap_browser.agent.contract import MAX_SUMMARY, EvalAnswer, StopReason, Timeouts
from strap_browser.agent.request import default_mode
from strap_browser.common.text import clip
from strap_browser.common.urls import without_query
from strap_browser.settings.agent import MOST_SECONDS, AgentSettings


def refused(
    error: StrapError, arguments: Mapping[str, Any], settings: AgentSettings | None = None
) -> Result:
    """Return the answer to a call that no run was begun for."""
    told = settings or AgentSettings()
    url, task = str(arguments.get("url", "")), str(arguments.get("task", ""))
    hint = ""
    if "text" in arguments and "task" not in arguments:
        hint = " eval takes a task for the agent; JavaScript runs with action evaluate."
    mode = arguments.get("mode")
    answer = EvalAnswer(
        session_id=str(uuid.uuid4()),
        tool_call_id=str(uuid.uuid4()),
        url=without_query(url),
        task=task[:20_000],
        mode=mode if mode in ("compact", "dev") else default_mode(url),
        status="failed",
        stop_reason=_reason(error),
        summary=clip(f"{error}{hint}", MAX_SUMMARY),
        timeouts=Timeouts(
            budget_s=_limit("budget_s", arguments, told),
            step_timeout_s=_limit("step_timeout_s", arguments, told),
            max_steps=int(_limit("max_steps", arguments, told)),
        ),
    )
    return as_result(answer)


def _reason(error: StrapError) -> StopReason:
    if error.code == "no_model":
        return "provider_error"
    wrong = isinstance(error, (UsageError, PolicyDenied))
    return "invalid_arguments" if wrong else "browser_error"


def _limit(name: str, arguments: Mapping[str, Any], settings: AgentSettings) -> float:
    """Return what the call gives, else the configuration; what is no limit is not repeated."""
    given: Any = arguments.get(name)
    if type(given) in (int, float) and 0 < float(given) <= MOST_SECONDS:
        return float(given)
    return float(getattr(settings, name))


def as_result(answer: EvalAnswer) -> Result:
    """Return the result that carries an answer."""
    data = answer.as_json()
    text = json.dumps(data, ensure_ascii=False)
    return Result(text=text, data=data, is_error=answer.status == "failed", whole=True)
