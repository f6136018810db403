"""The engines of strap, and of entry points in `strap.search_engines`, imported when asked for."""

import inspect
import logging
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Protocol

from strap import ActionError, record
from strap.installation import entry_points
from strap_search import failures
from strap_search.engine import Engine, Features
from strap_search.settings import SearchSettings

GROUP = "strap.search_engines"
OWN = {
    "brave": "strap_search.engines.brave:Brave",
    "duckduckgo": "strap_search.engines.duckduckgo:DuckDuckGo",
    "google": "strap_search.engines.google:Google",
    "searxng": "strap_search.engines.searxng:SearXNG",
    "tavily": "strap_search.engines.tavily:Tavily",
}
log = logging.getLogger("strap.search")


class EngineFactory(Protocol):
    """Target of an entry point, such as an `Engine` class."""

    def resolve(self, settings: SearchSettings) -> type[Engine]:
        """See `Engine.resolve`."""
        ...


@record
class Listed:
    """An engine that is installed; `distribution` is empty for those of strap."""

    name: str
    entry: EntryPoint
    distribution: str = ""


@record
class Registry:
    """The installed engines by name; `taken` are those whose name another one has."""

    listed: Mapping[str, Listed]
    taken: tuple[Listed, ...] = ()

    @property
    def names(self) -> list[str]:
        """Valid values of `engine`, sorted."""
        return sorted(self.listed)

    def resolve(self, name: str, settings: SearchSettings) -> type[Engine]:
        """Import the engine called `name` and return its class; raises `ActionError`."""
        try:
            factory: EngineFactory = self.listed[name].entry.load()
            engine = factory.resolve(settings)
            _verify(engine)
        except ActionError:
            raise
        except (Exception, SystemExit) as error:
            log.warning("Search engine %r cannot be used", name, exc_info=True)
            raise failures.broken(name, error) from error
        return engine


def installed() -> Registry:
    """Look for engines; none is imported."""
    listed = {
        name: Listed(name=name, entry=EntryPoint(name=name, value=value, group=GROUP))
        for name, value in OWN.items()
    }
    taken = []
    entries = [
        Listed(name=e.name, entry=e, distribution=e.dist.name if e.dist else "an unknown one")
        for e in entry_points(GROUP)
    ]
    for engine in sorted(entries, key=lambda item: (item.name, item.distribution)):
        if engine.name in listed:
            taken.append(engine)
        else:
            listed[engine.name] = engine
    return Registry(listed=listed, taken=tuple(taken))


def _verify(engine: type[Engine]) -> None:
    if not (isinstance(engine, type) and issubclass(engine, Engine)):
        raise TypeError(f"{engine!r} is not a subclass of strap_search.engines.Engine")
    if inspect.isabstract(engine):
        raise TypeError(f"{engine.__qualname__} does not implement search")
    for attribute in ("name", "index", "features"):
        if not getattr(engine, attribute, None):
            raise TypeError(f"{engine.__qualname__}.{attribute} is missing or empty")
    if not all(isinstance(features, Features) for features in engine.features.values()):
        raise TypeError(f"{engine.__qualname__}.features are not all Features")
