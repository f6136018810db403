"""The index of the runs on disk, and what is read from it.

Everything lies in `home/runs`, readable by the user alone. A process that carries out a run holds
a lock on the run's folder; an unfinished run that nobody holds was interrupted.
"""

import fcntl
import json
import os
import shutil
import sqlite3
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from strap import ActionError
from strap_browser.runs.records import CAPS, Event, Query, RunRecord, Shot

LOCK_LIMIT = 0.5
"""Seconds to wait for another process that writes: meanwhile nothing else happens here."""
ORPHAN_AGE = 60.0
"""Seconds after which a folder that is not in the index will not get there any more."""
TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    session_id TEXT PRIMARY KEY, owner TEXT NOT NULL, url TEXT NOT NULL, task TEXT NOT NULL,
    model TEXT NOT NULL, started REAL NOT NULL, ended REAL, steps INTEGER NOT NULL DEFAULT 0,
    draft TEXT NOT NULL, answer TEXT, dropped TEXT NOT NULL DEFAULT '{}',
    size INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    type TEXT NOT NULL, summary TEXT NOT NULL, at REAL NOT NULL, step INTEGER NOT NULL,
    has_error INTEGER NOT NULL, url TEXT, details TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS shots (
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    at REAL NOT NULL, step INTEGER NOT NULL, type TEXT NOT NULL, file TEXT NOT NULL,
    size INTEGER NOT NULL, url TEXT, title TEXT, has_error INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS events_of_run ON events (session_id, type, has_error, id);
CREATE INDEX IF NOT EXISTS shots_of_run ON shots (session_id, id);
"""


class Index:
    """Reads runs, of this process and of others; calls are short and block."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._held: dict[str, int] = {}
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            index = root / "index.db"
            os.close(os.open(index, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(index, isolation_level=None, timeout=LOCK_LIMIT)
        except OSError as error:
            raise ActionError(
                f"The folder of runs {str(root)!r} cannot be made: {error.strerror}.",
                hint="Set STRAP_HOME to a directory that may be written.",
                code="home",
            ) from None
        self._db.row_factory = sqlite3.Row
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.executescript(TABLES)
        self.settle()
        self.sweep()

    def close(self) -> None:
        """Let go of the index and of every run."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()
        self._db.close()

    def folder(self, session_id: str) -> Path:
        """The folder of a run's pictures."""
        return self.root / session_id

    def sweep(self) -> None:
        """Remove folders of runs that never got into the index, as their processes were killed."""
        known = {row["session_id"] for row in self._db.execute("SELECT session_id FROM runs")}
        for folder in self.root.iterdir():
            with suppress(OSError):
                orphan = folder.is_dir() and folder.name not in known and not _is_held(folder)
                if orphan and time.time() - folder.stat().st_mtime > ORPHAN_AGE:
                    shutil.rmtree(folder, ignore_errors=True)

    def settle(self) -> None:
        """Give interrupted runs their answer, and remove what they left behind."""
        rows = self._db.execute("SELECT session_id, draft FROM runs WHERE answer IS NULL")
        for row in rows.fetchall():
            folder = self.folder(row["session_id"])
            if row["session_id"] in self._held or _is_held(folder):
                continue
            shutil.rmtree(folder / "work", ignore_errors=True)
            self._db.execute(
                "UPDATE runs SET answer = draft, ended = ? WHERE session_id = ? AND answer IS NULL",
                (time.time(), row["session_id"]),
            )

    def runs(self, *, owner: str | None = None, limit: int = 20) -> list[RunRecord]:
        """Return the newest runs, those of `owner` alone if given."""
        self.settle()
        rows = self._db.execute(
            "SELECT * FROM runs WHERE ?1 IS NULL OR owner = ?1 ORDER BY started DESC LIMIT ?2",
            (owner, limit),
        )
        return [_record(row) for row in rows]

    def run(self, session_id: str, *, owner: str | None = None) -> RunRecord | None:
        """Return one run, None where there is none of that id and owner."""
        self.settle()
        row = self._db.execute(
            "SELECT * FROM runs WHERE session_id = ?1 AND (?2 IS NULL OR owner = ?2)",
            (session_id, owner),
        ).fetchone()
        return None if row is None else _record(row)

    def events(self, session_id: str, query: Query) -> list[Event]:
        """Return the events that `query` asks for, newest first."""
        types = json.dumps(list(query.types)) if query.types else None
        rows = self._db.execute(
            "SELECT * FROM events WHERE session_id = ?1 AND (?2 IS NULL OR type IN"
            " (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR has_error = ?3)"
            " AND (?4 IS NULL OR at >= ?4) ORDER BY at DESC, id DESC LIMIT ?5",
            (session_id, types, query.has_error, query.since, query.last_n),
        )
        return [_event(row) for row in rows]

    def counts(self, session_id: str) -> dict[str, int]:
        """Return how many events of each kind and screenshots are stored."""
        rows = self._db.execute(
            "SELECT type, count(*) AS n FROM events WHERE session_id = ?1 GROUP BY type"
            " UNION ALL SELECT 'screenshots', count(*) FROM shots WHERE session_id = ?1",
            (session_id,),
        )
        return dict.fromkeys(CAPS, 0) | {row["type"]: row["n"] for row in rows}

    def shots(
        self, session_id: str, last_n: int = 50, *, kind: str = "all", has_error: bool | None = None
    ) -> list[Shot]:
        """Return the newest pictures, newest first."""
        rows = self._db.execute(
            "SELECT * FROM shots WHERE session_id = ?1 AND (?2 = 'all' OR type = ?2)"
            " AND (?3 IS NULL OR has_error = ?3) ORDER BY id DESC LIMIT ?4",
            (session_id, kind, has_error, last_n),
        )
        return [_shot(row) for row in rows]


def _is_held(folder: Path) -> bool:
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
    fields: dict[str, Any] = {key: row[key] for key in row.keys() if key != "draft"}  # noqa: SIM118
    fields["answer"] = json.loads(row["answer"]) if row["answer"] else None
    fields["dropped"] = json.loads(row["dropped"])
    return RunRecord(**fields)


def _event(row: sqlite3.Row) -> Event:
    return Event(
        type=row["type"], summary=row["summary"], at=row["at"], step=row["step"],
        has_error=bool(row["has_error"]), url=row["url"], details=json.loads(row["details"]),
    )  # fmt: skip


def _shot(row: sqlite3.Row) -> Shot:
    return Shot(
        at=row["at"], step=row["step"], type=row["type"], file=row["file"], size=row["size"],
        url=row["url"], title=row["title"], has_error=bool(row["has_error"]),
    )  # fmt: skip


def as_dict(record: Event | Shot) -> dict[str, Any]:
    """Return an event or a picture as plain JSON values."""
    return asdict(record)
