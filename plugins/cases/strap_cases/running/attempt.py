"""One attempt: the agent acts, segment by segment; strap looks, and decides."""

import secrets
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any
from urllib.parse import urljoin

from strap import StrapError
from strap_cases.building import values_of
from strap_cases.cases import Case, Filled
from strap_cases.checking.making import make
from strap_cases.checking.scene import Scene
from strap_cases.checking.traffic import watched
from strap_cases.checks import Check
from strap_cases.filling import filled
from strap_cases.problems import BadCases, Problems
from strap_cases.replays.playing import Drift, play
from strap_cases.replays.recorder import check_recordable, recording_of
from strap_cases.replays.recordings import Recording
from strap_cases.replays.wording import NotRecorded, Wording
from strap_cases.running import judging, run_events
from strap_cases.running.results import Attempt
from strap_cases.running.session import CaseSession
from strap_cases.running.task import for_segment
from strap_cases.running.usage import NONE, together
from strap_cases.status_tag import answers, parse_status
from strap_cases.verdict import AttemptFacts, attempt_verdict

UNIQUE = 8
"""Letters of `{unique}`: no two attempts of a year have the same."""
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
    values: Mapping[str, str]
    recording: Recording | None = None
    """Recording that is played instead of asking the agent."""
    login: str = ""
    """The table [logins.NAME] whose script is played instead."""
    wants_tag: bool = True
    happened: AttemptFacts = field(default_factory=AttemptFacts)
    events: list[list[dict[str, Any]]] = field(default_factory=list)

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
    case: Case,
    session: CaseSession,
    number: int,
    params: Mapping[str, str],
    recording: Recording | None = None,
    *,
    wants_tag: bool = True,
    login: str = "",
) -> Attempt:
    """Run a case once; whatever goes wrong is in its verdict. Ends the session.

    With a `recording` that is replayed, and the agent is not asked; nor is it with a `login` of the
    configuration. Without `wants_tag` the agent gets the steps alone, and says no status; then no
    more is looked at than the checks.
    """
    began = monotonic()
    attempt = Attempt(number=number, how="live" if recording is None else "replay")
    values = values_in(case, number, params)
    filled_in = _fill(case, values)
    running = Running(
        case, filled_in, session, attempt, values, recording, login, wants_tag=wants_tag
    )
    trusts = case.settings.trust == "word" or (case.original and not case.checkable)
    running.note(trusts_word=trusts, wants_judge=case.settings.judge)
    try:
        await _run(running)
    except StrapError as error:
        running.note(broken=str(error))
        attempt.verdict = attempt_verdict(running.happened)
    finally:
        await _keep_evidence(running)
        attempt.broken = running.happened.setup_failed or running.happened.broken
        await session.end()
        attempt.seconds = monotonic() - began
    return attempt


async def _keep_evidence(running: Running) -> None:
    """Keep what was recorded of an attempt that did not pass."""
    files = await running.session.recorded()
    if running.attempt.verdict.status == "passed":
        for file in files:
            file.unlink(missing_ok=True)
    else:
        running.attempt.evidence = files


async def _run(running: Running) -> None:
    attempt, case = running.attempt, running.case
    if await _prepare(running):
        await _act(running)
    attempt.verdict = attempt_verdict(running.happened)
    if running.wants_tag and attempt.verdict.status != "passed" and running.session.page:
        await _look_back(running)
    is_live = running.recording is None and not running.login
    if attempt.verdict.status == "passed" and is_live:
        attempt.recorded = await _recorded(running)
    await _finally(running)
    if attempt.verdict.status == "passed" and case.setup:
        await running.session.save(case.setup)


def values_in(case: Case, number: int, params: Mapping[str, str]) -> dict[str, str]:
    """Return the values of an attempt by their names."""
    unique = "".join(secrets.choice(string.ascii_lowercase) for _ in range(UNIQUE))
    return {
        "base_url": case.settings.base_url,
        "case": case.name,
        "attempt": str(number),
        "unique": unique,
        **values_of(case, params),
    }


def _fill(case: Case, values: Mapping[str, str]) -> Filled:
    problems = Problems(case.path)
    filled_case = filled(case, values, problems)
    if problems.entries:
        raise BadCases(problems.entries)
    return filled_case


