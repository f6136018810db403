"""The hook of watches: the command `strap watch`."""

from typing import TYPE_CHECKING

from strap import hookimpl

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap watch`."""
    from strap_watch.commands import watch

    cli.add_command(watch)
