"""Make an environment for an extra, whole or not at all, and remove it."""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from secrets import token_hex

from strap.atomic_files import make_private, write_atomically
from strap.environments.installers import install, run
from strap.environments.own import STAMP, OwnEnvironment, exposed, find, linked, private
from strap.errors import ActionError
from strap.installation import DISTRIBUTION
from strap.prepared_answers import forget_all
from strap.version import __version__

NAME = re.compile(r"[^\w.-]")
"""Parts the name of a requirement from what follows."""
FOLDER = re.compile(r"[0-9a-f]{16}")
Check = Callable[[Path, Path], tuple[Sequence[str], Mapping[str, str]]]
"""Returns the command and the variables that try an environment out, from its interpreter and a
folder for what the try writes."""


def make_environment(
    environments: Path,
    name: str,
    *,
    packages: Sequence[Path],
    needed: Collection[str],
    further: Sequence[str],
    check: Check,
    tell: Callable[[str], None],
) -> OwnEnvironment:
    """Make the environment of the extra `name`, or make it anew; what was there stays until then.

    `packages` are the folders of strap's own packages that it needs, `needed` the distributions
    that these import, of all that strap depends on; `further` is installed as well. `tell` is given
    what is being done; the installer writes on stderr. Raises `ActionError` (code "environment");
    then, or when it is interrupted, nothing is left.
    """
    installed = (*requirements(name, needed), *further)
    place = environments / name
    make_private(place)
    try:
        if (where := exposed(place)) is not None:
            why = f"No code can be installed below {str(where)!r}: others can change it."
            raise ActionError(why, hint=private(where), code="environment")
        _sweep(place)
        with _new_folder(place) as (folder, lock):
            installer = install(folder, lock, installed, tell)
            _add_code(folder, packages)
            tell("Trying it out …")
            _try(folder, lock, check)
            _stamp(place, folder, installed, installer)
    finally:
        with suppress(OSError):  # there is something in it
            place.rmdir()
            environments.rmdir()
    forget_all()
    _sweep(place)
    made = find(environments, name)
    assert made is not None
    return made


def remove_environment(environments: Path, name: str) -> tuple[bool, int]:
    """Remove the environment of an extra.

    Returns whether there was one, and how many folders are left because processes use them.
    """
    place = environments / name
    existed = place.is_dir()
    (place / STAMP).unlink(missing_ok=True)
    forget_all()
    left = _sweep(place)
    with suppress(OSError):
        place.rmdir()
        environments.rmdir()
    return existed, left


def requirements(extra: str, needed: Collection[str]) -> tuple[str, ...]:
    """Return what an extra of the installed strap declares, and of what strap does the `needed`."""
    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        raise ActionError(
            "It is not known what strap needs: it runs from a folder, and is not installed.",
            hint="Install it: pip install -e FOLDER",
            code="environment",
        ) from None
    packages = list[str]()
    for line in declared:
        requirement, _, marker = line.partition(";")
        if "extra ==" not in marker:
            packages += [line] if NAME.split(line)[0] in needed else []
        elif marker.strip() in (f"extra == '{extra}'", f'extra == "{extra}"'):
            packages.append(requirement.strip())
    return tuple(packages)


@contextmanager
def _new_folder(place: Path) -> Iterator[tuple[Path, int]]:
    """Make a folder in `place`, held by a descriptor; it is removed if what follows fails."""
    folder = place / token_hex(8)
    folder.mkdir(mode=0o700)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield folder, lock
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def _add_code(folder: Path, packages: Sequence[Path]) -> None:
    """Give the environment the very code that runs here: no other release can get in."""
    (library,) = folder.glob("lib/python3*/site-packages")
    if linked():
        lines = dict.fromkeys(str(package.parent) for package in packages)
        (library / "strap.pth").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return
    for package in packages:
        shutil.copytree(
            package, library / package.name, ignore=shutil.ignore_patterns("__pycache__")
        )


def _stamp(place: Path, folder: Path, packages: Sequence[str], installer: str) -> None:
    stamp = {
        "folder": folder.name,
        "strap": __version__,
        "linked": linked(),
        "packages": packages,
        "installer": installer,
        "seconds": time.time(),
    }
    write_atomically(place / STAMP, json.dumps(stamp, indent=2).encode())


def _try(folder: Path, lock: int, check: Check) -> None:
    scratch = folder / "try"
    scratch.mkdir(mode=0o700)
    command, environ = check(folder / "bin" / "python", scratch)
    run(command, folder, lock, environ)
    shutil.rmtree(scratch, ignore_errors=True)


def _sweep(place: Path) -> int:
    """Remove the folders that are not in use any more; returns how many are left of these."""
    try:
        current = json.loads((place / STAMP).read_text("utf-8")).get("folder")
    except (OSError, ValueError, AttributeError):
        current = None
    left = 0
    for path in place.glob("*") if place.is_dir() else ():
        if FOLDER.fullmatch(path.name) and path.name != current and not path.is_symlink():
            left += not _removed(path)
    for part in place.glob(f".{STAMP}-*.part") if place.is_dir() else ():
        part.unlink(missing_ok=True)
    return left


def _removed(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        shutil.rmtree(folder, ignore_errors=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
    return not folder.exists()
