"""Files that are there as a whole or not at all, folders for the user alone, and real paths."""

import os
import secrets
from errno import EDQUOT, ELOOP, ENOSPC
from pathlib import Path

FULL = (EDQUOT, ENOSPC)
"""Numbers of the errors of a disk, or a user's share of it, that has no room left."""


def real_path(path: Path) -> Path:
    """Return `path`, absolute and without symbolic links; raises `OSError` for a loop of them.

    `Path.resolve` raises `RuntimeError` for a loop, and since Python 3.13 nothing; behind one it
    may leave links as they are, so that what is returned lies elsewhere than it says.
    """
    real = Path(os.path.realpath(path))
    if any(part.is_symlink() for part in (real, *real.parents)):
        raise OSError(ELOOP, os.strerror(ELOOP), str(path))
    return real


def make_private(folder: Path) -> None:
    """Make a folder, and those that it is in, for the user alone; raises `OSError`.

    What is there already stays as it is.
    """
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_atomically(
    path: Path, *content: bytes, part: Path | None = None, private: bool = True
) -> None:
    """Write or replace a file in one step, and the folders that it is in; raises `OSError`.

    A `private` one, and the folders made for it, nobody else may read. `part` is the name of the
    unfinished file, on the same file system; without one a hidden file beside `path` is used.
    """
    if part is None:
        part = path.with_name(f".{path.name}-{secrets.token_hex(8)}.part")
    if private:
        make_private(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        mode = 0o600 if private else 0o666
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as opened:
            opened.writelines(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
