"""Evidence of a script's lines, in FILE.json beside it: what the recorded elements were."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from strap.errors import UsageError
from strap.scripts.script import FORMAT, Line, load_script
from strap.targets.grammar import Mark, parse_target

MOST_BYTES = 4 * 1024 * 1024
"""Size of a file with evidence: 2,000 calls have about a quarter of that."""
MARKS = ("testid", "id")
"""Marks that no other element had, and that stay when words change; the most lasting first."""
Entry = dict[str, Any]


def beside(path: Path) -> Path:
    """Return the file with the evidence of a script."""
    return path.with_name(f"{path.name}.json")


def load_evidence(path: Path, lines: Sequence[Line]) -> tuple[Entry, dict[int, Entry]]:
    """Return the evidence of a script's lines; raises `OSError` for a file that is not there."""
    with beside(path).open("rb") as file:
        return read_evidence(file.read(MOST_BYTES + 1), lines)


def read_evidence(data: bytes, lines: Sequence[Line]) -> tuple[Entry, dict[int, Entry]]:
    """Return what a file of evidence says, and its entries by line; lines must say the same."""
    try:
        parsed = json.loads(data) if len(data) <= MOST_BYTES else {}
    except (ValueError, RecursionError):
        parsed = {}
    is_ours = isinstance(parsed, dict) and parsed.get("format", FORMAT) == FORMAT
    document: Entry = parsed if is_ours else {}
    calls = document.get("calls")
    known: dict[str, list[Entry]] = {}
    for entry in calls if isinstance(calls, list) else ():
        if isinstance(entry, dict):
            known.setdefault(str(entry.get("line")), []).append(entry)
    entries = {line.number: known[text].pop(0) for line in lines if known.get(text := str(line))}
    return document, entries


def load_calls(path: Path, values: Mapping[str, str]) -> list[tuple[Line, dict[str, Any]]]:
    """Return the calls of a script, with their recorded marks; raises `OSError`, `UsageError`."""
    script, entries = load_script(path), dict[int, Entry]()
    with suppress(OSError):
        entries = load_evidence(path, script.lines)[1]
    return with_marks(script.filled(values), entries)


def evidence_text(document: Entry) -> str:
    """Return a file of evidence: the same text for the same content."""
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def with_marks(
    calls: Sequence[tuple[Line, Mapping[str, Any]]], entries: Mapping[int, Entry]
) -> list[tuple[Line, dict[str, Any]]]:
    """Return the calls of lines, whose elements must have their recorded mark as well.

    Another element may have the recorded words by now.
    """
    return [
        (line, _all_marked(arguments, entries.get(line.number, {}))) for line, arguments in calls
    ]


def _all_marked(arguments: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    marks = {key: value for key, value in entry.items() if key != "selector"}
    return {name: _marked(value, marks.get(name)) for name, value in arguments.items()}


def _marked(value: Any, evidence: Any) -> Any:
    raw = evidence.get("marks") if isinstance(evidence, dict) else None
    raw = raw if isinstance(raw, dict) else {}
    marks = {kind: str(raw[kind]) for kind in MARKS if raw.get(kind)}
    if not marks or not isinstance(value, str):
        return value
    with suppress(UsageError):
        target = parse_target(value)
        if target.place is None and not target.element.marks:
            kind, mark = next(iter(marks.items()))
            own = replace(target.element, marks=(Mark(kind=kind, value=mark),))
            return str(replace(target, element=own))
    return value
