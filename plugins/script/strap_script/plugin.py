"""The hooks of scripts: actions of `browser`, and commands that write and play scripts."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, Config, hookimpl
from strap.api.action_lists import read_actions

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The actions `script`, `heal`, `login` and `record_person`."""
    return read_actions(__file__)


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap script`, `strap login` and `strap record`."""
    from strap_script.commands import login, script
    from strap_script.record_command import record

    cli.add_command(script)
    cli.add_command(login)
    cli.add_command(record)
