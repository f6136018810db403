"""The hooks of the browser plugin."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from strap import Config, Diagnosis, Resource, hookimpl
from strap_browser.actions.agent import AGENT_ACTIONS
from strap_browser.actions.batch import batch
from strap_browser.actions.browser import close, launch, list_pages, status
from strap_browser.actions.capture import pdf, screenshot
from strap_browser.actions.cookies import cookies
from strap_browser.actions.dialog import dialog
from strap_browser.actions.elements.click import click, hover
from strap_browser.actions.elements.drag import drag
from strap_browser.actions.elements.fill import fill, type_
from strap_browser.actions.elements.press import press
from strap_browser.actions.elements.scroll import scroll
from strap_browser.actions.elements.select import select
from strap_browser.actions.elements.upload import upload
from strap_browser.actions.evaluate import evaluate
from strap_browser.actions.live import live
from strap_browser.actions.login_state import setup_state
from strap_browser.actions.markup.extract import extract
from strap_browser.actions.markup.render import render
from strap_browser.actions.navigate import back, forward, navigate, reload
from strap_browser.actions.observe import snapshot, text
from strap_browser.actions.pages import close_page, new_page, resize
from strap_browser.actions.records.console import console
from strap_browser.actions.records.downloads import downloads
from strap_browser.actions.records.network import network
from strap_browser.actions.wait import wait
from strap_browser.resource import browser

if TYPE_CHECKING:
    from click import Group

# The order in which the tool definition names them: what is used most comes first.
ACTIONS: tuple[Callable[..., Any], ...] = (
    *(status, launch, close, list_pages),
    *(navigate, snapshot, click, fill, type_, screenshot, text, evaluate, extract),
    *(wait, back, forward, reload, dialog, new_page, close_page, resize),
    *(scroll, hover, select, press, drag, upload),
    *(downloads, console, network, cookies, pdf, setup_state, batch, live, render),
)


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Callable[..., Any]]:
    """The actions on browsers, on pages and on runs of the agent."""
    return ACTIONS if os.name == "nt" else (*ACTIONS, *AGENT_ACTIONS)


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
