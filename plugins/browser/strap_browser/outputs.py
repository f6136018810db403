"""Files in the folder that actions may write to."""

import os
import secrets
from pathlib import Path

from strap import ActionError, UsageError


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
            hint=f"Give a path relative to {str(root)!r}, as in output='page.jpg'.",
        )
    if is_folder:
        raise UsageError(f"output={output!r} is a folder.", hint="Name a file in it.")
    return path


def write(path: Path, content: bytes) -> None:
    """Write `content` to `path` as a whole or not at all; raises `ActionError` (code "output")."""
    part = path.with_name(f".strap-{secrets.token_hex(8)}.part")
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
