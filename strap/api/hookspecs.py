"""The hooks: synchronous, because pluggy collects what they return and the router awaits.

A hook collects declarations, verdicts or wrappers; what runs is an async action or wrapper. An
async implementation is refused at start-up: its coroutine would look like a truthy answer.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pluggy

from strap.api.calls import Call, CallWrapper, Denial
from strap.api.declarations import BrowserDriver, Converter, Executor
from strap.api.extras import Diagnosis
from strap.api.resources import Resource, ResourceState
from strap.config import Config

if TYPE_CHECKING:
    import click

PROJECT = "strap"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin's module as its implementation of the hook of that name."""


@hookspec
def strap_register_resources(config: Config) -> Iterable[Resource]:  # type: ignore[empty-body]
    """Return the resources that the plugin adds."""


@hookspec
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:  # type: ignore[empty-body]
    """Return the functions marked with `@action` that the plugin adds, to any resource."""


@hookspec
def strap_resource_state(config: Config) -> Iterable[ResourceState]:  # type: ignore[empty-body]
    """Return the states that the plugin adds to resources, its own or others': one for each."""


@hookspec
def strap_register_drivers(config: Config) -> Iterable[BrowserDriver]:  # type: ignore[empty-body]
    """Return drivers: further ways to have a browser, for the setting `driver` of its profiles."""


@hookspec
def strap_register_converters(config: Config) -> Iterable[Converter]:  # type: ignore[empty-body]
    """Return converters: kinds of files that `http.fetch` shows as Markdown from then on."""


@hookspec
def strap_register_executors(config: Config) -> Iterable[Executor]:  # type: ignore[empty-body]
    """Return executors: engines that run the items of `strap batch`, by `--engine NAME`."""


@hookspec
def strap_check_call(call: Call) -> Denial | None:
    """Return a `Denial` to forbid the call, None to have no objection.

    Any denial wins. An exception, or anything that is neither, denies too.
    """


@hookspec
def strap_wrap_call(call: Call) -> CallWrapper | None:
    """Return an `async (call, call_next) -> Result` to run around the call, or None.

    Wrappers of plugins registered first are outermost. What they pass on is checked again.
    """


@hookspec
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:  # type: ignore[empty-body]
    """Return what `strap doctor` shall say about the plugin's needs; open and start nothing."""


@hookspec
def strap_register_commands(cli: "click.Group") -> None:
    """Add commands to the `strap` command line."""
