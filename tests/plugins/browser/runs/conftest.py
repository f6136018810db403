"""Stored runs without a browser: drafts, a store, a tiny picture."""

import base64
import uuid

import pytest

from strap_browser.runs.contract import Answer, Timeouts
from strap_browser.runs.store import Store

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def draft():
    """Make a draft of an answer: what is stored if the process is killed."""

    def make(**changes):
        fields = {
            "session_id": str(uuid.uuid4()),
            "tool_call_id": str(uuid.uuid4()),
            "url": "http://localhost:3000",
            "task": "look",
            "mode": "compact",
            "status": "failed",
            "stop_reason": "cancelled",
            "summary": "strap ended while the run was going on.",
            "timeouts": Timeouts(budget_s=60, step_timeout_s=15, max_steps=25),
        }
        return Answer(**fields | changes)

    return make


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "runs")
    yield opened
    opened.close()
