"""The commands that plugins add to the command line: all of a plugin, or none."""

from collections.abc import Collection

import click

from strap.errors import StartupError
from strap.routing.plugins.hook_calls import ask
from strap.routing.plugins.loader import Plugins

HOOK = "strap_register_commands"


class AddedCommands(click.Group):
    """The commands that one plugin adds; a name that is `taken` is refused."""

    def __init__(self, taken: Collection[str]) -> None:
        super().__init__()
        self._taken = taken

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command; raises `StartupError` if there is one of that name."""
        name = name or cmd.name or ""
        if name in self._taken or name in self.commands:
            raise StartupError(f"there is a command {name!r} already.")
        super().add_command(cmd, name)


def added_commands(
    plugins: Plugins, taken: Collection[str]
) -> tuple[dict[str, click.Command], list[StartupError]]:
    """Return the commands that plugins add, and what is wrong with those that are left out."""
    commands, problems = dict[str, click.Command](), list[StartupError]()
    for plugin, function in plugins.implementations(HOOK):
        added = AddedCommands({*taken, *commands})
        try:
            ask(plugin, HOOK, function, cli=added)
        except StartupError as error:
            problems.append(error)
        else:
            commands |= added.commands
    return commands, problems
