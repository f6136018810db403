"""An extra in an environment of its own: where it is, and whether its code may be run.

    environments/agent/environment.json    names the folder in use; written last, in one step
    environments/agent/0123456789abcdef/   an environment, in the place that it was made in

What is not named is not used: an installation that was broken off is nothing but a folder that
goes with the next one.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISVTX
from typing import Any

from strap.errors import ActionError
from strap.records import record
from strap.version import __version__

STAMP = "environment.json"
CODE = Path(__file__).parents[2]
"""The folder that holds this strap."""


@record
class OwnEnvironment:
    """The environment of an extra, fit for use.

    `linked`: it has no copy of strap's code, but uses that of a source folder. `packages` are the
    requirements that were installed, `seconds` since 1970 when that was, `installer` what did it.
    """

    name: str
    folder: Path
    strap: str
    linked: str
    packages: tuple[str, ...]
    installer: str
    seconds: float

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def has(self, module: str) -> bool:
        """Tell whether a module, not one in a package, is installed there."""
        return any(
            path.is_dir() or path.suffix in (".py", ".so")
            for library in self.folder.glob("lib/python3*/site-packages")
            for path in (library / module, *library.glob(f"{module}.*"))
        )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep it from being removed."""
        descriptor = hold(self.folder)
        try:
            yield
        finally:
            os.close(descriptor)


def hold(folder: Path) -> int:
    """Return a descriptor that keeps a folder from being removed until it is closed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with suppress(OSError):  # a file system without locks: nothing is held back there
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return descriptor


def is_made(environments: Path | None, name: str) -> bool:
    """Tell whether an extra has an environment of its own, fit for use or not."""
    return environments is not None and (environments / name / STAMP).is_file()


def find(environments: Path | None, name: str) -> OwnEnvironment | None:
    """Return the environment of an extra, None if there is none.

    Raises `ActionError` (code "environment") for one that must not be used: of another version, not
    whole, or in a place where others of this machine could change its code.
    """
    if environments is None or not is_made(environments, name):
        return None
    place = environments / name
    again = f"Make it anew: strap {name} install"
    if (where := exposed(place)) is not None:
        raise _unfit(name, f"is not used: others can change {str(where)!r}", private(where))
    try:
        environment = _read(place, name, json.loads((place / STAMP).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        raise _unfit(name, "is damaged", again) from None
    if environment.strap != __version__:
        raise _unfit(name, f"is for strap {environment.strap}, and this is {__version__}", again)
    if environment.linked != linked():
        whose = (
            f"the strap in {environment.linked!r}" if environment.linked else "an installed strap"
        )
        raise _unfit(name, f"is for {whose}, and this is {str(CODE)!r}", again)
    if not environment.python.is_file():
        raise _unfit(name, "is not whole: its Python is gone", again)
    if (where := exposed(environment.folder)) is not None:
        raise _unfit(name, f"is not used: others can change {str(where)!r}", private(where))
    return environment


def _read(place: Path, name: str, stamp: dict[str, Any]) -> OwnEnvironment:
    folder = str(stamp["folder"])
    if not folder.isalnum():
        raise ValueError("no folder of ours")
    return OwnEnvironment(
        name=name,
        folder=place / folder,
        strap=str(stamp["strap"]),
        linked=str(stamp["linked"]),
        packages=tuple(map(str, stamp["packages"])),
        installer=str(stamp["installer"]),
        seconds=float(stamp["seconds"]),
    )


def linked() -> str:
    """Return the folder of the sources that this strap runs from, "" for an installed one."""
    return "" if CODE.name.endswith("-packages") else str(CODE)


def exposed(path: Path) -> Path | None:
    """Return the part of a path that others than this user and root could change, None: none.

    The group that is the user's own counts as the user. Who owns `/` is root, also where the
    numbers of users are mapped.
    """
    trusted = {0, os.geteuid(), Path("/").stat().st_uid}
    real = path.resolve()
    for place in (real, *real.parents):
        status = place.lstat()
        shared = status.st_mode & 0o002 or (
            status.st_mode & 0o020 and status.st_gid not in (0, os.getegid())
        )
        # In a sticky folder, as /tmp is, others can add something and take nothing away.
        sticky = place != real and S_ISDIR(status.st_mode) and status.st_mode & S_ISVTX
        if status.st_uid not in trusted or (shared and not sticky):
            return place
    return None


def private(where: Path) -> str:
    """Return what to do about a place that others could change."""
    return f"See to its owner, and chmod go-w {str(where)!r}; or take another data directory."


def _unfit(name: str, why: str, hint: str) -> ActionError:
    return ActionError(
        f"The environment of the extra {name!r} {why}.", hint=hint, code="environment"
    )
