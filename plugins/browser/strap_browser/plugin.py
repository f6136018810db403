"""The hooks of the browser plugin."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, Config, Diagnosis, Resource, hookimpl
from strap.api.action_lists import read_actions
from strap_browser.resource import browser

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The actions on browsers and on pages."""
    return read_actions(__file__)


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Which browser would be launched, and how; the user's own Chrome."""
    from strap_browser.chromium.install import diagnose
    from strap_browser.relay.cli import diagnose as diagnose_chrome

    return [*diagnose(config), diagnose_chrome(config)]


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add the commands about browsers."""
    from strap_browser.chromium.install import browser as commands
    from strap_browser.relay.cli import chrome

    cli.add_command(commands)
    cli.add_command(chrome)
