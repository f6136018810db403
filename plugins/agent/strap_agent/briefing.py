"""Messages that give a worker its run, and then its browser."""

import json
from pathlib import Path
from typing import Any

from strap_agent.browser_lease import BrowserLease
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
        "free": None if request.consent is None else request.consent.free,
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


def whereabouts(lease: BrowserLease) -> dict[str, Any]:
    """Return the message with which the agent begins."""
    return {
        "cdp_url": lease.address,
        "headers": dict(lease.headers),
        "target": lease.target,
    }
