"""One scenario, once: the agent acts through the real tool, strap looks, and all is kept."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urljoin

from strap import Result, StrapError
from strap_cases.cases import Case, Filled
from strap_cases.checking.making import make
from strap_cases.checking.scene import Scene
from strap_cases.filling import filled
from strap_cases.problems import BadCases, Problems
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
LIMITS = ("max_steps", "step_timeout_s")


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
    """What is there after its end."""
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


async def perform(case: Case, session: WitnessedSession, unique: str) -> Evidence:
    """Run a scenario in a session of its own, which is ended; whatever goes wrong is noted."""
    began, evidence = monotonic(), Evidence()
    given = _filled(case, unique)
    try:
        await _begin(case, given, session)
        await _act(case, given, session, evidence)
        scene = Scene(
            session=session,
            base_url=case.settings.base_url,
            runs=(evidence.answer["session_id"],) if evidence.answer else (),
            answer=str((evidence.answer or {}).get("result") or ""),
        )
        evidence.checks = await make(given.checks, scene, case.settings.expect_timeout_s)
    except StrapError as error:
        evidence.broken = str(error)
    finally:
        await _finish(given, session, evidence)
        evidence.calls = session.calls
        evidence.seconds = monotonic() - began
    return evidence


def _filled(case: Case, unique: str) -> Filled:
    problems = Problems(case.path)
    base_url = case.settings.base_url
    values = {"base_url": base_url, "case": case.name, "attempt": "1", "unique": unique}
    found = filled(case, {**values, **case.settings.params}, problems)
    if problems.found:
        raise BadCases(problems.found)
    return found


async def _begin(case: Case, given: Filled, session: WitnessedSession) -> None:
    await session.launch()
    for call in given.given:
        await session.make(call)
    url = urljoin(case.settings.base_url, case.settings.url)
    await session.open(url, state="", viewport=case.settings.viewport)


async def _act(case: Case, given: Filled, session: WitnessedSession, evidence: Evidence) -> None:
    """Let the agent work on the page, and gather what it leaves."""
    settings = case.settings
    evidence.task = given.segments[0][0].strip()
    evidence.budget_s = settings.budget_s or BUDGET
    limits = {name: getattr(settings, name) for name in LIMITS if getattr(settings, name)}
    began = monotonic()
    try:
        answer = await session.on_page(
            "eval", url="", task=evidence.task, budget_s=evidence.budget_s, **limits
        )
    finally:
        evidence.eval_s = monotonic() - began
    evidence.answer = answer.data
    run = answer.data["session_id"]
    evidence.events = await _events(session, run)
    evidence.pictures = await _pictures(session, run)
    await session.follow(answer.data["page"]["url"])


async def _events(session: WitnessedSession, run: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        told = await session.call(
            "browser",
            "get_run_events",
            session_id=run,
            last_n=PAGE,
            start=len(found),
            include_details=True,
            max_tokens=TOKENS,
        )
        if not told.data["events"]:
            return found[::-1]
        found += told.data["events"]


async def _pictures(session: WitnessedSession, run: str) -> list[Picture]:
    found: list[Picture] = []
    while True:
        told = await session.call(
            "browser",
            "get_screenshots",
            session_id=run,
            last_n=1,
            start=len(found),
            screenshot_type="agent_step",
            max_tokens=TOKENS,
        )
        if not told.images:
            return found[::-1]
        found.append(Picture(told.data["screenshots"][0], told.images[0].data))


async def _finish(given: Filled, session: WitnessedSession, evidence: Evidence) -> None:
    """Make the calls of Finally, end the session, and look whether a page of it is left."""
    try:
        for call in given.finally_:
            await session.make(call)
    except StrapError as error:
        evidence.broken = evidence.broken or str(error)
    finally:
        await session.end()
    try:
        evidence.left_over += [f"page {page}" for page in await session.pages()]
    except StrapError as error:
        evidence.broken = evidence.broken or str(error)
