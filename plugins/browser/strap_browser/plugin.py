"""The hooks of the browser plugin."""

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from strap import Config, Diagnosis, Resource, hookimpl
from strap_browser import lifecycle
from strap_browser.resource import browser

if TYPE_CHECKING:
    import click


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """The actions on browsers and on pages."""
    actions: list[Callable[..., Any]] = [
        lifecycle.status,
        lifecycle.launch,
        lifecycle.close,
        lifecycle.list_pages,
    ]
    if find_spec("strap_browser.pageactions"):
        actions += import_module("strap_browser.pageactions").ACTIONS
    return actions


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Which browser would be launched, and how."""
    from strap_browser.installation import diagnose

    return diagnose(config)


@hookimpl
def strap_register_commands(cli: "click.Group") -> None:
    """Add `strap browser` and, where runs can be stored, `strap runs`."""
    from strap_browser.installation import browser as commands

    cli.add_command(commands)
    if os.name != "nt":
        from strap_browser.runs.commands import runs

        cli.add_command(runs)
