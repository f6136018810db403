"""The folder in which the processes of one user meet."""

import os
import stat
from pathlib import Path

TEMPORARY = Path("/tmp")  # noqa: S108 - the folder in it is vetted
"""Not what the environment names: the processes of one user need not have the same."""


def runtime_folder() -> Path | None:
    """Return where the processes of this user meet, whatever their data directories; None: nowhere.

    It is in `XDG_RUNTIME_DIR`, else where that usually is, else among the temporary files. It need
    not be there yet.
    """
    if os.name == "nt":
        return None
    user = os.geteuid()
    for parent in (os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        if parent.startswith("/") and changed(Path(parent)) is not None:
            return Path(parent, "strap")
    return TEMPORARY / f"strap-{user}"


def changed(folder: Path) -> int | None:
    """Return when a folder changed, in nanoseconds; None unless it is the user's alone."""
    try:
        status = folder.lstat()
    except (OSError, ValueError):
        return None
    private = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return status.st_mtime_ns if private and stat.S_ISDIR(status.st_mode) else None
