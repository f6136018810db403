"""The class of a scenario: the first rule that fits. No word of the answer's text counts."""

import json
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema

from strap import record
from strap_cases.sanity.scenario_run import Evidence
from strap_cases.sanity.scenarios import CLASSES, Class
from strap_cases.verdict import INFRASTRUCTURE, Seen

GRACE = 2.0
"""Seconds that an answer may come after the end of its budget: what `eval` promises."""
SCHEMA = "web_eval_agent.v1.schema.json"


@record
class Outcome:
    """Outcome of a scenario, to be classified."""

    evidence: Evidence
    expected: Class
    stop_reason: str = ""
    """Why the run should end; empty: that does not matter."""
    missing: Sequence[str] = ()
    status: str = ""

    @property
    def unmet(self) -> list[Seen]:
        """The checks that are not met."""
        return [seen for seen in self.evidence.checks if seen.met is False]

    @property
    def all_met(self) -> bool:
        """Whether there are checks, and all of them are met."""
        return bool(self.evidence.checks) and all(seen.met for seen in self.evidence.checks)


@record
class Classification:
    """A class, the number of the rule that gave it, why, and what is to be told beside it."""

    of: Class
    rule: int
    reasons: tuple[str, ...] = ()
    flags: frozenset[str] = field(default_factory=frozenset)


def classify(outcome: Outcome) -> Classification:
    """Return the class of a scenario, with the flag `infrastructure` where that is at fault."""
    first = next(result for rule in RULES if (result := rule(outcome)))
    stop = (outcome.evidence.answer or {}).get("stop_reason", "")
    is_down = bool(outcome.evidence.broken) or stop in INFRASTRUCTURE - {outcome.stop_reason}
    flags = first.flags | ({"infrastructure"} if is_down and first.of != "pass" else set())
    return Classification(of=first.of, rule=first.rule, reasons=first.reasons, flags=flags)


def is_as_expected(of: Class, expected: Class) -> bool:
    """Whether a class is the expected one, or better."""
    return CLASSES.index(of) <= CLASSES.index(expected)


def _incomplete(outcome: Outcome) -> Classification | None:
    """1: there is no valid answer, it came late, or something is missing or left over."""
    evidence = outcome.evidence
    reasons = [evidence.broken] if evidence.broken else []
    if evidence.answer is None:
        reasons = reasons or ["there is no answer"]
    elif wrong := against_schema(evidence.answer):
        reasons.append(f"the answer does not fit its schema: {wrong}")
    if evidence.answer is not None and evidence.eval_s > evidence.budget_s + GRACE:
        reasons.append(f"the answer came after {evidence.eval_s:.1f} of {evidence.budget_s:.0f} s")
    reasons += [f"left over: {path}" for path in evidence.left_over]
    reasons += [f"missing: {name}" for name in outcome.missing]
    if outcome.expected == "pass" and not evidence.pictures:
        reasons.append("there is no screenshot of a step")
        if evidence.answer is not None and outcome.status != "success":
            reasons.append(str(evidence.answer.get("summary")))
    return Classification(of="hard_fail", rule=1, reasons=tuple(reasons)) if reasons else None


def _false_success(outcome: Outcome) -> Classification | None:
    """2: success is said, and it is not so."""
    if outcome.status != "success":
        return None
    reasons = tuple(_line(seen) for seen in outcome.unmet)
    if not reasons and outcome.expected == "soft_fail" and not outcome.all_met:
        reasons = ("it should not have succeeded",)
    flags = frozenset({"false success"})
    return Classification(of="hard_fail", rule=2, reasons=reasons, flags=flags) if reasons else None


def _success(outcome: Outcome) -> Classification | None:
    """3: success, with an answer, and everything that strap checks is so."""
    result = str((outcome.evidence.answer or {}).get("result") or "")
    unknown = any(seen.met is None for seen in outcome.evidence.checks)
    if outcome.status == "success" and result.strip() and not unknown:
        return Classification(of="pass", rule=3)
    return None


def _told_failure(outcome: Outcome) -> Classification | None:
    """4: it failed, and what there is says why."""
    evidence, answer = outcome.evidence, outcome.evidence.answer or {}
    stop = answer.get("stop_reason")
    errors = [event["summary"] for event in evidence.events if event.get("has_error")]
    judged = [
        error["summary"] for error in answer.get("errors_top", ()) if error["type"] == "judge"
    ]
    reasons = (*judged, *errors[::-1])
    if outcome.status not in ("failed", "partial") or stop == "cancelled" or not reasons:
        return None
    flags = {"false failure"} if outcome.all_met else set[str]()
    flags |= {"other stop"} if outcome.stop_reason not in ("", stop) else set()
    return Classification(
        of="soft_fail", rule=4, reasons=(str(reasons[0]),), flags=frozenset(flags)
    )


def _anything_else(outcome: Outcome) -> Classification:
    """5: neither a success that can be believed nor a failure that can be acted on."""
    unknown = tuple(_line(seen) for seen in outcome.evidence.checks if seen.met is None)
    if outcome.status == "success":
        reasons = unknown or ("success without a result",)
    else:
        reasons = (f"{outcome.status or 'nothing'}, and no event or judge says why",)
    return Classification(of="hard_fail", rule=5, reasons=reasons)


RULES: tuple[Callable[[Outcome], Classification | None], ...] = (
    _incomplete,
    _false_success,
    _success,
    _told_failure,
    _anything_else,
)


def against_schema(answer: Any) -> str:
    """Return what of an answer is against its schema, empty if nothing is."""
    error = jsonschema.exceptions.best_match(_validator().iter_errors(answer))
    return f"{error.json_path}: {error.message[:200]}" if error else ""


@cache
def _validator() -> Any:
    text = (files("strap_cases.sanity") / SCHEMA).read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def _line(seen: Seen) -> str:
    what = "cannot be known" if seen.met is None else "seen"
    return f"`{seen.check.source}`  {what}: {seen.seen}"
