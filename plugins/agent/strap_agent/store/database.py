"""The database of the runs: where it is damaged it is set aside, and begun anew."""

import fcntl
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

log = logging.getLogger(__name__)
Value = TypeVar("Value")
NAME = "index.db"
ASIDE = "index-"
"""How the names of those that were set aside begin."""
LOCK_LIMIT = 0.5
"""Seconds to wait for another process that writes: meanwhile nothing else happens here."""
TABLES = """
BEGIN;
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
COMMIT;
"""
COLUMNS = {
    "runs": "session_id owner url task model started ended steps draft answer dropped size",
    "events": "id session_id type summary at step has_error url details",
    "shots": "id session_id at step type file size url title has_error",
}
INDICES = ("events_of_run", "shots_of_run")


class Foreign(sqlite3.DatabaseError):
    """A database with something else in it than ours, or what is no file."""


class Database:
    """One connection; calls are short and block.

    `refill` is called where the database was begun anew in place of a damaged one.
    """

    def __init__(self, root: Path, refill: Callable[[], None]) -> None:
        self.notices: list[str] = []
        """Messages to the user, each given once."""
        self._root = root
        self._refill = refill
        self._within = False
        """Whether what goes on is not to be repeated."""
        self._inode = 0
        self._db: sqlite3.Connection | None = None

    def open(self) -> None:
        """Open the file, or make it; raises `OSError` or `sqlite3.Error`."""
        path = self._root / NAME
        try:
            self._db, self._inode = _opened(path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            self._inode = _inode(path)
            self._renew(error)

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._db is not None, "the database is not open"
        return self._db

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return what a query finds."""
        return self._tried(lambda: self._connection.execute(sql, params).fetchall())

    def change(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """Carry out a statement; returns how many rows it changed."""
        return self._tried(lambda: self._connection.execute(sql, params).rowcount)

    def change_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry out a statement for each of several rows, within a transaction."""
        self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block, or nothing."""
        self.change("BEGIN IMMEDIATE")
        self._within = True
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error) and is_damage(error):
                self._renew(error)
            raise
        finally:
            self._within = False

    def _tried(self, work: Callable[[], Value]) -> Value:
        """Do `work`, once more where the database had to be begun anew."""
        try:
            return work()
        except sqlite3.Error as error:
            if self._within or not is_damage(error):
                raise
            self._renew(error)
        return work()

    def _renew(self, error: sqlite3.Error) -> None:
        self.close()
        with _alone(self._root):
            path = self._root / NAME
            mine = _inode(path) == self._inode
            if mine:  # else another process did it already
                aside = _set_aside(path)
                text = f"The index of runs was damaged ({error}): it is now {aside.name}."
                self.notices.append(f"{text} What is on disk of older runs was put into a new one.")
                log.warning("%s", self.notices[-1])
            self._db, self._inode = _opened(path)
            if mine:
                self._within = True
                try:
                    self._refill()
                finally:
                    self._within = False


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error comes from what is in the file, not from the disk or another process."""
    if isinstance(error, sqlite3.OperationalError):
        return str(error).startswith(("no such table", "no such column", "table "))
    return type(error) in (sqlite3.DatabaseError, Foreign)


def damage(root: Path) -> str:
    """Return what is wrong with the database in `root`, empty if nothing is; changes nothing.

    Raises `sqlite3.Error` where it cannot be read for another reason.
    """
    path = root / NAME
    if not os.path.lexists(path):
        return ""
    try:
        _check_file(path)
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=LOCK_LIMIT)
        try:
            if not _has_tables(db):
                return "it is empty"
            [verdict] = db.execute("PRAGMA quick_check(1)").fetchone()
            return "" if verdict == "ok" else str(verdict)
        finally:
            db.close()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return str(error)


def _opened(path: Path) -> tuple[sqlite3.Connection, int]:
    _check_file(path)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = sqlite3.connect(path, isolation_level=None, timeout=LOCK_LIMIT)
    try:
        db.row_factory = sqlite3.Row
        db.text_factory = _text
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            db.execute(f"PRAGMA {pragma}")
        _has_tables(db)
        db.executescript(TABLES)
    except BaseException:
        db.close()
        raise
    return db, _inode(path)


def _check_file(path: Path) -> None:
    """Raise `Foreign` where something else than a file has its name: a pipe would be waited for."""
    if os.path.lexists(path) and not path.is_file():
        raise Foreign("it is not a file")


def _has_tables(db: sqlite3.Connection) -> bool:
    """Whether the tables are there; raises `Foreign` where they are not ours, or not alone."""
    names = db.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    objects = {(str(kind), str(name)) for kind, name in names}
    tables = {("table", table) for table in COLUMNS}
    if not objects:
        return False
    if not tables <= objects <= tables | {("index", index) for index in INDICES}:
        raise Foreign("it has other tables than those of strap")
    for table, columns in COLUMNS.items():
        if {row[1] for row in db.execute(f"PRAGMA table_info({table})")} != set(columns.split()):
            raise Foreign(f"the table {table} is not that of strap")
    return True


def _set_aside(path: Path) -> Path:
    """Give a database a name with the date, with what belongs to it."""
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    names = (f"{ASIDE}{stamp}{more}.db" for more in ("", *(f"-{n}" for n in range(2, 100))))
    aside = next(p for p in map(path.with_name, names) if not p.exists())
    path.rename(aside)
    for outcome in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(NAME + outcome).rename(aside.with_name(aside.name + outcome))
    return aside


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    descriptor = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
