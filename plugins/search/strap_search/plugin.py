"""Hook implementations of the `search` resource."""

from collections.abc import Callable, Iterable
from typing import Any

from strap import Config, Diagnosis, Resource, hookimpl
from strap_search.query import query, search
from strap_search.settings import SearchSettings


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Return the resource `search`."""
    return (search,)


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """Return the actions of `search`."""
    return (query,)


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Say how each engine is reached; nothing is asked."""
    from strap_search.doctor import diagnose

    return diagnose(config.settings("search", SearchSettings))
