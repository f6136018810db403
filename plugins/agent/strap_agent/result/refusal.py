"""Calls that no run was begun for: the same answer, with the reason."""

import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from strap import FailedCall, Params, PolicyDenied, Result, StrapError, UsageError
from strap_agent.contract import (
    MAX_LINE,
    MAX_SUMMARY,
    Artifacts,
    EvalAnswer,
    StopReason,
    Timeouts,
    TopError,
)
from strap_agent.request import default_mode, owner_of
from strap_agent.store.records import STORE_ERRORS, Event
from strap_agent.store.store import Store
from strap_browser.api import MOST_SECONDS, AgentSettings, clip, without_query

log = logging.getLogger(__name__)
UNSTORED = "A refusal is not stored: %s"
HELP = 'web(resource: "browser", action: "help", value: "eval")'


def refused(failed: FailedCall) -> Result:
    """Return the answer to a call whose fields do not fit, or that failed on its way to a run."""
    settings = failed.settings if isinstance(failed.settings, AgentSettings) else None
    answer = refusal(failed.error, failed.arguments, settings)
    if failed.state is None:
        return as_result(answer)
    try:
        store = failed.state.runs.store
    except (StrapError, *STORE_ERRORS) as error:
        log.warning(UNSTORED, error)
        return as_result(answer)
    owner = owner_of(failed.caller, _handle(failed.arguments))
    return stored(answer, store, owner=owner, hide=failed.config.secrets.hide)


def _handle(arguments: Mapping[str, Any]) -> str | None:
    """Return the caller's handle, None where it is none: nobody could ask by it."""
    try:
        return Params(session=arguments.get("session")).session
    except ValidationError:
        return None


def refusal(
    error: StrapError, arguments: Mapping[str, Any], settings: AgentSettings | None = None
) -> EvalAnswer:
    """Return the answer to a call that no run was begun for."""
    own = settings or AgentSettings()
    url, task = (str(arguments.get(name) or "") for name in ("url", "task"))
    hint = ""
    if "text" in arguments and "task" not in arguments:
        hint = " eval takes a task for the agent; JavaScript runs with action evaluate."
    mode = arguments.get("mode")
    summary = clip(f"{error}{hint}", MAX_SUMMARY)
    return EvalAnswer(
        session_id=str(uuid.uuid4()),
        tool_call_id=str(uuid.uuid4()),
        url=without_query(url),
        task=task[:20_000],
        mode=mode if mode in ("compact", "dev") else default_mode(url),
        status="failed",
        stop_reason=reason(error),
        summary=summary,
        errors_top=[TopError(type="agent", summary=clip(summary, MAX_LINE))],
        next_actions=[HELP],
        timeouts=Timeouts(
            budget_s=_limit("budget_s", arguments, own),
            step_timeout_s=_limit("step_timeout_s", arguments, own),
            max_steps=int(_limit("max_steps", arguments, own)),
        ),
    )


def stored(answer: EvalAnswer, store: Store, *, owner: str, hide: Callable[[str], str]) -> Result:
    """Return the result of a refusal that can be asked for later, as a run is.

    Where nothing can be stored it is answered all the same.
    """
    hidden = {name: hide(getattr(answer, name)) for name in ("url", "task", "summary")}
    answer = answer.model_copy(update=hidden)
    call = f'web(resource: "browser", action: "get_run_events", session_id: "{answer.session_id}")'
    final = answer.model_copy(update={"next_actions": [call, HELP]})
    event = Event(
        type="agent",
        summary=clip(f"run failed ({final.stop_reason}): {final.summary}", MAX_LINE),
        at=time.time(),
        step=0,
        has_error=True,
        url=final.url,
        details={},
    )
    try:
        store.begin(final, owner=owner, model="")
        store.add(final.session_id, [event])
        final = final.model_copy(update={"artifacts": Artifacts(run_events=1)})
        store.finish(final, steps=0)
    except (StrapError, *STORE_ERRORS) as error:
        log.warning(UNSTORED, error)
        return as_result(answer)
    return as_result(final)


def reason(error: StrapError) -> StopReason:
    """Return what stopped a call that raised an error."""
    if error.code == "no_model":
        return "provider_error"
    if error.code == "dns":
        return "dns_error"
    if error.code == "shutting_down":
        return "cancelled"
    wrong = isinstance(error, (UsageError, PolicyDenied))
    return "invalid_arguments" if wrong else "browser_error"


def _limit(name: str, arguments: Mapping[str, Any], settings: AgentSettings) -> float:
    """Return what the call gives, else the configuration; what is no limit is not repeated."""
    value: Any = arguments.get(name)
    if type(value) in (int, float) and 0 < float(value) <= MOST_SECONDS:
        return float(value)
    return float(getattr(settings, name))


def as_result(answer: EvalAnswer) -> Result:
    """Return the result that carries an answer."""
    data = answer.as_json()
    text = json.dumps(data, ensure_ascii=False)
    return Result(text=text, data=data, is_error=answer.status == "failed", whole=True)
