"""Files in the folder that actions may write to."""

import contextlib
import os
import secrets
import time
from pathlib import Path

from strap import ActionError, UsageError

_PREFIX, _SUFFIX = ".strap-", ".part"
_STALE = 60.0


def resolve(output: str, folder: Path) -> Path:
    """Return the file that `output` names, relative to `folder`, with symbolic links resolved.

    Raises `UsageError` for a path outside `folder` and for one that cannot be a file.
    """
    if not output.strip() or "\x00" in output:
        raise UsageError(f"output={output!r} is not a path.")
    try:
        root = folder.resolve()
        path = (root / output).resolve()
        is_folder = path == root or output.endswith(("/", os.sep)) or path.is_dir()
    except (OSError, RuntimeError):  # too long, or a loop of symbolic links
        raise UsageError(f"output={output!r} cannot be resolved.") from None
    if not path.is_relative_to(root):
        raise UsageError(
            f"output={output!r} is outside the folder for files.",
            hint=f"Give a path relative to {str(root)!r}, as in output='page.html'.",
        )
    if is_folder:
        raise UsageError(f"output={output!r} is a folder.", hint="Name a file in it.")
    return path


def write(path: Path, content: bytes, folder: Path) -> None:
    """Write `content` to `path` in `folder`, as a whole or not at all; raises `ActionError`."""
    part = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(content)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ActionError(
            f"Cannot write {str(path)!r}: {os.strerror(error.errno or 0)}.", code="output"
        ) from None


def sweep(folder: Path) -> None:
    """Remove what a killed process was writing; a living one is done in less than `_STALE`."""
    for part in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > _STALE:
                part.unlink()
