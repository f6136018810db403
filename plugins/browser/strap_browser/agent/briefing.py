"""What a worker is told of its run."""

import json
from pathlib import Path
from typing import Any

from strap_browser.agent.browser_lease import BrowserLease
from strap_browser.agent.request import RunRequest


def brief(order: RunRequest, session_id: str, seat: BrowserLease, folder: Path) -> dict[str, Any]:
    """Return the message that begins a run in a worker with the folder `folder`."""
    limits = order.limits
    return {
        "session_id": session_id,
        "task": order.secrets.hide(order.task),
        "secrets": order.secrets.as_json(),
        "url": order.target.url,
        "base": order.base,
        "cdp_url": seat.address,
        "headers": dict(seat.headers),
        "target": seat.target,
        "folder": str(folder),
        "model": order.choice.spec,
        "fallback": order.choice.fallback,
        "schema": None if order.schema is None else json.dumps(order.schema),
        "storage_state": order.storage_state,
        "vision": order.vision,
        "judge": order.judge,
        "max_steps": limits.max_steps,
        "step_timeout_s": limits.step_timeout_s,
        "llm_timeout_s": limits.llm_timeout_s,
    }
