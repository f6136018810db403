"""Runs that nobody finished, or that the index does not know: their records, from what is there."""

import json
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from strap_agent.contract import EvalAnswer, PageSeen, Timeouts
from strap_agent.result.compose import INTERRUPTED, Redactor, artifacts, compose
from strap_agent.result.verdict import RunOutcome, Verdict
from strap_agent.store import run_folder
from strap_agent.store.records import (
    SIGNATURES,
    SUFFIXES,
    Event,
    Picture,
    Query,
    ShotKind,
    image_type,
)
from strap_agent.store.store import Store


def open_store(root: Path, *, days: float = 7, megabytes: float = 1024) -> Store:
    """Open the store of runs under `root`, and finish what killed processes left in it.

    Runs older than `days` are removed, and the oldest ones where all have more than `megabytes`.
    """
    return Store(root, Recovery(), days=days, megabytes=megabytes)


class Recovery:
    """Composes the answers of such runs as those of runs that ended by themselves."""

    def recovered(
        self, store: Store, session_id: str, draft: str, own: tuple[EvalAnswer, int] | None
    ) -> tuple[EvalAnswer, int]:
        """Return the answer of a run that is over, with its steps.

        It is its `own`, else the one in its folder, else that it was cut short.
        """
        answer, steps = own or _stored_answer(store, session_id)
        if answer is None:
            answer = _interrupted(store, _answer(draft) or _unknown(session_id))
        elif answer.status == "failed":
            _note_failure(store, answer)
        stored = artifacts(store.counts(session_id))
        steps = max(steps, _steps(store, session_id))
        return answer.model_copy(update={"artifacts": stored}), steps

    def refill(self, store: Store, folder: Path) -> None:
        """Put the run of a folder into an index that does not know it."""
        known = run_folder.read_stored(folder)
        if known is not None:
            store.insert(known, _pictures(folder))


def _stored_answer(store: Store, session_id: str) -> tuple[EvalAnswer | None, int]:
    known = run_folder.read_stored(store.folder(session_id)) or {}
    return _answer(known.get("answer")), known.get("steps", 0)


def _interrupted(store: Store, draft: EvalAnswer) -> EvalAnswer:
    verdict = Verdict(status="failed", stop_reason="lost", summary=INTERRUPTED)
    _note_failure(store, draft.model_copy(update={"stop_reason": "lost"}))
    last = next(iter(store.shots(draft.session_id, 1)), None)
    page = PageSeen() if last is None else PageSeen(url=last.url, title=last.title)
    return compose(
        draft, verdict, RunOutcome(interrupted="cancelled"), store,
        page=page, warnings=(), hide=Redactor(()),
    )  # fmt: skip


def _note_failure(store: Store, answer: EvalAnswer) -> None:
    """Add the event that each failed run has, unless it is there."""
    query = Query(last_n=1_000, types=("agent",), has_error=True)
    begins = "run failed ("
    if any(e.summary.startswith(begins) for e in store.events(answer.session_id, query)):
        return
    text = f"{begins}{answer.stop_reason}): {answer.summary}"
    step = _steps(store, answer.session_id)
    event = Event(type="agent", summary=text, at=time.time(), step=step, has_error=True)
    store.add(answer.session_id, [event])


def _steps(store: Store, session_id: str) -> int:
    events = store.events(session_id, Query(last_n=1_000, types=("agent",)))
    return max((event.step for event in events), default=0)


def _answer(value: Any) -> EvalAnswer | None:
    try:
        return EvalAnswer.model_validate(json.loads(value) if isinstance(value, str) else value)
    except ValueError:
        return None


def _unknown(session_id: str) -> EvalAnswer:
    return EvalAnswer(
        session_id=session_id,
        tool_call_id=str(uuid.uuid4()),
        url="",
        task="",
        mode="compact",
        status="failed",
        summary=INTERRUPTED,
        timeouts=Timeouts(budget_s=0, step_timeout_s=0, max_steps=0),
        stop_reason="lost",
    )


def _pictures(folder: Path) -> Iterator[Picture]:
    for file in sorted(folder.iterdir()):
        nanoseconds, _, rest = file.stem.partition("-")
        step = rest.removesuffix(SUFFIXES["stream_sample"])
        if nanoseconds.isdecimal() and step.isdecimal() and image_type(_start(file)):
            kind: ShotKind = "agent_step" if step == rest else "stream_sample"
            yield file, int(nanoseconds) / 1e9, int(step), kind


def _start(file: Path) -> bytes:
    with file.open("rb") as data:
        return data.read(max(map(len, SIGNATURES)))
