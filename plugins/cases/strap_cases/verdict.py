"""The verdict of an attempt and of a case: strap's checks first, the model's word last."""

from collections.abc import Callable, Sequence
from typing import Literal

from strap import record
from strap_cases.checks import Check
from strap_cases.status_tag import StatusTag

Status = Literal["passed", "failed", "not_finished", "error", "interrupted", "skipped", "xfailed"]
Cause = Literal["bug", "drift", "setup", "infrastructure", "unclear"]
Flag = Literal["agent disagrees", "by judge", "by word", "drift", "flaky", "healed", "replayed"]
INFRASTRUCTURE = frozenset({"provider_error", "browser_error", "dns_error", "schema_error"})
AGAIN = ("failed", "not_finished", "error")
"""Statuses after which a case is tried again."""
GAVE_UP = frozenset(
    {
        "budget",
        "max_steps",
        "step_timeout",
        "login_required",
        "bot_wall",
        "impossible_task",
        "empty_result",
    }
)


@record
class Seen:
    """Result of a check: met, unmet or None for unknown, and what was seen."""

    check: Check
    met: bool | None
    seen: str


@record
class AttemptFacts:
    """All that is known of an attempt when it is over."""

    interrupted: bool = False
    setup_failed: str = ""
    broken: str = ""
    """Why there is no answer of the agent: a worker gone, an address refused."""
    drift: str = ""
    run_status: Literal["success", "partial", "failed"] = "success"
    stop_reason: str = "done"
    word: StatusTag | None = None
    says: str = ""
    acted: bool = True
    checks: Sequence[Seen] = ()
    expectations: Sequence[bool | None] = ()
    """The answers to what is expected in plain words."""
    judge: bool | None = None
    """Answer of the judge; None if it was not asked."""
    judge_broken: str = ""
    wants_judge: bool = False
    trusts_word: bool = False


@record
class Verdict:
    """The status of an attempt or a case, why, and what is to be told beside it."""

    status: Status
    reason: str = ""
    cause: Cause | None = None
    flags: frozenset[Flag] = frozenset()


def attempt_verdict(happened: AttemptFacts) -> Verdict:
    """Return the verdict of an attempt: the first rule that has one."""
    for rule in _RULES:
        if verdict := rule(happened):
            return verdict
    raise AssertionError("the last rule always has a verdict")


def case_verdict(attempts: Sequence[Verdict], *, xfail: str = "") -> Verdict:
    """Return the verdict of the last attempt, flaky after others; `xfail` turns it round."""
    last = attempts[-1]
    if last.status == "passed" and xfail:
        return Verdict(status="failed", reason=f"unexpectedly passes: {xfail}", cause="unclear")
    if last.status == "failed" and xfail:
        return Verdict(status="xfailed", reason=xfail, cause=last.cause, flags=last.flags)
    if last.status == "passed" and len(attempts) > 1:
        return Verdict(status="passed", reason=last.reason, flags=last.flags | {"flaky"})
    return last


def _interrupted(happened: AttemptFacts) -> Verdict | None:
    return Verdict(status="interrupted") if happened.interrupted else None


def _setup(happened: AttemptFacts) -> Verdict | None:
    reason = happened.setup_failed
    return Verdict(status="error", reason=reason, cause="setup") if reason else None


def _infrastructure(happened: AttemptFacts) -> Verdict | None:
    stop = happened.stop_reason if happened.stop_reason in INFRASTRUCTURE else ""
    reason = happened.broken or stop
    return Verdict(status="error", reason=reason, cause="infrastructure") if reason else None


def _drifted(happened: AttemptFacts) -> Verdict | None:
    reason = happened.drift
    return Verdict(status="failed", reason=reason, cause="drift") if reason else None


def _unmet(happened: AttemptFacts) -> Verdict | None:
    unmet = [seen for seen in happened.checks if seen.met is False]
    if not unmet:
        return None
    reason = "; ".join(f"line {seen.check.line}: `{seen.check.source}`" for seen in unmet)
    finished = happened.run_status == "success" and happened.word == "completed"
    is_bug = finished and happened.acted
    return Verdict(status="failed", reason=reason, cause="bug" if is_bug else "unclear")


def _unverifiable(happened: AttemptFacts) -> Verdict | None:
    unknown = [seen for seen in happened.checks if seen.met is None]
    reason = "; ".join(f"`{seen.check.source}` cannot be known: {seen.seen}" for seen in unknown)
    return Verdict(status="error", reason=reason, cause="infrastructure") if unknown else None


def _says_failed(happened: AttemptFacts) -> Verdict | None:
    if happened.word != "failed":
        return None
    flags = frozenset[Flag]({"agent disagrees"} if happened.checks else ())
    return Verdict(status="failed", reason=happened.says, cause="unclear", flags=flags)


def _unfinished(happened: AttemptFacts) -> Verdict | None:
    if happened.stop_reason in GAVE_UP:
        reason = happened.stop_reason
    elif happened.word != "completed":
        reason = "the agent says not-finished" if happened.word else "no clear status tag"
    elif happened.run_status != "success" or happened.stop_reason != "done":
        reason = f"the run is {happened.run_status} ({happened.stop_reason})"
    else:
        return None
    return Verdict(status="not_finished", reason=reason, cause="unclear")


def _judge_void(happened: AttemptFacts) -> Verdict | None:
    reason = happened.judge_broken
    return Verdict(status="error", reason=reason, cause="infrastructure") if reason else None


def _objection(happened: AttemptFacts) -> Verdict | None:
    denied = [str(n) for n, met in enumerate(happened.expectations, 1) if met is False]
    if denied:
        return Verdict(status="failed", reason=f"expectation {', '.join(denied)}: no", cause="bug")
    if happened.judge is False:
        return Verdict(status="failed", reason="the judge objects", cause="unclear")
    return None


def _unanswered(happened: AttemptFacts) -> Verdict | None:
    open_ = [str(n) for n, met in enumerate(happened.expectations, 1) if met is None]
    reason = f"expectation {', '.join(open_)}: no answer" if open_ else ""
    if not open_ and happened.wants_judge and happened.judge is None:
        reason = "the judge gave no verdict"
    return Verdict(status="not_finished", reason=reason, cause="unclear") if reason else None


def _passed(happened: AttemptFacts) -> Verdict | None:
    if happened.checks:
        return Verdict(status="passed")
    if happened.wants_judge:
        return Verdict(status="passed", flags=frozenset({"by judge"}))
    if happened.trusts_word:
        return Verdict(status="passed", flags=frozenset({"by word"}))
    return Verdict(status="not_finished", reason="nothing was checked", cause="unclear")


_RULES: tuple[Callable[[AttemptFacts], Verdict | None], ...] = (
    _interrupted,
    _setup,
    _infrastructure,
    _drifted,
    _unmet,
    _unverifiable,
    _says_failed,
    _unfinished,
    _judge_void,
    _objection,
    _unanswered,
    _passed,
)
