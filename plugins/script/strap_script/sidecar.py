"""The evidence of a script, in a file beside it that people can review."""

from typing import Any

from strap.scripts.evidence import evidence_text
from strap.scripts.script import FORMAT
from strap_browser.api import Evidence, Outcome
from strap_script.recording import Recorded, Recording


def sidecar(made: Recording) -> str:
    """Return the evidence as JSON: the same bytes for the same recording."""
    lines = [_entry(number, recorded) for number, recorded in enumerate(made.lines, 1)]
    document = {"format": FORMAT, "calls": [line for line in lines if len(line) > 2]}
    return evidence_text(document)


def _entry(number: int, recorded: Recorded) -> dict[str, Any]:
    entry: dict[str, Any] = {"call": number, "line": str(recorded.line)}
    if recorded.path:
        entry["at"] = recorded.path
    for name, evidence in recorded.evidence.items():
        entry[name] = evidence_as_json(evidence)
    if recorded.outcome is not None and (came := _outcome(recorded.outcome)):
        entry["came"] = came
    return entry


def evidence_as_json(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as the file has it."""
    fields: dict[str, Any] = {
        "role": evidence.role,
        "name": evidence.name,
        "marks": evidence.marks,
        "within": list(evidence.within),
        "heading": evidence.heading,
        "before": evidence.before,
        "after": evidence.after,
        "place": list(evidence.place or ()),
    }
    return {key: value for key, value in fields.items() if value}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "path": outcome.path,
        "texts": list(outcome.texts),
        "shown": outcome.shown,
        "requests": list(outcome.requests),
    }
    return {key: value for key, value in fields.items() if value}
