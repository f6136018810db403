"""The watches on disk: a folder each, with its state and the last changes."""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Literal

from strap import (
    ActionError,
    UsageError,
    make_private,
    record,
    with_scheme,
    write_atomically,
)

Mode = Literal["text", "rows", "check"]
Item = dict[str, str]
"""A paragraph as `text`, or the cells of a row by column."""
FILE, CHANGES = "watch.json", "changes"
MOST_CHANGES = 100
MOST_BYTES = 50 * 1024 * 1024
"""Changes of a watch that are kept, and how much they take; the oldest go first."""
CLOCK_STEP = 60.0
"""Seconds that a clock may be put back by, as when it is set by the network."""


@record(frozen=False)
class Watch:
    """Settings of a watch, its rules for noise, and the last items seen."""

    id: str
    url: str
    mode: Mode
    every: float
    """Seconds between two looks."""
    selector: str = ""
    fields: str = ""
    check: str = ""
    rendered: bool = False
    when: str = ""
    notify: str = ""
    rules: list[dict[str, Any]] = field(default_factory=list)
    """Rules for parts that vary from look to look; people may read and edit them."""
    key: str = ""
    """Column by which rows are told apart; "": by all that they say."""
    page_url: str = ""
    items: list[Item] = field(default_factory=list)
    state: str = "new"
    looked_at: float = 0.0
    next_at: float = 0.0
    troubles: int = 0
    """Looks in a row that saw no page."""
    number: int = 0
    """That of the last change."""
    pending: list[int] = field(default_factory=list)
    """Changes that nobody has been notified of yet."""

    @property
    def is_slowed(self) -> bool:
        """Whether the host has asked for a pause."""
        return self.state.startswith("429")

    def is_due(self, now: float) -> bool:
        """Whether it is time for a look; a clock that was put back does not stop it."""
        return not self.looked_at - CLOCK_STEP < now < self.next_at


class Watches:
    """All watches of a data folder."""

    def __init__(self, home: Path) -> None:
        self.root = home / "watches"
        self._known: dict[str, tuple[tuple[int, int], Watch]] = {}
        """Each watch without what it saw, and the state of its file then."""

    def all(self) -> list[Watch]:
        """Return the watches that can be read, the first one added first: without items.

        Files that are as they were are not read again: there may be thousands.
        """
        known, self._known = self._known, {}
        # Paths of pathlib take five times as long.
        names = os.listdir(self.root) if self.root.is_dir() else ()  # noqa: PTH208
        for name in sorted(names):
            file = f"{self.root}/{name}/{FILE}"
            with suppress(OSError):
                state = os.stat(file)  # noqa: PTH116
                stamp = state.st_ino, state.st_mtime_ns
                entry = known.get(name)
                if entry is None or entry[0] != stamp:
                    if (watch := _read(Path(file))) is None:
                        continue
                    watch.items.clear()
                    entry = stamp, watch
                self._known[name] = entry
        return [watch for _, watch in self._known.values()]

    def read(self, watch: Watch) -> Watch | None:
        """Return the whole of a watch, None where it was removed meanwhile."""
        return _read(self.root / watch.id / FILE)

    def find(self, name: str) -> Watch:
        """Return the watch of this address, or whose id begins so; raises `UsageError`."""
        url = with_scheme(name)
        matches = [
            watch
            for watch in self.all()
            if watch.url == url or (name and watch.id.startswith(name))
        ]
        if len(matches) == 1 and (whole := self.read(matches[0])) is not None:
            return whole
        what = "is that of several watches" if matches else "is unknown"
        raise UsageError(f"The watch {name!r} {what}.", hint="`strap watch list` names them.")

    def save(self, watch: Watch, *, new: bool = False) -> None:
        """Write a watch, unless it was removed meanwhile; raises `ActionError`."""
        folder = self.root / watch.id
        try:
            if new:
                make_private(folder)
            if folder.is_dir():
                write_atomically(folder / FILE, _json(asdict(watch)))
        except OSError as error:
            raise _unwritten(folder, error) from None

    def remove(self, watch: Watch) -> None:
        """Forget a watch with its changes."""
        shutil.rmtree(self.root / watch.id)

    def note(self, watch: Watch, change: dict[str, Any]) -> None:
        """Write a change under the next number, before `save` counts it: a crash doubles none."""
        folder = self.root / watch.id / CHANGES
        if not folder.parent.is_dir():  # it was removed meanwhile
            return
        try:
            write_atomically(folder / f"{watch.number + 1:06}.json", _json(change))
            self._bound(folder)
        except OSError as error:
            raise _unwritten(folder, error) from None
        watch.number += 1

    def changes(self, watch: Watch, last: int = MOST_CHANGES) -> list[dict[str, Any]]:
        """Return the last changes, the newest first."""
        files = sorted((self.root / watch.id / CHANGES).glob("*.json"), reverse=True)[:last]
        return [json.loads(file.read_bytes()) | {"number": int(file.stem)} for file in files]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from looking meanwhile; raises `ActionError`."""
        make_private(self.root)
        descriptor = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise ActionError("Another `strap watch run` is at work.", code="busy") from None
        finally:
            os.close(descriptor)

    @staticmethod
    def _bound(folder: Path) -> None:
        total = 0
        for at, file in enumerate(sorted(folder.glob("*.json"), reverse=True)):
            total += file.stat().st_size
            if at and (at >= MOST_CHANGES or total > MOST_BYTES):
                file.unlink()


def _read(file: Path) -> Watch | None:
    try:
        return Watch(**json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _unwritten(folder: Path, error: OSError) -> ActionError:
    return ActionError(f"Cannot write {str(folder)!r}: {error.strerror}.", code="home")


def new_id() -> str:
    """Return an id that sorts by time."""
    return f"{time.time_ns() // 1_000_000:012x}{os.urandom(3).hex()}"