async def _prepare(running: Running) -> bool:
    case, session = running.case, running.session
    url = urljoin(case.settings.base_url, case.settings.url)
    await session.launch()
    try:
        await session.start(viewport=case.settings.viewport, evidence=case.settings.evidence)
    except StrapError as error:
        running.note(broken=f"{url} could not be opened: {error}")
        return False
    for line, call in zip(case.preparation, running.filled.preparation, strict=True):
        if why := await _call(session, call):
            running.note(setup_failed=f"line {line.line}: `{line.text}`: {why}")
            return False
    if running.login:
        return await _log_in(running)
    try:
        await session.go(url, state=case.state)
    except StrapError as error:
        running.note(broken=f"{url} could not be opened: {error}")
        return False
    return True


async def _log_in(running: Running) -> bool:
    """Log in by the script of the configuration, in place of all steps."""
    try:
        answer = await running.session.call("browser", "login", state_id=running.login)
    except StrapError as error:
        running.note(setup_failed=f"login {running.login}: {error}")
        return False
    running.attempt.notes.append(answer.text)
    running.note(word="completed")
    return True


async def _call(session: CaseSession, call: Mapping[str, object]) -> str:
    try:
        answer = await session.make(call)
    except StrapError as error:
        return str(error)
    status = answer.data.get("status") if isinstance(answer.data, dict) else None
    if isinstance(status, int) and status >= BAD:
        return f"the server answered {status}"
    return answer.text if answer.is_error else ""


async def _act(running: Running) -> None:
    segments = running.filled.segments
    if running.login:
        await _look(running, running.filled.checks)
        return
    for number, (steps, checks) in enumerate(segments, 1):
        is_last = number == len(segments)
        expectations = running.filled.expectations if is_last else ()
        if running.recording is not None:
            if not await _replay(running, running.recording, number):
                return
        elif not await _eval(
            running, for_segment(steps, expectations) if running.wants_tag else steps
        ):
            return
        finished = running.happened.word == "completed"
        await _look(running, (*checks, *(running.filled.checks if is_last else ())))
        if not finished or any(not seen.met for seen in running.attempt.checks):
            return
    expects = running.recording is not None and running.filled.expectations
    if running.case.settings.judge or expects:
        changes, run, usage = await judging.judge(running.session, running.case, running.filled)
        running.attempt.usage = together((running.attempt.usage, usage))
        running.note(**(changes if running.case.settings.judge else changes | {"judge": None}))
        running.attempt.runs += run


async def _replay(running: Running, recording: Recording, segment: int) -> bool:
    """Do what was recorded of a segment; returns whether all of it could be done."""
    lines = [*recording.segments, *([()] * segment)][segment - 1]
    values = {**recording.params, **running.values}
    patience, tell = running.case.settings.expect_timeout_s, running.attempt.acts.append
    try:
        await play(running.session, lines, values, patience=patience, tell=tell)
    except Drift as drift:
        running.attempt.drift = str(drift)
        running.note(drift=str(drift))
        return False
    running.note(word="completed")
    return True


async def _look_back(running: Running) -> None:
    attempt, session = running.attempt, running.session
    attempt.trouble = await run_events.trouble_in(running.scene(), running.events)
    attempt.picture = await session.picture()
    attempt.ended, attempt.shown = await session.place(), await session.shown()


async def _recorded(running: Running) -> Recording | str:
    case = running.case
    try:
        check_recordable(case, running.filled)
        if (await watched(running.scene())).dialogs:
            raise NotRecorded("a dialog opened, which the agent answered")
        derived = case.settings.replay == "derived"
        return recording_of(running.events, Wording(case, running.values), derived=derived)
    except (NotRecorded, StrapError) as reason:
        return str(reason)


async def _eval(running: Running, task: str) -> bool:
    settings, attempt, session = running.case.settings, running.attempt, running.session
    limits = {name: getattr(settings, name) for name in LIMITS if getattr(settings, name)}
    answer = (await session.on_page("eval", url="", task=task, **limits)).data
    if answer["stop_reason"] in ("invalid_arguments", "cancelled"):
        running.note(broken=answer["summary"])
        return False
    attempt.runs.append(answer["session_id"])
    attempt.usage = together((attempt.usage, answer.get("usage", NONE)))
    attempt.steps += await run_events.steps_of(session, answer["session_id"])
    events = await run_events.events_of(session, answer["session_id"])
    attempt.acts += run_events.in_words(events)
    running.events.append(events)
    attempt.says = answer["result"] or answer["summary"]
    attempt.word = word = parse_status(answer["result"] or "")
    running.note(
        run_status=answer["status"],
        stop_reason=answer["stop_reason"],
        word=word,
        says=attempt.says,
        acted=any(map(run_events.acted, running.events)),
        broken=answer["summary"] if answer["stop_reason"] in BROKEN else "",
        expectations=answers(answer["result"] or "", len(running.filled.expectations)),
    )
    await session.follow(answer["page"]["url"])
    return True


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
