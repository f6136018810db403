"""The hooks of the browser plugin."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from strap import Config, Diagnosis, Resource, hookimpl
from strap_browser.actions import agent as runactions
from strap_browser.actions import browser as lifecycle
from strap_browser.actions import inputactions, pageactions, recordactions, tabactions
from strap_browser.resource import browser

if TYPE_CHECKING:
    import click


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """The actions on browsers, on pages and on runs of the agent."""
    actions: list[Callable[..., Any]] = [
        lifecycle.status,
        lifecycle.launch,
        lifecycle.close,
        lifecycle.list_pages,
    ]
    for module in (pageactions, tabactions, inputactions, recordactions):
        actions += module.ACTIONS
    if os.name != "nt":
        actions += runactions.ACTIONS
    return actions


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Which browser would be launched, and how; whether the user's own Chrome is connected."""
    from strap_browser.chromium.install import diagnose
    from strap_browser.relay.cli import diagnose as diagnose_chrome

    found = [*diagnose(config), diagnose_chrome(config)]
    if os.name != "nt":
        from strap_browser.agent.cli import diagnose as diagnose_runs

        found += diagnose_runs(config)
    return found


@hookimpl
def strap_register_commands(cli: "click.Group") -> None:
    """Add `strap browser`, `strap chrome` and, where runs can be stored, `strap runs`."""
    from strap_browser.chromium.install import browser as commands
    from strap_browser.relay.cli import chrome

    cli.add_command(commands)
    cli.add_command(chrome)
    if os.name != "nt":
        from strap_browser.agent.cli import runs

        cli.add_command(runs)
