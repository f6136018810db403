"""Messages that give a worker its run, and then its browser."""

import json
from pathlib import Path
from typing import Any

from strap_agent.browser_lease import BrowserLease
from strap_agent.person.agent_actions import ACTIONS
from strap_agent.request import RunRequest


def brief(request: RunRequest, session_id: str, folder: Path) -> dict[str, Any]:
    """Return the message by which a worker with the folder `folder` makes a run's agent."""
    limits = request.limits
    return {
        "session_id": session_id,
        "task": request.secrets.hide(request.task),
        "secrets": request.secrets.as_json(),
        "url": request.target.url,
        "stays": request.stays,
        "free": _free(request),
        "tells_pages": request.flow is not None,
        "base": request.base,
        "folder": str(folder),
        "model": request.choice.spec,
        "fallback": request.choice.fallback,
        "schema": None if request.schema is None else json.dumps(request.schema),
        "storage_state": request.storage_state,
        "vision": request.vision,
        "judge": request.judge,
        "max_steps": limits.max_steps,
        "step_timeout_s": limits.step_timeout_s,
        "llm_timeout_s": limits.llm_timeout_s,
    }


def _free(request: RunRequest) -> list[str] | None:
    """Return the agent's actions that nobody decides on; None: they are all of that kind."""
    if request.consent is None and request.flow is None:
        return None
    free = list(ACTIONS) if request.consent is None else request.consent.free
    decided = frozenset[str]() if request.flow is None else request.flow.decides_on
    return [name for name in free if name not in decided]


def whereabouts(lease: BrowserLease) -> dict[str, Any]:
    """Return the message with which the agent begins."""
    return {
        "cdp_url": lease.address,
        "headers": dict(lease.headers),
        "target": lease.target,
    }
