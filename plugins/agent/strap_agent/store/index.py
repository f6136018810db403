"""The index of the runs on disk, and what is read from it.

Everything lies in `home/runs`, readable by the user alone. A process that carries out a run holds
a lock on the run's folder; an unfinished run that nobody holds was interrupted.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from strap import ActionError, make_private
from strap_agent.store.database import NAME, Database
from strap_agent.store.records import CAPS, COUNTED, Event, Query, RunRecord, Shot

ANSWER = "answer.txt"
"""The file of an answer that is too long for the record."""
OF_OWNERS = "SELECT * FROM runs WHERE (?1 = '[]' OR owner IN (SELECT value FROM json_each(?1)))"
"""Runs of a list of owners in JSON; an empty one stands for everybody."""
DAMAGED: dict[str, Any] = {
    "status": "failed",
    "stop_reason": "browser_error",
    "result": None,
    "summary": "What was stored of this run is damaged.",
    "warnings": [],
    "errors_top": [],
}
"""Stand-in for an answer that cannot be read."""


class Index:
    """Reads runs, of this process and of others; calls are short and block."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._held: dict[str, int] = {}
        self._db = Database(root, self._refill)
        try:
            make_private(root)
            self._db.open()
        except OSError as error:
            raise ActionError(
                f"The folder of runs {str(root)!r} cannot be made: {error.strerror}.",
                hint="Set STRAP_HOME to a directory that may be written.",
                code="home",
            ) from None
        except sqlite3.Error as error:
            raise ActionError(
                f"The index of runs {str(root / NAME)!r} cannot be opened: {error}.",
                hint="Look after the disk, its room and who may write there.",
                code="home",
            ) from None

    def notices(self) -> list[str]:
        """Return what a user has to be told of the store, once."""
        notices, self._db.notices = self._db.notices, []
        return notices

    def close(self) -> None:
        """Let go of the index and of every run."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()
        self._db.close()

    def folder(self, session_id: str) -> Path:
        """The folder of a run's pictures."""
        return self.root / session_id

    def _refill(self) -> None:
        """Fill an index that was begun anew."""

    def runs(
        self, *, owners: Sequence[str] = (), limit: int = 20, before: float | None = None
    ) -> list[RunRecord]:
        """Return the newest runs, of `owners` alone and begun `before` where that is given."""
        rows = self._db.rows(
            f"{OF_OWNERS} AND (?3 IS NULL OR started < ?3) ORDER BY started DESC LIMIT ?2",
            (json.dumps(owners), limit, before),
        )
        return [_record(row) for row in rows]

    def run(self, session_id: str, *, owners: Sequence[str] = ()) -> RunRecord | None:
        """Return one run, None where there is none of that id and of `owners`."""
        rows = self._db.rows(
            f"{OF_OWNERS} AND session_id = ?2",
            (json.dumps(owners), session_id),
        )
        return _record(rows[0]) if rows else None

    def events(self, session_id: str, query: Query) -> list[Event]:
        """Return the events that `query` asks for, newest first."""
        types = json.dumps(list(query.types)) if query.types else None
        rows = self._db.rows(
            "SELECT * FROM events WHERE session_id = ?1 AND (?2 IS NULL OR type IN"
            " (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR has_error = ?3)"
            " AND (?4 IS NULL OR at >= ?4)"
            " AND (?6 IS NULL OR instr(lower(summary || ' ' || details), lower(?6)))"
            " ORDER BY at DESC, id DESC LIMIT ?5 OFFSET ?7",
            (
                session_id, types, query.has_error, query.since, query.last_n, query.text,
                query.start,
            ),
        )  # fmt: skip
        return [_event(row) for row in rows]

    def counts(self, session_id: str) -> dict[str, int]:
        """Return how many events of each kind, screenshots and samples are stored."""
        rows = self._db.rows(
            "SELECT type, count(*) AS n FROM events WHERE session_id = ?1 GROUP BY type"
            " UNION ALL SELECT type, count(*) FROM shots WHERE session_id = ?1 GROUP BY type",
            (session_id,),
        )
        counts = {COUNTED.get(row["type"], row["type"]): row["n"] for row in rows}
        return dict.fromkeys(CAPS, 0) | counts

    def answer(self, session_id: str) -> str:
        """Return what the agent answered, where that was kept beside the record; else ''."""
        try:
            return (self.folder(session_id) / ANSWER).read_text("utf-8")
        except FileNotFoundError:
            return ""

    def shots(
        self, session_id: str, last_n: int = 50, *, kind: str = "all",
        has_error: bool | None = None, start: int = 0,
    ) -> list[Shot]:  # fmt: skip
        """Return the newest pictures but the first `start`, newest first."""
        rows = self._db.rows(
            "SELECT * FROM shots WHERE session_id = ?1 AND (?2 = 'all' OR type = ?2)"
            " AND (?3 IS NULL OR has_error = ?3) ORDER BY id DESC LIMIT ?4 OFFSET ?5",
            (session_id, kind, has_error, last_n, start),
        )
        return [_shot(row) for row in rows]


def is_held(folder: Path) -> bool:
    """Whether a process carries out the run of a folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        return True
    finally:
        os.close(descriptor)


def _record(row: sqlite3.Row) -> RunRecord:
    """Return a run; where a row is damaged, what is left of it."""
    fields = _fields(row, numbers=("started", "ended", "steps", "size"))
    del fields["draft"]
    fields["ended"] = fields["ended"] or None
    fields["answer"] = _parsed(row["answer"], DAMAGED) if row["answer"] else None
    fields["dropped"] = _parsed(row["dropped"], {})
    return RunRecord(**fields)


def _parsed(text: Any, otherwise: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON object in a column."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return otherwise
    return value if isinstance(value, dict) and value.keys() >= otherwise.keys() else otherwise


def _fields(row: sqlite3.Row, numbers: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns of a row, each of its kind: a damaged one holds whatever was there."""
    fields: dict[str, Any] = dict(zip(row.keys(), row, strict=True))
    for name, value in fields.items():
        if value is not None and not isinstance(value, (int, float) if name in numbers else str):
            fields[name] = 0 if name in numbers else ""
    return fields


def _event(row: sqlite3.Row) -> Event:
    fields = _fields(row, numbers=("id", "at", "step", "has_error"))
    fields["has_error"] = bool(fields["has_error"])
    fields["details"] = _parsed(fields["details"], {})
    del fields["id"], fields["session_id"]
    return Event(**fields)


def _shot(row: sqlite3.Row) -> Shot:
    fields = _fields(row, numbers=("id", "at", "step", "size", "has_error"))
    fields["has_error"] = bool(fields["has_error"])
    del fields["id"], fields["session_id"]
    return Shot(**fields)


def as_dict(record: Event | Shot) -> dict[str, Any]:
    """Return an event or a picture as plain JSON values."""
    return asdict(record)
