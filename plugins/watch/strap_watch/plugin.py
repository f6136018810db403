"""The hooks of watches: the command `strap watch`, and the action that tells of them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, Config, hookimpl
from strap.api.action_lists import read_actions

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The action `http.watch`."""
    return read_actions(__file__)


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap watch`."""
    from strap_watch.commands import watch

    cli.add_command(watch)
