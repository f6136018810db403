"""One run of a scenario: the attempt at its case through the real tool, and all evidence of it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from strap import Result, StrapError
from strap_cases.cases import Case
from strap_cases.running.attempt import run_attempt
from strap_cases.running.results import Attempt
from strap_cases.running.session import CaseSession, Web
from strap_cases.verdict import Seen

BUDGET = 60.0
"""Seconds for a run whose scenario sets none: those of `eval`."""
LONGEST = 20_000
"""Characters that are kept of an answer."""
PAGE = 200
"""Most events of an answer."""
TOKENS = 100_000
"""Most that an answer about a run may take."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot of a run, and what is known of it."""

    facts: Mapping[str, Any]
    data: bytes


@dataclass(kw_only=True, slots=True)
class Evidence:
    """All that is known of a scenario when it is over."""

    task: str = ""
    answer: Mapping[str, Any] | None = None
    """The object of `eval`, None if there is none."""
    eval_s: float = 0.0
    """Seconds until it came, and `budget_s` how many it might have taken."""
    budget_s: float = BUDGET
    events: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    """Oldest first, as the events."""
    checks: list[Seen] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    broken: str = ""
    """Why it could not be gone on with."""
    left_over: list[str] = field(default_factory=list)
    site_log: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """How many steps the agent took."""
        return sum("actions" in event["details"] for event in self.events)


class WitnessedSession(CaseSession):
    """Calls of one scenario, all of which are noted with their answers."""

    def __init__(self, router: Web, profile: str, name: str) -> None:
        super().__init__(router, profile, name)
        self.calls: list[dict[str, Any]] = []

    async def make(self, arguments: Mapping[str, Any], *, awaits_news: bool = True) -> Result:
        """Make a call and note it; raises `StrapError`."""
        began = monotonic()
        note: dict[str, Any] = {"at": round(time.time(), 3), "call": dict(arguments)}
        self.calls.append(note)
        try:
            answer = await super().make(arguments, awaits_news=awaits_news)
        except StrapError as error:
            note |= {"error": str(error), "code": error.code}
            raise
        else:
            note |= {"text": answer.text[:LONGEST], "images": len(answer.images)}
            return answer
        finally:
            note["seconds"] = round(monotonic() - began, 3)


class EvidenceSession(WitnessedSession):
    """Calls of one scenario that gather what a run of the agent leaves."""

    def __init__(self, router: Web, profile: str, name: str) -> None:
        super().__init__(router, profile, name)
        self.evidence = Evidence(calls=self.calls)

    async def on_page(self, action: str, /, **fields: Any) -> Result:
        """Call an action on the page of the case; raises `StrapError`."""
        if action != "eval":
            return await super().on_page(action, **fields)
        evidence, began = self.evidence, monotonic()
        evidence.task = fields["task"]
        evidence.budget_s = fields.setdefault("budget_s", BUDGET)
        try:
            result = await super().on_page(action, **fields)
        finally:
            evidence.eval_s = monotonic() - began
        evidence.answer = answer = result.data
        run = {"session_id": answer["session_id"], "max_tokens": TOKENS}
        while page := await self._about("get_run_events", evidence.events, run, last_n=PAGE):
            evidence.events[:0] = page.data["events"][::-1]
        shots = {**run, "screenshot_type": "agent_step"}
        while page := await self._about("get_screenshots", evidence.pictures, shots, last_n=1):
            facts = page.data["screenshots"][0]
            evidence.pictures.insert(0, Picture(facts, page.images[0].data))
        return result

    async def _about(
        self, action: str, before: list[Any], run: Mapping[str, Any], *, last_n: int
    ) -> Result | None:
        """Return what an answer adds to what came `before`, the newest first, None for nothing."""
        details = {"include_details": True} if action == "get_run_events" else {}
        answer = await self.call(
            "browser", action, **run, **details, last_n=last_n, start=len(before)
        )
        return answer if answer.images or answer.data.get("events") else None


async def perform(case: Case, session: EvidenceSession) -> Evidence:
    """Run a scenario in a session of its own, which is ended; whatever goes wrong is noted."""
    evidence, began = session.evidence, monotonic()
    attempt = await run_attempt(case, session, 1, {}, wants_tag=False)
    evidence.checks = attempt.checks
    evidence.broken = _broken(attempt, evidence.answer)
    try:
        evidence.left_over += [f"page {page}" for page in await session.pages()]
    except StrapError as error:
        evidence.broken = evidence.broken or str(error)
    evidence.seconds = monotonic() - began
    return evidence


def _broken(attempt: Attempt, answer: Mapping[str, Any] | None) -> str:
    """Return why it was not gone on with, "" where it was or the answer itself says why."""
    if attempt.broken:
        return "" if answer is not None and answer["summary"] == attempt.broken else attempt.broken
    return next(iter(attempt.notes), "")
