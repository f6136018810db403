"""One attempt: the agent acts, segment by segment; strap looks, and decides."""

import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from time import monotonic
from typing import Any
from urllib.parse import urljoin

from strap import StrapError
from strap_cases.building import values_of
from strap_cases.cases import Case, Filled
from strap_cases.checking.making import make
from strap_cases.checking.scene import Scene
from strap_cases.checks import Check
from strap_cases.filling import filled
from strap_cases.problems import BadCases, Problems
from strap_cases.running import judging
from strap_cases.running.results import Attempt
from strap_cases.running.session import CaseSession
from strap_cases.running.task import for_segment
from strap_cases.verdict import Happened, attempt_verdict
from strap_cases.word import answers, said

UNIQUE = 8
"""Letters of `{unique}`: no two attempts of a year have the same."""
MOST_ACTS = 100
"""Steps of a run that are told in the report."""
LONGEST_ACT = 300
"""Characters of what is told of a step."""
BAD = 400
"""Status of HTTP from which on a request failed (RFC 9110, 15.5 and 15.6)."""
BROKEN = ("provider_error", "browser_error")
LIMITS = ("budget_s", "max_steps", "step_timeout_s")


@dataclass(slots=True)
class Running:
    """An attempt that goes on."""

    case: Case
    filled: Filled
    session: CaseSession
    attempt: Attempt
    happened: Happened = field(default_factory=Happened)

    def note(self, **changes: Any) -> None:
        """Take note of what happened."""
        self.happened = replace(self.happened, **changes)

    def scene(self) -> Scene:
        """Return what checks look at."""
        base, attempt = self.case.settings.base_url, self.attempt
        return Scene(
            session=self.session, base_url=base, runs=tuple(attempt.runs), answer=attempt.says
        )


async def run_attempt(
    case: Case, session: CaseSession, number: int, params: Mapping[str, str]
) -> Attempt:
    """Run a case once; whatever goes wrong is in its verdict. Ends the session."""
    began = monotonic()
    attempt = Attempt(number=number)
    running = Running(case, _fill(case, number, params), session, attempt)
    trusts = case.settings.trust == "word" or (case.original and not case.checkable)
    running.note(trusts_word=trusts, wants_judge=case.settings.judge)
    try:
        if await _given(running):
            await _act(running)
        attempt.verdict = attempt_verdict(running.happened)
        if attempt.verdict.status != "passed" and session.page:
            attempt.picture = await session.picture()
        await _finally(running)
        if attempt.verdict.status == "passed" and case.setup:
            await session.save(case.setup)
    except StrapError as error:
        running.note(broken=str(error))
        attempt.verdict = attempt_verdict(running.happened)
    finally:
        await session.end()
        attempt.seconds = monotonic() - began
    return attempt


def _fill(case: Case, number: int, params: Mapping[str, str]) -> Filled:
    unique = "".join(secrets.choice(string.ascii_lowercase) for _ in range(UNIQUE))
    values = {
        "base_url": case.settings.base_url,
        "case": case.name,
        "attempt": str(number),
        "unique": unique,
        **values_of(case, params),
    }
    problems = Problems(case.path)
    found = filled(case, values, problems)
    if problems.found:
        raise BadCases(problems.found)
    return found


async def _given(running: Running) -> bool:
    """Make the calls of Given and open the page; returns whether the agent can begin."""
    case, session = running.case, running.session
    await session.launch()
    for line, call in zip(case.given, running.filled.given, strict=True):
        if why := await _call(session, call):
            running.note(setup_failed=f"line {line.line}: `{line.text}`: {why}")
            return False
    url = urljoin(case.settings.base_url, case.settings.url)
    try:
        await session.open(url, state=case.state, viewport=case.settings.viewport)
    except StrapError as error:
        running.note(broken=f"{url} could not be opened: {error}")
        return False
    return True


async def _call(session: CaseSession, call: Mapping[str, object]) -> str:
    """Make a call of Given or Finally; returns why it failed."""
    try:
        answer = await session.make(call)
    except StrapError as error:
        return str(error)
    status = answer.data.get("status") if isinstance(answer.data, dict) else None
    if isinstance(status, int) and status >= BAD:
        return f"the server answered {status}"
    return answer.text if answer.is_error else ""


