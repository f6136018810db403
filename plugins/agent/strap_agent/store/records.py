"""Records of a run: events and pictures, and queries for them."""

import sqlite3
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from strap import record
from strap_agent.contract import EventKind

ShotKind = Literal["agent_step", "stream_sample"]
CAPS: dict[str, int] = {
    "agent": 200, "console": 200, "network": 500, "screenshots": 50, "samples": 120,
}  # fmt: skip
"""How many of each kind a run keeps; what goes first is the oldest without an error."""
COUNTED: dict[ShotKind, str] = {"agent_step": "screenshots", "stream_sample": "samples"}
"""As what pictures of a kind are counted."""
Picture = tuple[Path, float, int, ShotKind]
"""A picture's file, when it was taken, in which step, and of which kind."""
STORE_ERRORS = (OSError, sqlite3.Error)
"""Errors of a full disk, or of a store that another process holds."""
SUFFIXES: dict[ShotKind, str] = {"agent_step": "", "stream_sample": "-sample"}
"""Ends of the names of their files: they tell the kind should the index be lost."""
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}


@record
class Event:
    """Something that happened: a step of the agent, a console message, a request.

    `at` is seconds since the epoch, `step` the agent's step meanwhile (from 1, 0 before).
    """

    type: EventKind
    summary: str
    at: float
    step: int = 0
    has_error: bool = False
    url: str | None = None
    details: dict[str, Any] = field(default_factory=dict)


@record
class Shot:
    """A picture of the page; `file` is its name in the run's folder."""

    at: float
    step: int
    type: ShotKind
    file: str
    size: int
    url: str | None = None
    title: str | None = None
    has_error: bool = False


@record
class RunRecord:
    """One line of the index; `answer` is the JSON object, None while the run goes on."""

    session_id: str
    owner: str
    url: str
    task: str
    model: str
    started: float
    ended: float | None
    steps: int
    answer: dict[str, Any] | None
    dropped: dict[str, int]
    size: int

    @property
    def status(self) -> str:
        """`running` until there is an answer."""
        return "running" if self.answer is None else str(self.answer["status"])

    @property
    def state(self) -> str:
        """State of the run: running, done, failed, cancelled or lost."""
        if self.status in ("running", "success", "partial"):
            return "running" if self.answer is None else "done"
        return self.stop_reason if self.stop_reason in ("cancelled", "lost") else "failed"

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it runs. The clock may have been put back meanwhile."""
        return None if self.ended is None else round(max(self.ended - self.started, 0.0), 1)

    @property
    def stop_reason(self) -> str:
        """Why it ended, empty while it runs."""
        return "" if self.answer is None else str(self.answer["stop_reason"])


@record
class Query:
    """Query for events: the newest `last_n` that pass every filter."""

    last_n: int = 50
    types: tuple[str, ...] = ()
    has_error: bool | None = None
    since: float | None = None
    text: str | None = None
    """Only events with this in their summary or details, in any case (of ASCII)."""
    start: int = 0
    """How many of the newest to pass over."""


def image_type(data: bytes) -> str | None:
    """Return `png` or `jpeg` by the first bytes of a picture, None for what is neither."""
    return next((kind for start, kind in SIGNATURES.items() if data.startswith(start)), None)
