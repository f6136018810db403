"""The runs on disk, as somebody may see them who watches."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from strap import ActionError
from strap_agent.recovery import open_store
from strap_agent.store.records import STORE_ERRORS, Event, Query, RunRecord, Shot
from strap_agent.store.store import Store
from strap_agent.store.telling import Act, acts_of, summary_of, took_of
from strap_live.admission import Grant
from strap_live.messages import PastEvents, PastRuns, PastShot
from strap_live.timeline import Kind, clean

EVERYTHING = 10_000
PAGE = 200
"""Events that are told at a time."""
LONGEST = 20_000
"""Characters of a result, as an answer has them."""
Message = dict[str, Any]


class RunHistory:
    """Reads the store below `root`, where there is one; calls are short and block."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._opened: Store | None = None

    def close(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def find(self, grant: Grant, begins: str) -> str | None:
        """Return the id of the only run that may be seen whose id begins so."""
        runs = self._runs(grant, EVERYTHING, None) if begins else []
        matches = [run.session_id for run in runs if run.session_id.startswith(begins)]
        return matches[0] if len(matches) == 1 else None

    def runs(self, grant: Grant, request: PastRuns) -> Message:
        """Tell of the newest runs, or of those that began before others."""
        runs = self._runs(grant, request.limit + 1, request.before)
        shown = [self._line(run) for run in runs[: request.limit]]
        more = len(runs) > request.limit
        return {"type": "runs", "before": request.before, "runs": shown, "more": more}

    def run(self, grant: Grant, session_id: str) -> Message | None:
        """Tell all of a run but its events; None where there is none to be seen."""
        record = self._run(grant, session_id)
        store = self._store()
        if record is None or store is None:
            return None
        events = store.events(session_id, Query(last_n=EVERYTHING, types=("agent",)))
        acts = {event.step: acts_of(event.details) for event in events if _is_step(event)}
        shots = sorted(store.shots(session_id, EVERYTHING), key=lambda shot: shot.at)
        return {
            "type": "run",
            **self._line(record),
            "answer": None if record.answer is None else _answer(record.answer),
            "counts": store.counts(session_id),
            "dropped": record.dropped,
            "shots": list(_shots(shots, acts)),
        }

    def events(self, grant: Grant, request: PastEvents) -> Message | None:
        """Tell a page of the events of a run, the newest page first, each page in order."""
        if self._run(grant, request.id) is None or (store := self._store()) is None:
            return None
        query = Query(
            last_n=PAGE + 1,
            types=tuple(request.kinds),
            has_error=True if request.bad else None,
            text=request.text or None,
            start=request.start,
        )
        listed = store.events(request.id, query)
        return {
            "type": "events",
            "id": request.id,
            "start": request.start,
            "events": [entry_of(event) for event in listed[:PAGE][::-1]],
            "more": len(listed) > PAGE,
        }

    def so_far(self, session_id: str) -> list[Message]:
        """Tell the last events of a run that goes on, in order; none where the store fails."""
        with suppress(*STORE_ERRORS):
            page = self.events(Grant(role="watch"), PastEvents(type="events", id=session_id))
            return page["events"] if page else []
        return []

    def shot(self, grant: Grant, request: PastShot) -> Path | None:
        """Return the file of a picture."""
        if self._run(grant, request.id) is None or (store := self._store()) is None:
            return None
        return store.folder(request.id) / request.file

    def _runs(self, grant: Grant, limit: int, before: float | None) -> list[RunRecord]:
        store = self._store()
        if store is None or (grant.owner is not None and grant.runs is None):
            return []
        return store.runs(owners=_owners(grant), limit=limit, before=before)

    def _run(self, grant: Grant, session_id: str) -> RunRecord | None:
        store = self._store()
        if store is None or (grant.owner is not None and grant.runs is None):
            return None
        return store.run(session_id, owners=_owners(grant))

    def _store(self) -> Store | None:
        """Return the store; None where no run was ever stored: to look makes nothing."""
        if self._opened is None and self._root.is_dir():
            with suppress(ActionError, sqlite3.Error):
                self._opened = open_store(self._root)
        return self._opened

    def _line(self, run: RunRecord) -> Message:
        store = self._store()
        newest = store.shots(run.session_id, 1, kind="agent_step") if store else []
        return {
            "id": run.session_id,
            "task": clean(run.task, 2_000),
            "url": clean(run.url, 300),
            "status": run.status,
            "reason": run.stop_reason,
            "model": clean(run.model, 100),
            "started": run.started,
            "ended": run.ended,
            "steps": run.steps,
            "shot": newest[0].file if newest else None,
        }


def entry_of(event: Event) -> Message:
    """Return an event as an entry of a timeline."""
    entry: Message = {
        "at": round(event.at, 3),
        "kind": _kind(event),
        "text": clean(event.summary),
        "bad": event.has_error,
        "step": event.step,
    }
    return entry | step_of(event)


def step_of(event: Event) -> Message:
    """Return what an entry tells more of a step of the agent: its actions, and what it took."""
    if not _is_step(event):
        return {}
    return {"acts": [_act(act) for act in acts_of(event.details)], "took": took_of(event.details)}


def _kind(event: Event) -> Kind:
    if event.type != "agent":
        return event.type
    if event.details.get("by") == "person":
        return "person"
    return "step" if _is_step(event) else "note"


def _is_step(event: Event) -> bool:
    return event.type == "agent" and "actions" in event.details


def _owners(grant: Grant) -> tuple[str, ...]:
    return () if grant.owner is None else (grant.runs or "",)


def _answer(answer: dict[str, Any]) -> Message:
    return {
        "result": _lines(answer.get("result") or ""),
        "summary": clean(summary_of(answer), 2_000),
        "warnings": [clean(line) for line in answer.get("warnings", ())],
        "errors": [clean(error["summary"]) for error in answer.get("errors_top", ())],
        "usage": answer.get("usage"),
    }


def _lines(text: str) -> str:
    return "\n".join(clean(line, LONGEST) for line in text[:LONGEST].splitlines())


def _shots(shots: list[Shot], acts: dict[int, list[Act]]) -> Iterator[Message]:
    marked: set[int] = set()
    for shot in shots:
        sample = shot.type == "stream_sample"
        first = not sample and shot.step not in marked
        if first:
            marked.add(shot.step)
        yield {
            "file": shot.file,
            "at": shot.at,
            "step": shot.step,
            "sample": sample,
            "url": clean(shot.url or "", 300),
            "title": clean(shot.title or "", 200),
            "marks": [_act(act) for act in acts.get(shot.step, ())] if first else [],
        }


def _act(act: Act) -> Message:
    message: Message = {"text": clean(act.text), "outcome": clean(act.outcome), "bad": act.bad}
    return message | ({"box": act.box} if act.box else {})
