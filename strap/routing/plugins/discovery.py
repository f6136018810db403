"""Discovery of installed plugins by the metadata of packages, which may be broken as well.

To read the metadata of all packages takes longer than to import most plugins, so what it says is
kept from one start to the next, until a folder that packages are imported from has changed, or a
file in one that names entry points.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

from strap import prepared_answers
from strap.errors import StartupError, one_line
from strap.installation import entry_point_files, entry_points, folders
from strap.records import record

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUP = "strap.plugins"
OWN = "strap-web"
"""The distribution of strap itself."""
UNKNOWN = "an unknown distribution"
SETTLED = 60
"""Seconds after the last change from which on nobody is taken to be installing."""
_PLAIN = re.compile(r"[\w.]+(:[\w.]+)?")
"""Usual value of an entry point: a module, or something in one."""


@record
class Installed:
    """An entry point: `load` imports the plugin and raises whatever that raises."""

    name: str
    distribution: str
    value: str
    load: Callable[[], Any]

    @property
    def own(self) -> bool:
        """Whether it belongs to strap."""
        return self.distribution == OWN


def discover() -> list[Installed]:
    """Return what is installed: strap's own first, then by name and distribution."""
    installed = _prepared() or _looked_for()
    return sorted(installed, key=lambda i: (not i.own, i.name, i.distribution, i.value))


def _prepared() -> list[Installed]:
    """Return the plugins known from an earlier start, empty if that may be outdated."""
    known = prepared_answers.read(*_place(_where()))
    return [
        Installed(name=name, distribution=distribution, value=value, load=partial(_load, value))
        for name, distribution, value in known or ()
    ]


def _looked_for() -> list[Installed]:
    where = _where()
    try:
        installed = list(_installed())
    except Exception:  # noqa: BLE001 - one distribution has entry points that cannot be read
        return list(_one_by_one())
    is_settled = all(changed < time.time_ns() - SETTLED * 10**9 for _, changed in where)
    if is_settled and all(_PLAIN.fullmatch(plugin.value) for plugin in installed):
        with suppress(OSError):  # it is looked for again the next time
            rows = [[plugin.name, plugin.distribution, plugin.value] for plugin in installed]
            prepared_answers.write(*_place(where), rows)
    return installed


def _where() -> list[tuple[str, int]]:
    return [*folders(), *entry_point_files()]


def _place(where: list[tuple[str, int]]) -> tuple[bytes, bytes]:
    return json.dumps([GROUP, sys.prefix]).encode(), json.dumps([sys.version, where]).encode()


def _load(value: str) -> Any:
    module, _, attributes = value.partition(":")
    return reduce(getattr, filter(None, attributes.split(".")), import_module(module))


def _installed() -> Iterator[Installed]:
    names: dict[int, str] = {}  # metadata takes long to read: once a distribution
    for entry in entry_points(GROUP):
        key = id(entry.dist)
        if key not in names:
            names[key] = _name(entry.dist)
        yield _of(entry, names[key])


def _one_by_one() -> Iterator[Installed]:
    from importlib.metadata import distributions

    seen = set[str]()
    for dist in distributions():
        name = _name(dist)
        if name in seen - {UNKNOWN}:
            continue  # one in an earlier folder of the path hides this one
        seen.add(name)
        try:
            plugins = [_of(entry, name) for entry in dist.entry_points if entry.group == GROUP]
        except Exception as error:  # noqa: BLE001
            if f"[{GROUP}]" in (dist.read_text("entry_points.txt") or ""):
                yield _unreadable(name, one_line(error))
            continue
        yield from plugins


def _of(entry: "EntryPoint", distribution: str) -> Installed:
    return Installed(name=entry.name, distribution=distribution, value=entry.value, load=entry.load)


def _unreadable(distribution: str, problem: str) -> Installed:
    def load() -> Any:
        raise StartupError(f"Its entry points cannot be read ({problem}).")

    return Installed(name=distribution, distribution=distribution, value="", load=load)


def _name(dist: "Distribution | None") -> str:
    try:
        return str(dist.name or UNKNOWN) if dist is not None else UNKNOWN
    except Exception:  # noqa: BLE001 - there is no metadata, or it cannot be read
        return UNKNOWN
