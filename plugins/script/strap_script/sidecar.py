"""The evidence of a script, in a file beside it that people can review."""

from typing import Any

from strap.scripts.evidence import evidence_text
from strap.scripts.script import FORMAT
from strap_browser.api import Evidence, Outcome
from strap_script.recording import Recorded, Recording


def sidecar(made: Recording) -> str:
    """Return the evidence as JSON: the same bytes for the same recording."""
    lines = [_told(number, each) for number, each in enumerate(made.lines, 1)]
    told = {"format": FORMAT, "calls": [each for each in lines if len(each) > 2]}
    return evidence_text(told)


def _told(number: int, each: Recorded) -> dict[str, Any]:
    told: dict[str, Any] = {"call": number, "line": str(each.line)}
    if each.path:
        told["at"] = each.path
    for name, evidence in each.evidence.items():
        told[name] = evidence_as_json(evidence)
    if each.outcome is not None and (came := _outcome(each.outcome)):
        told["came"] = came
    return told


def evidence_as_json(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as the file has it."""
    told: dict[str, Any] = {
        "role": evidence.role,
        "name": evidence.name,
        "marks": evidence.marks,
        "within": list(evidence.within),
        "heading": evidence.heading,
        "before": evidence.before,
        "after": evidence.after,
        "place": list(evidence.place or ()),
    }
    return {key: value for key, value in told.items() if value}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {
        "path": outcome.path,
        "texts": list(outcome.texts),
        "shown": outcome.shown,
        "requests": list(outcome.requests),
    }
    return {key: value for key, value in told.items() if value}
