"""Writing runs to disk, within bounds."""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from strap import ActionError
from strap_browser.runs.contract import Answer
from strap_browser.runs.index import Index
from strap_browser.runs.records import CAPS, STORE_ERRORS, Event, image_type

DAY = 86_400.0


class Store(Index):
    """The index, and what this process adds to it; calls are short and block."""

    def __init__(self, root: Path, *, days: float = 7, megabytes: float = 1024) -> None:
        super().__init__(root)
        self._days = days
        self._limit = int(megabytes * 1024 * 1024)

    def begin(self, draft: Answer, *, owner: str, model: str) -> Path:
        """Note a run that starts; `draft` becomes its answer if this process is killed.

        Raises `ActionError` (code "store"), and then nothing is left of it.
        """
        folder = self.folder(draft.session_id)
        try:
            self._begin(folder, draft, owner, model)
        except STORE_ERRORS as error:
            self._release(draft.session_id)
            shutil.rmtree(folder, ignore_errors=True)
            raise ActionError(
                f"The run cannot be stored ({error}).",
                hint="Look after the disk, and after other processes that use the same STRAP_HOME.",
                code="store",
                retryable=True,
            ) from None
        return folder

    def _begin(self, folder: Path, draft: Answer, owner: str, model: str) -> None:
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._held[draft.session_id] = descriptor
        self._db.execute(
            "INSERT INTO runs (session_id, owner, url, task, model, started, draft)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                draft.session_id, owner, draft.url, draft.task, model, time.time(),
                json.dumps(draft.as_json()),
            ),
        )  # fmt: skip

    def add(self, session_id: str, events: list[Event]) -> None:
        """Add events; beyond the cap of a kind the oldest without an error is dropped."""
        with self._transaction():
            self._db.executemany(
                "INSERT INTO events (session_id, type, summary, at, step, has_error, url, details)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (session_id, e.type, e.summary, e.at, e.step, e.has_error, e.url,
                     json.dumps(e.details))
                    for e in events
                ],
            )  # fmt: skip
            for kind in {event.type for event in events}:
                dropped = self._db.execute(
                    "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE session_id = ?1"
                    " AND type = ?2 ORDER BY has_error, id LIMIT max(0, (SELECT count(*) FROM"
                    " events WHERE session_id = ?1 AND type = ?2) - ?3))",
                    (session_id, kind, CAPS[kind]),
                ).rowcount
                self._drop(session_id, kind, dropped)

    def add_shot(
        self, session_id: str, data: bytes, *, step: int, url: str | None = None,
        title: str | None = None, has_error: bool = False,
    ) -> bool:  # fmt: skip
        """Keep a picture; returns whether `data` is one."""
        kind = image_type(data)
        if kind is None:
            return False
        name = f"{time.time_ns()}-{step}.{kind}"
        descriptor = os.open(
            self.folder(session_id) / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600
        )
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        with self._transaction():
            self._db.execute(
                "INSERT INTO shots (session_id, at, step, type, file, size, url, title, has_error)"
                " VALUES (?, ?, ?, 'agent_step', ?, ?, ?, ?, ?)",
                (session_id, time.time(), step, name, len(data), url, title, has_error),
            )
            surplus = self._db.execute(
                "SELECT id, file FROM shots WHERE session_id = ?1 ORDER BY has_error, id LIMIT"
                " max(0, (SELECT count(*) FROM shots WHERE session_id = ?1) - ?2)",
                (session_id, CAPS["screenshots"]),
            ).fetchall()
            for row in surplus:
                self._db.execute("DELETE FROM shots WHERE id = ?", (row["id"],))
                (self.folder(session_id) / row["file"]).unlink(missing_ok=True)
            self._drop(session_id, "screenshots", len(surplus))
        return True

    def finish(self, answer: Answer, *, steps: int) -> None:
        """Write the answer of a run and let go of it; then bound the whole store."""
        try:
            self._finish(answer, steps)
        finally:
            self._release(answer.session_id)
        self.prune()

    def _finish(self, answer: Answer, steps: int) -> None:
        folder = self.folder(answer.session_id)
        size = sum(f.stat().st_size for f in folder.iterdir() if f.is_file())
        events = self._db.execute(
            "SELECT coalesce(sum(length(summary) + length(details)), 0) FROM events"
            " WHERE session_id = ?",
            (answer.session_id,),
        ).fetchone()[0]
        self._db.execute(
            "UPDATE runs SET answer = ?, ended = ?, steps = ?, size = ? WHERE session_id = ?",
            (json.dumps(answer.as_json()), time.time(), steps, size + events, answer.session_id),
        )

    def prune(self, *, days: float | None = None) -> int:
        """Remove finished runs that are too old or too much; returns their number."""
        oldest = time.time() - (self._days if days is None else days) * DAY
        rows = self._db.execute(
            "SELECT session_id, ended, sum(size) OVER (ORDER BY ended DESC, session_id) AS total"
            " FROM runs WHERE ended IS NOT NULL"
        )
        gone = [r["session_id"] for r in rows if r["ended"] < oldest or r["total"] > self._limit]
        for session_id in gone:
            shutil.rmtree(self.folder(session_id), ignore_errors=True)
            self._db.execute("DELETE FROM runs WHERE session_id = ?", (session_id,))
        return len(gone)

    def _drop(self, session_id: str, kind: str, count: int) -> None:
        if count:
            self._db.execute(
                "UPDATE runs SET dropped = json_set(dropped, ?1, coalesce(dropped ->> ?1, 0) + ?2)"
                " WHERE session_id = ?3",
                (f"$.{kind}", count, session_id),
            )

    def _release(self, session_id: str) -> None:
        if (descriptor := self._held.pop(session_id, None)) is not None:
            os.close(descriptor)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
