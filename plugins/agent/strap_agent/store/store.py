"""Writing runs to disk, within bounds."""

import fcntl
import json
import logging
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from strap import ActionError
from strap_agent.contract import EvalAnswer
from strap_agent.store.database import ASIDE
from strap_agent.store.index import ANSWER, Index, is_held
from strap_agent.store.records import (
    CAPS,
    COUNTED,
    STORE_ERRORS,
    SUFFIXES,
    Event,
    Picture,
    RunRecord,
    ShotKind,
    image_type,
)
from strap_agent.store.run_folder import keep, last_sign, read_stored

log = logging.getLogger(__name__)
DAY = 86_400.0
UNANSWERED = "SELECT session_id, draft FROM runs WHERE answer IS NULL"
UNREADABLE = f"{UNANSWERED} OR NOT json_valid(answer) OR typeof(ended) <> 'real'"
ORPHAN_AGE = 60.0
"""Seconds after which a folder that is not in the index will not get there any more."""


class Recovery(Protocol):
    """How records come about of runs that nobody finished, or that the index does not know."""

    def recovered(
        self, store: "Store", session_id: str, draft: str, own: tuple[EvalAnswer, int] | None
    ) -> tuple[EvalAnswer, int]:
        """Return the answer of a run that is over, with its steps."""

    def refill(self, store: "Store", folder: Path) -> None:
        """Put the run of a folder into an index that does not know it."""


