"""The evidence of a scenario as files, for people and programs that were not there."""

import json
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from strap import make_private, write_atomically
from strap_cases.sanity.classify import Classification, Outcome, classify, is_as_expected
from strap_cases.sanity.scenario_run import Evidence
from strap_cases.sanity.scenarios import Scenario

FORMAT = 1
"""Version of the format; it rises when a reader of the last one would misread the records."""
MOST_ACTS = 100
"""Steps of a run that are told in the record."""
LONGEST = 300
"""Characters of a text in the transcript."""


def keep(
    folder: Path, scenario: Scenario, evidence: Evidence, *, model: str, number: int
) -> dict[str, Any]:
    """Write the evidence of a scenario into a folder and return its record; raises `OSError`."""
    make_private(folder)
    _write_evidence(folder, scenario, evidence)
    answer = evidence.answer or {}
    outcome = Outcome(
        evidence=evidence,
        expected=scenario.expected,
        stop_reason=scenario.stop_reason,
        missing=missing(evidence),
        status=str(answer.get("status", "")),
    )
    record = _record(scenario, outcome, classify(outcome)) | {
        "model": model,
        "number": number,
        "folder": "/".join(folder.parts[-3:]),
    }
    write_json(folder / "verdict.json", record)
    return record


def missing(evidence: Evidence) -> list[str]:
    """Return what the answer counts and the bundle has not."""
    counts = (evidence.answer or {}).get("artifacts", {})
    listed = {"screenshots": len(evidence.pictures), "run_events": len(evidence.events)}
    return [f"{counts[name] - n} {name}" for name, n in listed.items() if counts.get(name, n) > n]


def _record(scenario: Scenario, outcome: Outcome, result: Classification) -> dict[str, Any]:
    evidence, answer = outcome.evidence, outcome.evidence.answer or {}
    return {
        "format": FORMAT,
        "id": scenario.id,
        "file": scenario.path.name,
        "line": scenario.case.line,
        "title": scenario.case.title,
        "tags": list(scenario.case.tags),
        "hash": scenario.hash,
        "expected": scenario.expected,
        "class": result.of,
        "as_expected": is_as_expected(result.of, scenario.expected),
        "rule": result.rule,
        "reasons": list(result.reasons),
        "flags": sorted(result.flags),
        "status": answer.get("status"),
        "stop_reason": answer.get("stop_reason"),
        "result": answer.get("result"),
        "run": answer.get("session_id"),
        "steps": evidence.steps,
        "usage": answer.get("usage"),
        "seconds": round(evidence.seconds, 2),
        "eval_s": round(evidence.eval_s, 2),
        "screenshots": len(evidence.pictures),
        "events": len(evidence.events),
        "acts": [event["summary"] for event in evidence.events if event["type"] == "agent"][
            :MOST_ACTS
        ],
        "checks": checks_of(evidence),
    }


def checks_of(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what the checks saw."""
    return [
        {"check": e.check.source, "line": e.check.line, "met": e.met, "seen": e.seen}
        for e in evidence.checks
    ]


def _write_evidence(folder: Path, scenario: Scenario, evidence: Evidence) -> None:
    write_atomically(folder / "scenario.case.md", scenario.text.encode())
    write_json(folder / "response.json", evidence.answer)
    _lines(folder / "events_all.jsonl", evidence.events)
    write_json(
        folder / "events.json", [event for event in evidence.events if event.get("has_error")]
    )
    shots = []
    for number, picture in enumerate(evidence.pictures, 1):
        kind = picture.facts["mime"].rpartition("/")[2]
        name = f"screenshots/step-{picture.facts['step']}-{number}.{kind}"
        write_atomically(folder / name, picture.data)
        shots.append({**picture.facts, "file": name})
    write_json(folder / "screenshots.json", shots)
    write_json(folder / "checks.json", checks_of(evidence))
    _lines(folder / "calls.jsonl", evidence.calls)
    _lines(folder / "site.jsonl", evidence.site_log)
    write_atomically(folder / "transcript.md", transcript(evidence).encode("utf-8", "replace"))


def transcript(evidence: Evidence) -> str:
    """Return what was said and done, in order, as Markdown."""
    lines = ["# Task", "", *_quoted(evidence.task), ""]
    for event in evidence.events:
        mark = " **(error)**" if event.get("has_error") else ""
        lines.append(f"- {event['type']}: {code(event['summary'])}{mark}")
        details = event["details"]
        for action, result in zip_longest(
            details.get("actions", ()), details.get("results", ()), fillvalue=None
        ):
            lines.append(f"  - {code(_json_of(action))} → {code(_json_of(result))}")
    answer = evidence.answer or {}
    text = answer.get("result") or answer.get("summary") or evidence.broken or "nothing"
    lines += ["", f"# Answer: {answer.get('status')} ({answer.get('stop_reason')})", ""]
    lines += _quoted(str(text))
    lines += ["", "# Checks", ""]
    for seen in evidence.checks:
        word = {True: "met", False: "not met", None: "unknown"}[seen.met]
        lines.append(f"- {word}: {code(seen.check.source)}, seen: {code(seen.seen)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def code(text: str) -> str:
    """Return a text as code in Markdown: what pages and models say is not to be rendered."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line if len(line) <= LONGEST else f'{line[: LONGEST - 1]}…'}`"


def _json_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; raises `OSError`."""
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    write_atomically(path, text.encode("utf-8", "replace"))


def _lines(path: Path, values: Iterable[Any]) -> None:
    text = "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)
    write_atomically(path, text.encode("utf-8", "replace"))
