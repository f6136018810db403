"""Files in the folder that actions may write to."""

import contextlib
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from strap.atomic_files import make_private, real_path, write_atomically
from strap.errors import ActionError, UsageError

_PREFIX, _SUFFIX = ".strap-", ".part"
_STALE = 60.0


@dataclass(frozen=True, slots=True)
class Outputs:
    """The only folder that actions write files to, made when the first one is written."""

    folder: Path
    wrote: Callable[[Path], None] | None = None
    """Called with each file that was written, in any thread."""

    def resolve(self, output: str) -> Path:
        """Return the file that `output` names, relative to the folder, symbolic links resolved.

        Raises `UsageError` for a path outside the folder and for one that cannot be a file.
        """
        path, is_folder = self._inside(output, "page.html")
        if is_folder:
            raise UsageError(f"output={output!r} is a folder.", hint="Name a file in it.")
        return path

    def refuse_taken(self, path: Path) -> None:
        """Raise `ActionError` (code "output") where something is at a resolved `path` already."""
        if os.path.lexists(path):
            raise ActionError(
                f"{str(path)!r} exists already.", hint="Name another file.", code="output"
            )

    def resolve_folder(self, output: str) -> Path:
        """Return the folder that `output` names, which need not be there, in the same way.

        Raises `UsageError` for a path outside the folder, and for that folder itself.
        """
        path, _ = self._inside(output, "handbook")
        if path == self.folder.resolve():
            raise UsageError(
                f"output={output!r} is the folder for all files.",
                hint="Name one in it, as in output='handbook'.",
            )
        return path

    def _inside(self, output: str, example: str) -> tuple[Path, bool]:
        if not output.strip() or output.splitlines() != [output] or "\x00" in output:
            raise UsageError(f"output={output!r} is not a path.")
        try:
            root = real_path(self.folder)
            path = real_path(root / output)
            is_folder = path == root or output.endswith(("/", os.sep)) or path.is_dir()
        except OSError:  # too long, or a loop of symbolic links
            raise UsageError(f"output={output!r} cannot be resolved.") from None
        first, *more = Path(output).parts or ("",)
        # A shell that is not asked leaves `~` as it is: a folder of that name is meant by nobody.
        is_home = first == "~" or (first.startswith("~") and bool(more))
        if not path.is_relative_to(root) or is_home:
            named = Path(output).name
            example = example if named in ("", "..") else named
            raise UsageError(
                f"output={output!r} is outside the folder for files.",
                hint=f"Give a path relative to {str(root)!r}, as in output={example!r}.",
            )
        return path, is_folder

    def write(self, path: Path, content: bytes) -> None:
        """Write `content` to a resolved `path`, as a whole or not at all.

        Blocks; raises `ActionError` (code "output").
        """
        part = self.folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
        try:
            make_private(self.folder)
            write_atomically(path, content, part=part, private=False)
        except OSError as error:
            raise ActionError(
                f"Cannot write {str(path)!r}: {os.strerror(error.errno or 0)}.", code="output"
            ) from None
        if self.wrote is not None:
            self.wrote(path)

    def sweep(self) -> None:
        """Remove what a killed process was writing; a living one is done in less than a minute."""
        for part in self.folder.glob(f"{_PREFIX}*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > _STALE:
                    part.unlink()