async def _act(running: Running) -> None:
    """Let the agent act, and look after each segment; what is not so ends the attempt."""
    segments = running.filled.segments
    for number, (steps, checks) in enumerate(segments, 1):
        is_last = number == len(segments)
        expectations = running.filled.expectations if is_last else ()
        if not await _eval(running, for_segment(steps, expectations)):
            return
        finished = running.happened.word == "completed"
        await _look(running, (*checks, *(running.filled.checks if is_last else ())))
        if not finished or any(not seen.met for seen in running.attempt.checks):
            return
    if running.case.settings.judge:
        changes, run = await judging.judge(running.session, running.case, running.filled)
        running.note(**changes)
        running.attempt.runs += run


async def _eval(running: Running, task: str) -> bool:
    """Let the agent work on the page; returns whether there was a run at all."""
    settings, attempt, session = running.case.settings, running.attempt, running.session
    limits = {name: getattr(settings, name) for name in LIMITS if getattr(settings, name)}
    answer = (await session.on_page("eval", url="", task=task, **limits)).data
    if answer["stop_reason"] in ("invalid_arguments", "cancelled"):
        running.note(broken=answer["summary"])
        return False
    attempt.runs.append(answer["session_id"])
    attempt.steps += await _steps(session, answer["session_id"])
    attempt.acts += await _acts(session, answer["session_id"])
    attempt.says = answer["result"] or answer["summary"]
    attempt.word = word = said(answer["result"] or "")
    running.note(
        run_status=answer["status"],
        stop_reason=answer["stop_reason"],
        word=word,
        says=attempt.says,
        broken=answer["summary"] if answer["stop_reason"] in BROKEN else "",
        expectations=answers(answer["result"] or "", len(running.filled.expectations)),
    )
    await session.follow(answer["page"]["url"])
    return True


async def _steps(session: CaseSession, run: str) -> int:
    listed = await session.call("browser", "list_runs", limit=100, max_tokens=100_000)
    return sum(each["steps"] for each in listed.data["runs"] if each["session_id"] == run)


async def _acts(session: CaseSession, run: str) -> list[str]:
    """Return what the agent did, a line a step."""
    given = {"session_id": run, "event_types": ["agent"], "last_n": MOST_ACTS}
    told = await session.call(
        "browser", "get_run_events", **given, include_details=True, max_tokens=100_000
    )
    steps = [event for event in reversed(told.data["events"]) if "actions" in event["details"]]
    return [_in_words(event["details"]) for event in steps]


def _in_words(step: Mapping[str, Any]) -> str:
    """Return what an agent wanted in a step, and the actions that it took."""
    took = [
        _action(name, fields or {}, element)
        for action, element in zip_longest(step["actions"], step.get("elements") or ())
        for name, fields in (action or {}).items()
        if name != "done"
    ]
    line = ": ".join(filter(None, [step["goal"], "; ".join(took)])) or "nothing"
    return line if len(line) <= LONGEST_ACT else f"{line[: LONGEST_ACT - 1]}…"


def _action(name: str, fields: Mapping[str, Any], element: Mapping[str, Any] | None) -> str:
    """Return an action in words; its element is told by role and name, where it is known."""
    told = {key: str(value) for key, value in fields.items() if value not in ("", [])}
    if element and "index" in told:
        kind = element.get("role") or element.get("tag", "")
        told["index"] = f'{kind} "{element.get("name", "")}"'
    return " ".join([name, *told.values()])


async def _look(running: Running, checks: tuple[Check, ...]) -> None:
    patience = running.case.settings.expect_timeout_s
    running.attempt.checks += await make(checks, running.scene(), patience)
    running.note(checks=tuple(running.attempt.checks))


async def _finally(running: Running) -> None:
    """Make the calls of Finally; what fails there is told, and changes no verdict."""
    lines = running.case.finally_
    for line, call in zip(lines, running.filled.finally_, strict=True):
        if why := await _call(running.session, call):
            running.attempt.notes.append(f"line {line.line}: `{line.text}`: {why}")
