"""A run as one self-contained HTML page: no script, nothing fetched, pictures inside."""

import json
import time
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from strap.evidence.report_page import TAIL, figure, head, link, table
from strap.text import counted
from strap_agent.store.index import Index
from strap_agent.store.records import Event, Query, RunRecord, Shot
from strap_agent.store.telling import Act, acts_of, summary_of, took_of
from strap_browser.api import clip

EVERYTHING = 10_000
"""More events and pictures than the store keeps of a run."""
HEADING = 160
"""Characters of a heading."""


def render(index: Index, record: RunRecord) -> str:
    """Return the page of a run."""
    events = index.events(record.session_id, Query(last_n=EVERYTHING))[::-1]
    shots = index.shots(record.session_id, EVERYTHING, kind="agent_step")[::-1]
    body = "\n".join(_body(record, events, shots, index.folder(record.session_id)))
    return head(_heading(record.task)) + body + TAIL


def _body(record: RunRecord, events: list[Event], shots: list[Shot], folder: Path) -> Iterator[str]:
    yield from _header(record)
    if record.answer is not None:
        yield from _answer(record.answer)
    yield "<h2>Timeline</h2>"
    by_step = _timeline(events, shots)
    for step in sorted(by_step):
        yield from _step(step, *by_step[step], record.started, folder)
    if not by_step:
        yield '<p class="none">No step was stored.</p>'
    yield from _table("Console", [e for e in events if e.type == "console"], record.started)
    yield from _table("Network", [e for e in events if e.type == "network"], record.started)
    if record.dropped:
        counts = ", ".join(f"{number} {kind}" for kind, number in sorted(record.dropped.items()))
        yield f'<p class="none">Not kept, beyond the bounds of a run: {escape(counts)}.</p>'


def _header(record: RunRecord) -> Iterator[str]:
    status, reason = escape(record.status), escape(record.stop_reason)
    yield f'<header><p><span class="badge {status}">{status}</span> {reason}</p>'
    heading = _heading(record.task)
    yield f"<h1>{escape(heading)}</h1>"
    if heading != record.task.strip():
        yield "<details><summary>the whole task</summary>"
        yield f"<pre>{escape(record.task)}</pre></details>"
    yield f'<p class="facts">{link(record.url)}'
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.started))
    length = "running" if record.seconds is None else f"{record.seconds:.1f} s"
    steps, model = counted(record.steps, "step"), record.model or "no model"
    facts = [when, length, steps, model, record.session_id]
    yield " · ".join(["", *map(escape, facts)]) + "</p></header>"


def _heading(task: str) -> str:
    """The beginning of a task, of a length that leaves room for what became of it."""
    return clip(task.strip().partition("\n")[0], HEADING)


def _answer(answer: dict[str, Any]) -> Iterator[str]:
    if answer["result"]:
        yield f"<h2>Result</h2><pre>{escape(_pretty(answer['result']))}</pre>"
    if summary := summary_of(answer):
        yield f"<h2>Summary</h2><p>{escape(summary)}</p>"
    if answer["warnings"]:
        yield "<h2>Warnings</h2>"
        yield from _list(answer["warnings"])
    if answer["errors_top"]:
        yield "<h2>Errors</h2>"
        yield from _list(f"{error['type']}: {error['summary']}" for error in answer["errors_top"])


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def _timeline(
    events: list[Event], shots: list[Shot]
) -> dict[int, tuple[list[Event], list[Event], list[Shot]]]:
    """Sort by step: what the agent did, what else went wrong meanwhile, the pictures."""
    steps: dict[int, tuple[list[Event], list[Event], list[Shot]]] = {}
    for event in events:
        if event.type == "agent":
            steps.setdefault(event.step, ([], [], []))[0].append(event)
        elif event.has_error:
            steps.setdefault(event.step, ([], [], []))[1].append(event)
    for shot in shots:
        steps.setdefault(shot.step, ([], [], []))[2].append(shot)
    return steps


def _step(
    step: int, done: list[Event], trouble: list[Event], shots: list[Shot], began: float,
    folder: Path,
) -> Iterator[str]:  # fmt: skip
    name = f"Step {step}" if step else "Before the first step"
    first = min([event.at for event in (*done, *trouble)] + [shot.at for shot in shots])
    bad = " bad" if any(event.has_error for event in (*done, *trouble)) else ""
    yield f'<section class="step{bad}"><h3>{name} <small>{first - began:+.1f} s</small></h3>'
    if shots:
        yield '<div class="pictures">'
        # The first picture of a step is what the agent saw before it acted.
        acts = [act for event in done for act in acts_of(event.details)]
        yield from (_picture(shot, folder, () if at else acts) for at, shot in enumerate(shots))
        yield "</div>"
    yield '<div class="events">'
    for event in (*done, *trouble):
        yield from _event(event)
    yield "</div></section>"


def _event(event: Event) -> Iterator[str]:
    kind = "error" if event.has_error else event.type
    yield f'<p class="{kind}"><b>{event.type}</b> {escape(event.summary)}</p>'
    yield from _acts(event.details)
    if event.type == "agent" and event.details:
        text = json.dumps(event.details, indent=2, ensure_ascii=False)
        yield f"<details><summary>details</summary><pre>{escape(text)}</pre></details>"


def _acts(details: dict[str, Any]) -> Iterator[str]:
    """Yield the actions of a step in words, each with what came of it."""
    acts = acts_of(details)
    if acts:
        yield '<ol class="acts">'
        for act in acts:
            bad = ' class="error"' if act.bad else ""
            yield f"<li{bad}><b>{escape(act.text)}</b> {escape(act.outcome)}</li>"
        yield "</ol>"
    if took := took_of(details):
        yield f'<p class="facts">{escape(took)}</p>'


def _picture(shot: Shot, folder: Path, acts: Iterable[Act]) -> str:
    try:
        data = (folder / shot.file).read_bytes()
    except OSError:
        return '<p class="none">(the picture is gone)</p>'
    marks = "".join(_mark(number, act) for number, act in enumerate(acts, 1))
    kind, where = Path(shot.file).suffix[1:], shot.title or shot.url or ""
    return figure(data, kind, f"Page at step {shot.step}", where, marks)


def _mark(number: int, act: Act) -> str:
    """A frame around the element of an action, with the action's number."""
    if act.box is None:
        return ""
    sides = zip(("left", "top", "width", "height"), act.box, strict=True)
    style = ";".join(f"{side}:{part:.2%}" for side, part in sides)
    return f'<i class="mark" style="{style}" title="{escape(act.text)}">{number}</i>'


def _table(title: str, events: list[Event], began: float) -> Iterator[str]:
    errors = sum(event.has_error for event in events)
    yield f"<h2>{title}</h2>"
    if not events:
        yield f'<p class="none">No {title.lower()} events.</p>'
        return
    label = f"{counted(len(events), 'event')}, {errors} with an error"
    rows = (
        (event.has_error, (f"{event.at - began:.2f}", str(event.step), event.summary))
        for event in events
    )
    yield from table(label, ("time", "step", "what"), rows, is_open=bool(errors))


def _list(lines: Iterable[str]) -> Iterator[str]:
    yield "<ul>"
    yield from (f"<li>{escape(line)}</li>" for line in lines)
    yield "</ul>"
