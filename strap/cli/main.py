"""The command line: the group of all commands, which imports what it is asked for."""

import sys
from importlib import import_module
from typing import Any

import click

from strap.cli.help_text import HELP, columns, keep
from strap.errors import StartupError, StrapError, UsageError
from strap.version import __version__

NAMES = (
    *("batch", "call", "completion", "config", "demo", "doctor"),
    *("mcp-config", "plugins", "schema", "serve", "sessions", "skill"),
)
"""The commands of strap itself, each in a module of `strap.cli.commands`."""
ADDED, PROBLEMS = "strap.cli.plugin_commands", "strap.cli.plugin_problems"
"""Keys of the context: the commands of plugins, and what is wrong with others."""


class Cli(click.Group):
    """A group whose plugins may add commands, asked for only when needed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Show a `StrapError` as one line instead of a traceback."""
        try:
            return super().invoke(ctx)
        except StrapError as error:
            kind = click.UsageError if isinstance(error, UsageError) else click.ClickException
            raise kind(str(error)) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a built-in command, else ask the plugins."""
        if cmd_name not in NAMES:
            return _plugin_commands(ctx).get(cmd_name)
        module = import_module(f"strap.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands; a broken set-up must not hide the built-in ones."""
        try:
            added = _plugin_commands(ctx)
        except StartupError as error:
            click.echo(f"strap: {error}", err=True)
            ctx.meta[PROBLEMS] = [error]
            added = {}
        return sorted({*NAMES, *added})

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, and keep it for the next time that it is all that is asked for."""
        ctx.terminal_width = columns()
        text = super().get_help(ctx)
        if sys.argv[1:] in HELP and not ctx.meta.get(PROBLEMS):
            keep(text)
        return text


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="strap")
def cli() -> None:
    """One tool, web(resource, action, …), for language-model agents."""


def _plugin_commands(ctx: click.Context) -> dict[str, click.Command]:
    """The commands that plugins add, without those of a broken plugin; raises `StartupError`."""
    known: dict[str, click.Command] | None = ctx.meta.get(ADDED)
    if known is None:
        from strap.cli.plugin_commands import added_commands
        from strap.config import load
        from strap.routing.assembly import make_router

        known, problems = added_commands(make_router(load()).plugins, NAMES)
        for problem in problems:
            click.echo(f"strap: {problem}", err=True)
        ctx.meta[ADDED], ctx.meta[PROBLEMS] = known, problems
    return known
