"""Hooks of the plugin: the resource, the actions and the wrapper."""

from collections.abc import Callable, Iterable
from typing import Any

from strap import Call, CallNext, CallWrapper, Config, Resource, Result, hookimpl
from strap_wayback.actions import fetch_archived, lookup, wayback

GONE = ("404 ", "410 ")


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """Add `wayback`."""
    return [wayback]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """Add `wayback.lookup` and `http.fetch_archived`."""
    return [lookup, fetch_archived]


@hookimpl
def strap_wrap_call(call: Call) -> CallWrapper | None:
    """Look at the answers of `http.fetch` alone."""
    return suggest_archive if (call.resource, call.action) == ("http", "fetch") else None


async def suggest_archive(call: Call, call_next: CallNext) -> Result:
    """Say where a page that is gone may still be found."""
    result = await call_next(call)
    if not result.text.startswith(GONE):
        return result
    url = getattr(call.params, "url", "")
    hint = f'An archived copy may exist: web(resource: wayback, action: lookup, url: "{url}").'
    return Result(text=f"{result.text}\n{hint}", images=result.images, data=result.data)
