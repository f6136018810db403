"""From the notes of calls to a script: which lines it has, and the evidence of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strap import Secrets, record
from strap.scripts.script import Line, Script
from strap.targets.grammar import Mark, Part, Target
from strap.text import counted
from strap_browser.api import CallNote, Evidence, Outcome, arrivals_in
from strap_script.effects import wait_line
from strap_script.selection import chosen
from strap_script.values import Values

if TYPE_CHECKING:
    from strap import Params

COMMON = frozenset(("timeout", "max_tokens", "session", "profile", "target_id"))
"""Fields that no line has, but for the page where there are several."""
FINDS = ("ref", "selector")
MARKS = ("testid", "id", "field")
"""Marks by which a target finds an element, the most lasting first."""
ENTERS = {"fill": "value", "type": "text"}
"""Actions that put a text into a field, and the field of the call that has it."""
CHOSEN = frozenset(("combobox", "listbox", "slider", "option"))
"""Roles of fields whose values are the page's own."""


@record
class Recorded:
    """A line, where the page was, what the line acts on, and what came of it."""

    line: Line
    path: str = ""
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    """By the field of the line."""
    outcome: Outcome | None = None


@record
class Recording:
    """A script with the evidence of its lines."""

    script: Script
    lines: Sequence[Recorded]
    values: Values

    def hide(self, text: str) -> str:
        """Return a text without passwords and secrets."""
        return self.values.hide(text)


def record_calls(
    notes: Sequence[CallNote], *, keep_all: bool, secrets: Secrets, dropped: int = 0
) -> Recording:
    """Return the script of calls; `dropped` is how many before them are kept no more."""
    finished = [note for note in notes if note.seconds is not None and not note.failed]
    chosen_notes = chosen(finished, keep_all=keep_all)
    pages = {getattr(note.call.params, "target_id", None) for note in chosen_notes}
    writer = _Writer(Values(secrets), several=len(pages) > 1)
    lines = [line for note in chosen_notes for line in writer.lines(note)]
    params = writer.values.params
    comment = _comment(chosen_notes, [line.line for line in lines], params, dropped)
    script = Script(lines=[line.line for line in lines], params=params, comment=comment)
    return Recording(script=script, lines=lines, values=writer.values)


def _comment(
    notes: Sequence[CallNote],
    lines: Sequence[Line],
    params: Mapping[str, str | None],
    dropped: int,
) -> str:
    if not notes:
        return ""
    day = datetime.fromtimestamp(notes[0].at, UTC).date()
    host = urlsplit(params.get("base_url") or "").netloc
    where = f" on {host}" if host else ""
    earlier = f"; {counted(dropped, 'earlier call')} not kept" if dropped else ""
    return f"recorded {day}{where}; {counted(len(lines), 'call')}{earlier}"


class _Writer:
    def __init__(self, values: Values, *, several: bool) -> None:
        self.values = values
        self._several = several

    def lines(self, note: CallNote) -> Iterator[Recorded]:
        """Yield the line of a call, and that of what it came to."""
        arguments: dict[str, Any] = {"action": note.call.action}
        evidences: dict[str, Evidence] = {}
        for name, value in _set_fields(note.call.params, several=self._several):
            evidence = note.evidence.get(value) if isinstance(value, str) else None
            key, text = name, value
            if name in FINDS or (note.call.action == "drag" and evidence is not None):
                key, text = _target(name, value, evidence)
                evidences |= {key: evidence} if evidence is not None else {}
            elif note.call.action == "wait" and name == "value":
                arguments |= arrivals_in(value) or {name: value}
                arguments.pop("since", None)
                continue
            arguments[key] = text
        self._name_values(note, arguments, evidences)
        yield Recorded(
            line=Line(arguments=arguments), path=note.path, evidence=evidences, outcome=note.outcome
        )
        if note.outcome is not None and (waits := wait_line(note, self.values)):
            yield Recorded(line=Line(arguments={"action": "wait", **waits}))

    def _name_values(
        self, note: CallNote, arguments: dict[str, Any], evidences: Mapping[str, Evidence]
    ) -> None:
        """Put names in place of what was typed, of the site, and of what no line can hold."""
        name = ENTERS.get(note.call.action, "")
        evidence = next(iter(evidences.values()), None)
        for key, value in list(arguments.items()):
            if key == "action" or not isinstance(value, str):
                continue
            if key == "url":
                arguments[key] = self.values.address(value)
            elif key == name and (evidence is None or evidence.role not in CHOSEN):
                arguments[key] = self.values.typed(value, evidence)
            else:
                arguments[key] = self.values.plain(value, key)


def _set_fields(params: "Params", *, several: bool) -> Iterator[tuple[str, Any]]:
    """Yield the fields that a call was given, in the order of the action's fields."""
    for name in type(params).model_fields:
        value = getattr(params, name)
        is_common = name in COMMON and not (several and name == "target_id")
        if value is not None and not is_common and name in params.model_fields_set:
            yield name, value


def _target(name: str, value: str, evidence: Evidence | None) -> tuple[str, str]:
    """Return field and value that tell an element in a later page."""
    target = lasting_target(evidence) if evidence is not None else ""
    if not target or _is_target(value, name):
        return name, value
    return ("ref" if name == "selector" else name), target


def _is_target(value: str, name: str) -> bool:
    return name != "selector" and ('"' in value or ":" in value or "#" in value)


def lasting_target(evidence: Evidence) -> str:
    """Return the target: in words where they alone tell it, else by a mark of its author."""
    words, place = evidence.target, evidence.place
    if not words and evidence.name:
        words = str(Target(element=Part(role=evidence.role, name=evidence.name)))
    counts = place is not None and place[1] > 1 and f"{place[0]} of {place[1]}" in words
    if words and evidence.name and not counts:
        return words
    marks = [
        Mark(kind=kind, value=evidence.marks[kind]) for kind in MARKS if kind in evidence.marks
    ]
    return str(Target(element=Part(marks=tuple(marks[:1])))) if marks else words
