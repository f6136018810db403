"""The resource `search`, and its hook implementations."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from strap import Action, Config, Diagnosis, Environment, Resource, hookimpl
from strap.api.action_lists import read_actions
from strap_search.settings import SearchSettings

if TYPE_CHECKING:
    from strap_search.state import SearchState


@asynccontextmanager
async def _open(environment: Environment) -> "AsyncIterator[SearchState]":
    from strap_search.state import SearchState

    async with SearchState(environment.settings, environment.guard) as engines:
        yield engines


search = Resource(
    name="search",
    summary="Search the web: DuckDuckGo, Google and others",
    settings=SearchSettings,
    open=_open,
)


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Return the resource `search`."""
    return (search,)


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """Return the actions of `search`."""
    return read_actions(__file__)


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Say how each engine is reached; nothing is asked."""
    from strap_search.doctor import diagnose

    return diagnose(config.settings("search", SearchSettings))
