"""Hook implementations of the `http` resource."""

from collections.abc import Callable, Iterable
from typing import Any

from strap import Config, Resource, hookimpl
from strap_http.resource import fetch, http


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Return the resource `http`."""
    return (http,)


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """Return the actions of `http`."""
    return (fetch,)
