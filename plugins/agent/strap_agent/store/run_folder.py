"""Record of a run in its own folder, should the index be lost or not be written.

The file is written when the run begins, with room for its answer: that can then be written on a
full disk too.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = "run.json"
ROOM = 8_192
"""Blanks after the record: on a full disk the answer is written over them."""
FIELDS = {
    "session_id": str, "owner": str, "url": str, "task": str, "model": str, "started": float,
    "steps": int, "draft": dict,
}  # fmt: skip


def keep(folder: Path, fields: dict[str, Any]) -> None:
    """Write what is known of a run; raises `OSError`."""
    data = json.dumps(fields).encode()
    path = folder / NAME
    new = folder / f"{NAME}.new"
    try:
        _write(new, data.ljust(2 * len(data) + ROOM), os.O_CREAT | os.O_TRUNC)
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if not path.exists() or path.stat().st_size < len(data):
            raise
        _write(path, data.ljust(path.stat().st_size), 0)


def alive(folder: Path) -> None:
    """Note that a run goes on, for its length if the process is killed."""
    with suppress(OSError):
        os.utime(folder)


def last_sign(folder: Path) -> float | None:
    """Return when a run was last seen to go on, in seconds since 1970, None where nobody knows."""
    with suppress(OSError):
        return folder.stat().st_mtime
    return None


def read_stored(folder: Path) -> dict[str, Any] | None:
    """Return what was written, None where that is nothing whole."""
    try:
        fields = json.loads((folder / NAME).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(fields, dict) or fields.get("session_id") != folder.name:
        return None
    whole = all(isinstance(fields.get(name), kind) for name, kind in FIELDS.items())
    answered = fields.get("answer") is None or isinstance(fields["answer"], dict)
    ended = isinstance(fields.get("ended", 0.0), float)
    return fields if whole and answered and ended else None


def _write(path: Path, data: bytes, flags: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | flags, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
