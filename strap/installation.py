"""Installed packages, how strap was installed, and commands that fit: pip, uv, pipx, uvx."""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

DISTRIBUTION = "strap-web"
UVX = ("uvx", "--from", f"{DISTRIBUTION}[all]", "strap")
"""Runs strap where nothing is installed; it is fetched again when uv's cache was pruned."""
Way = Literal["pip", "uv", "uv tool", "pipx", "uvx"]
_COMMANDS: Mapping[Way, tuple[str, str]] = {
    "pip": ("pip install '{}'",) * 2,
    "uv": ("uv pip install '{}'",) * 2,
    "uv tool": (f"uv tool install --with '{{}}' {DISTRIBUTION}", "uv tool install '{}'"),
    "pipx": (f"pipx inject {DISTRIBUTION} '{{}}'",) * 2,
    "uvx": (f"uvx --with '{{}}' --from {DISTRIBUTION} strap", "uvx --from '{}' strap"),
}
"""The commands that add something of others, and an extra of strap itself."""


def installed_by(prefix: Path | None = None) -> Way:
    """Tell which program made the environment at `prefix`, that of this process unless given."""
    prefix = prefix or Path(sys.prefix)
    parts = prefix.parts
    if "archive-v0" in parts or "environments-v2" in parts:
        return "uvx"
    if ("uv", "tools") in pairwise(parts):
        return "uv tool"
    if "pipx" in parts:
        return "pipx"
    try:
        settings = (prefix / "pyvenv.cfg").read_text("utf-8")
    except OSError:
        return "pip"
    return "uv" if any(line.startswith("uv =") for line in settings.splitlines()) else "pip"


def install_command(requirement: str) -> str:
    """Return the command that adds a requirement, such as "strap-web[pdf]", to strap."""
    own = requirement.partition("[")[0] == DISTRIBUTION
    beside, alone = _COMMANDS[installed_by()]
    return (alone if own else beside).format(requirement)


def command() -> tuple[str, ...]:
    """Return the words that start `strap`: absolute, as clients start it without the user's PATH.

    An environment of uvx goes with uv's cache: then it is made anew by uvx itself.
    """
    import shutil

    if installed_by() == "uvx":
        return (shutil.which("uvx") or UVX[0], *UVX[1:])
    beside = Path(sys.executable).with_name("strap")
    return (str(beside) if beside.exists() else shutil.which("strap") or "strap",)


def entry_points(group: str) -> "EntryPoints":
    """Return the entry points of a group, read anew where what is installed has changed.

    importlib.metadata reads the files of all distributions at each call, some 10 ms. Raises
    whatever it raises over files that cannot be read.
    """
    return _entry_points(group, (*folders(), *entry_point_files()))


@lru_cache(maxsize=4)
def _entry_points(group: str, _state: tuple[tuple[str, int], ...]) -> "EntryPoints":
    from importlib.metadata import entry_points

    return entry_points(group=group)


def folders() -> Iterator[tuple[str, int]]:
    """Yield each folder of the path with the time of its last change, 0 where there is none."""
    for folder in sys.path:
        yield folder, _changed(folder or ".")


def entry_point_files() -> Iterator[tuple[str, int]]:
    """Yield the files that name entry points, each with the time of its last change.

    They may be written anew in place, as for a package that is developed, which changes no folder.
    """
    for folder in sys.path:
        try:
            names = sorted(filter(_is_metadata, os.listdir(folder or ".")))  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            file = os.path.join(folder, name, "entry_points.txt")  # noqa: PTH118 - at each start
            if changed := _changed(file):
                yield file, changed


def _is_metadata(name: str) -> bool:
    lower = name.lower()
    return lower.endswith((".dist-info", ".egg-info")) or lower == "egg-info"


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - at each start
    except OSError:
        return 0
