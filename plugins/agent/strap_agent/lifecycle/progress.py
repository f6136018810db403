"""Progress of a run in 60 tokens: its state, its step, what it waits for."""

import json
from typing import Any

from strap import Result
from strap_agent.lifecycle.detached_call import DetachedCall
from strap_agent.person.pause import Cause
from strap_agent.run import Run
from strap_agent.store.records import Query, RunRecord
from strap_agent.store.store import Store
from strap_browser.api import clip

MOST_OF_ACTION = 100
"""Characters of the last action: 25 tokens of the 60."""
LAST = Query(last_n=1, types=("agent",))
WAITS: dict[Cause, str] = {
    "hold": "a person",
    "ask": "a person",
    "yes": "needs_confirmation",
}


def begun(session_id: str, run: Run | DetachedCall | None) -> Result:
    """Return the answer to a call that goes on: how its end is asked for."""
    ask = f'web(resource: "browser", action: "get_run", session_id: "{session_id}")'
    data = {"session_id": session_id, "state": _state(run), "next_actions": [ask]}
    return Result(text=json.dumps(data), data=data, whole=True)


def progress(record: RunRecord, run: Run | DetachedCall | None, store: Store) -> Result:
    """Return how far a run is; `run` is None where another process carries it out."""
    last = next(iter(store.events(record.session_id, LAST)), None)
    data: dict[str, Any] = {"state": _state(run), "step": last.step if last else 0}
    if isinstance(run, Run):
        data |= {"step": run.recorder.steps, "of": run.request.limits.max_steps}
    elif run is not None:
        data["of"] = run.order.steps
    if last is not None:
        data["last"] = clip(last.summary, MOST_OF_ACTION)
    if waits := _waits_for(run):
        data["waits_for"] = waits
    return Result(text=json.dumps(data, ensure_ascii=False), data=data, whole=True)


def state_of(record: RunRecord, run: Run | DetachedCall | None) -> str:
    """Return where a run is in its life."""
    return _state(run) if record.answer is None else record.state


def _state(run: Run | DetachedCall | None) -> str:
    if run is not None and run.is_queued:
        return "queued"
    return "waiting" if _cause(run) else "running"


def _cause(run: Run | DetachedCall | None) -> Cause | None:
    """Return what about a person a run waits for."""
    if isinstance(run, Run):
        return run.pause.cause
    return "yes" if run is not None and run.is_waiting else None


def _waits_for(run: Run | DetachedCall | None) -> str:
    if run is None or run.is_queued:
        return "another run" if run is not None else ""
    if (cause := _cause(run)) is not None:
        return WAITS[cause]
    return "the model" if isinstance(run, Run) and run.recorder.thinking is not None else ""
