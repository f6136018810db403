"""The hooks of the browser plugin."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, Config, Diagnosis, Resource, hookimpl
from strap.api.action_lists import read_actions
from strap_browser.resource import browser

if TYPE_CHECKING:
    from click import Group

OF_RUNS = ("eval", "get_run_events", "get_screenshots", "list_runs", "cancel_run")
"""What the agent does, which is not for Windows."""


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The actions on browsers, on pages and on runs of the agent."""
    found = read_actions(__file__)
    return [each for each in found if each.name not in OF_RUNS] if os.name == "nt" else found


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Which browser would be launched, and how; the user's own Chrome; what can be watched."""
    from strap_browser.chromium.install import diagnose
    from strap_browser.live.commands import diagnose as diagnose_live
    from strap_browser.relay.cli import diagnose as diagnose_chrome

    found = [*diagnose(config), diagnose_chrome(config), diagnose_live(config)]
    if os.name != "nt":
        from strap_browser.agent.cli import diagnose as diagnose_runs

        found += diagnose_runs(config)
    return found


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add the commands; those of the agent where it can run."""
    from strap_browser.chromium.install import browser as commands
    from strap_browser.live.commands import live as live_command
    from strap_browser.relay.cli import chrome

    cli.add_command(commands)
    cli.add_command(chrome)
    cli.add_command(live_command)
    if os.name != "nt":
        from strap_browser.agent.cli import runs
        from strap_browser.agent.workers.commands import agent

        cli.add_command(runs)
        cli.add_command(agent)