class Store(Index):
    """The index, and what this process adds to it; calls are short and block."""

    def __init__(
        self, root: Path, recovery: Recovery, *, days: float = 7, megabytes: float = 1024
    ) -> None:
        self._recovery = recovery
        super().__init__(root)
        self._days = days
        self._limit = int(megabytes * 1024 * 1024)
        self._unstored: dict[str, tuple[EvalAnswer, int]] = {}
        """Answers that could not be written, with the steps of their runs."""
        try:
            self.sweep()
            self._settle(UNREADABLE)
        except STORE_ERRORS as error:
            log.warning("The store of runs is not tidied up for now: %s", error)

    def runs(
        self, *, owners: Sequence[str] = (), limit: int = 20, before: float | None = None
    ) -> list[RunRecord]:
        """Return the newest runs, of `owners` alone and begun `before` where that is given."""
        self.settle()
        return [*map(self._known, super().runs(owners=owners, limit=limit, before=before))]

    def run(self, session_id: str, *, owners: Sequence[str] = ()) -> RunRecord | None:
        """Return one run, None where there is none of that id and of `owners`."""
        self.settle()
        record = super().run(session_id, owners=owners)
        return record and self._known(record)

    def _known(self, record: RunRecord) -> RunRecord:
        """Return a record with its answer, which a full disk may have kept from being written."""
        own = self._unstored.get(record.session_id)
        return record if own is None else replace(record, answer=own[0].as_json())

    def settle(self) -> None:
        """Give runs that are over but have no answer the true one, and remove what they left."""
        try:
            self._settle(UNANSWERED)
        except STORE_ERRORS as error:
            log.warning("Interrupted runs are not settled for now: %s", error)

    def _settle(self, query: str) -> None:
        for row in self._db.rows(query):
            session_id = row["session_id"]
            folder = self.folder(session_id)
            if session_id in self._held or is_held(folder):
                continue
            ended = last_sign(folder)
            shutil.rmtree(folder / "work", ignore_errors=True)
            own = self._unstored.get(session_id)
            answer, steps = self._recovery.recovered(self, session_id, row["draft"], own)
            self._write_answer(answer, steps, ended)
            self._unstored.pop(session_id, None)

    def _refill(self) -> None:
        for folder in self.root.iterdir():
            if folder.is_dir():
                self._recovery.refill(self, folder)

    def sweep(self) -> None:
        """Put runs into the index that have but a folder, and remove what is left of others."""
        known = {row["session_id"] for row in self._db.rows("SELECT session_id FROM runs")}
        for folder in self.root.iterdir():
            with suppress(OSError):
                settled = folder.name in known or folder.name.startswith(ASIDE)
                if settled or not folder.is_dir() or is_held(folder):
                    continue
                if read_stored(folder):
                    self._recovery.refill(self, folder)
                elif time.time() - folder.stat().st_mtime > ORPHAN_AGE:
                    shutil.rmtree(folder, ignore_errors=True)

    def begin(self, draft: EvalAnswer, *, owner: str, model: str) -> Path:
        """Note a run that starts; `draft` becomes its answer if this process is killed.

        Raises `ActionError` (code "store"), and then nothing is left of it.
        """
        folder = self.folder(draft.session_id)
        known = {
            "session_id": draft.session_id, "owner": owner, "url": draft.url, "task": draft.task,
            "model": model, "started": time.time(), "steps": 0, "draft": draft.as_json(),
        }  # fmt: skip
        try:
            folder.mkdir(mode=0o700)
            descriptor = os.open(folder, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._held[draft.session_id] = descriptor
            keep(folder, known)
            self.insert(known)
        except STORE_ERRORS as error:
            self._release(draft.session_id)
            shutil.rmtree(folder, ignore_errors=True)
            raise ActionError(
                f"The run cannot be stored ({error}).", code="store", retryable=True,
                hint="Look after the disk, and after other processes that use the same STRAP_HOME.",
            ) from None  # fmt: skip
        return folder

    def insert(self, known: dict[str, Any], pictures: Iterable[Picture] = ()) -> None:
        """Put a run with its pictures into the index, unless it is there."""
        with self._db.transaction():
            is_new = self._db.change(
                "INSERT INTO runs (session_id, owner, url, task, model, started, draft) VALUES ("
                ":session_id, :owner, :url, :task, :model, :started, :text) ON CONFLICT DO NOTHING",
                {**known, "text": json.dumps(known["draft"])},
            )
            for file, at, step, kind in pictures if is_new else ():
                self.insert_shot(known["session_id"], file, at=at, step=step, kind=kind)

    def add(self, session_id: str, events: list[Event]) -> None:
        """Add events; beyond the cap of a kind the oldest without an error is dropped."""
        with self._db.transaction():
            self._db.change_many(
                "INSERT INTO events (session_id, type, summary, at, step, has_error, url, details)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (session_id, e.type, e.summary, e.at, e.step, e.has_error, e.url,
                     json.dumps(e.details))
                    for e in events
                ],
            )  # fmt: skip
            for kind in {event.type for event in events}:
                dropped = self._db.change(
                    "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE session_id = ?1"
                    " AND type = ?2 ORDER BY has_error, id LIMIT max(0, (SELECT count(*) FROM"
                    " events WHERE session_id = ?1 AND type = ?2) - ?3))",
                    (session_id, kind, CAPS[kind]),
                )
                self._drop(session_id, kind, dropped)

    def add_shot(
        self, session_id: str, data: bytes, *, step: int, kind: ShotKind = "agent_step",
        url: str | None = None, title: str | None = None, has_error: bool = False,
    ) -> bool:  # fmt: skip
        """Keep a picture; returns whether `data` is one."""
        form = image_type(data)
        if form is None:
            return False
        path = self.folder(session_id) / f"{time.time_ns()}-{step}{SUFFIXES[kind]}.{form}"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        with self._db.transaction():
            self.insert_shot(
                session_id, path, at=time.time(), step=step, kind=kind, url=url, title=title,
                has_error=has_error,
            )  # fmt: skip
            surplus = self._db.rows(
                "SELECT id, file FROM shots WHERE session_id = ?1 AND type = ?3"
                " ORDER BY has_error, id LIMIT max(0, (SELECT count(*) FROM shots"
                " WHERE session_id = ?1 AND type = ?3) - ?2)",
                (session_id, CAPS[COUNTED[kind]], kind),
            )
            for row in surplus:
                self._db.change("DELETE FROM shots WHERE id = ?", (row["id"],))
                (self.folder(session_id) / row["file"]).unlink(missing_ok=True)
            self._drop(session_id, COUNTED[kind], len(surplus))
        return True

    def insert_shot(
        self, session_id: str, file: Path, *, at: float, step: int, kind: ShotKind = "agent_step",
        url: str | None = None, title: str | None = None, has_error: bool = False,
    ) -> None:  # fmt: skip
        """Put a picture that is in the run's folder into the index."""
        self._db.change(
            "INSERT INTO shots (session_id, at, step, type, file, size, url, title, has_error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (session_id, at, step, kind, file.name, file.stat().st_size, url, title, has_error),
        )

    def keep_answer(self, session_id: str, text: str) -> None:
        """Keep the whole of what the agent answered beside the record."""
        path = self.folder(session_id) / ANSWER
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))

    def finish(self, answer: EvalAnswer, *, steps: int) -> None:
        """Write the answer of a run and let go of it; then bound the whole store.

        Raises one of `STORE_ERRORS`; it is then written as soon as that is possible.
        """
        self._unstored[answer.session_id] = answer, steps
        try:
            self._keep(answer, steps)
            self._write_answer(answer, steps)
            del self._unstored[answer.session_id]
        finally:
            self._release(answer.session_id)
        self.prune(answered=answer.session_id)

    def put_off(self, answer: EvalAnswer, *, steps: int) -> None:
        """Let `answer` be the one that is written later."""
        self._unstored[answer.session_id] = answer, steps
        with suppress(OSError):
            self._keep(answer, steps)

    def _keep(self, answer: EvalAnswer, steps: int) -> None:
        folder = self.folder(answer.session_id)
        if known := read_stored(folder):
            keep(folder, known | {"ended": time.time(), "steps": steps, "answer": answer.as_json()})

    def _write_answer(self, answer: EvalAnswer, steps: int, ended: float | None = None) -> None:
        folder = self.folder(answer.session_id)
        files = folder.iterdir() if folder.is_dir() else ()
        size = sum(f.stat().st_size for f in files if f.is_file())
        [[events]] = self._db.rows(
            "SELECT coalesce(sum(length(summary) + length(details)), 0) FROM events"
            " WHERE session_id = ?",
            (answer.session_id,),
        )
        ended = (read_stored(folder) or {}).get("ended") or ended or time.time()  # no index
        self._db.change(
            "UPDATE runs SET answer = ?, ended = ?, steps = ?, size = ? WHERE session_id = ?",
            (json.dumps(answer.as_json()), ended, steps, size + events, answer.session_id),
        )

    def prune(self, *, days: float | None = None, answered: str = "") -> int:
        """Remove finished runs that are too old or too much; returns their number.

        The run that was just `answered` stays, however large it is.
        """
        oldest = time.time() - (self._days if days is None else days) * DAY
        rows = self._db.rows(
            "SELECT session_id, ended, sum(size) OVER (ORDER BY ended DESC, session_id) AS total"
            " FROM runs WHERE typeof(ended) = 'real'"
        )
        over = (row for row in rows if row["ended"] < oldest or row["total"] > self._limit)
        gone = [row["session_id"] for row in over if row["session_id"] != answered]
        for aside in self.root.glob(f"{ASIDE}*"):
            with suppress(OSError):  # it was no file
                if aside.lstat().st_mtime < oldest:
                    aside.unlink()
        for session_id in gone:
            shutil.rmtree(self.folder(session_id), ignore_errors=True)
            self._db.change("DELETE FROM runs WHERE session_id = ?", (session_id,))
        return len(gone)

    def _drop(self, session_id: str, kind: str, count: int) -> None:
        if count:
            self._db.change(
                "UPDATE runs SET dropped = json_set(dropped, ?1, coalesce(dropped ->> ?1, 0) + ?2)"
                " WHERE session_id = ?3",
                (f"$.{kind}", count, session_id),
            )

    def _release(self, session_id: str) -> None:
        if (descriptor := self._held.pop(session_id, None)) is not None:
            os.close(descriptor)
