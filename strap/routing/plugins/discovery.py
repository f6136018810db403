"""Which plugins are installed, as the metadata of packages says, which may be broken as well."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

from strap.errors import StartupError, one_line
from strap.installation import entry_points

GROUP = "strap.plugins"
OWN = "strap-web"
"""The distribution of strap itself."""
UNKNOWN = "an unknown distribution"


@dataclass(frozen=True, kw_only=True, slots=True)
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
    return sorted(_installed(), key=lambda i: (not i.own, i.name, i.distribution, i.value))


def _installed() -> Iterator[Installed]:
    try:
        entries = entry_points(GROUP)
    except Exception:  # noqa: BLE001 - one distribution has entry points that cannot be read
        yield from _one_by_one()
        return
    names: dict[int, str] = {}  # metadata takes long to read: once a distribution
    for entry in entries:
        key = id(entry.dist)
        if key not in names:
            names[key] = _name(entry.dist)
        yield _of(entry, names[key])


def _one_by_one() -> Iterator[Installed]:
    seen = set[str]()
    for dist in distributions():
        name = _name(dist)
        if name in seen - {UNKNOWN}:
            continue  # one in an earlier folder of the path hides this one
        seen.add(name)
        try:
            found = [_of(entry, name) for entry in dist.entry_points if entry.group == GROUP]
        except Exception as error:  # noqa: BLE001
            if f"[{GROUP}]" in (dist.read_text("entry_points.txt") or ""):
                yield _unreadable(name, one_line(error))
            continue
        yield from found


def _of(entry: EntryPoint, distribution: str) -> Installed:
    return Installed(name=entry.name, distribution=distribution, value=entry.value, load=entry.load)


def _unreadable(distribution: str, problem: str) -> Installed:
    def load() -> Any:
        raise StartupError(f"Its entry points cannot be read ({problem}).")

    return Installed(name=distribution, distribution=distribution, value="", load=load)


def _name(dist: Distribution | None) -> str:
    try:
        return str(dist.name or UNKNOWN) if dist is not None else UNKNOWN
    except Exception:  # noqa: BLE001 - there is no metadata, or it cannot be read
        return UNKNOWN
