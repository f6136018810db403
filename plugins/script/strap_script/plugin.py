"""The hooks of scripts: the action `browser.script`, and the command `strap script`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, Config, hookimpl
from strap.api.action_lists import read_actions

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The action `script`."""
    return read_actions(__file__)


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap script`."""
    from strap_script.commands import script

    cli.add_command(script)
