"""The command line: the group of all commands, which imports what it is asked for."""

import logging
import os
import sys
from importlib import import_module
from typing import Any

import click

from strap.atomic_files import FULL
from strap.cli.help_text import HELP, columns, keep
from strap.errors import StartupError, StrapError, UsageError, did_you_mean
from strap.version import __version__

NAMES = (
    *("batch", "call", "completion", "config", "demo", "doctor"),
    *("mcp-config", "plugins", "run", "schema", "serve", "sessions", "skill"),
)
"""The commands of strap itself, each in a module of `strap.cli.commands`."""
HELPING = "help"
"""The action that every resource has."""
ADDED, PROBLEMS = "strap.cli.plugin_commands", "strap.cli.plugin_problems"
"""Keys of the context: the commands of plugins, and what is wrong with others."""
WRITTEN, RESOURCES = "strap.cli.written", "strap.cli.resources"
"""Likewise: the arguments, and the actions of each resource by their names."""

log = logging.getLogger(__name__)


class Cli(click.Group):
    """A group whose plugins may add commands, asked for only when needed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what was written, for those who leave out `call`."""
        ctx.meta[WRITTEN] = [*args]
        try:
            return super().parse_args(ctx, args)  # which writes the help and the version
        except OSError as error:
            raise _of_file(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Show a `StrapError`, or what the system refuses of a file, as one line."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if error.message.startswith("No such command"):
                error.message += _instead(error.ctx or ctx, error.message.split("'")[1])
            raise
        except StrapError as error:
            kind = click.UsageError if isinstance(error, UsageError) else click.ClickException
            raise kind(str(error)) from None
        except OSError as error:
            raise _of_file(error) from None

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


def _instead(ctx: click.Context, name: str) -> str:
    group, written = ctx.command, ctx.meta[WRITTEN]
    valid = group.list_commands(ctx) if isinstance(group, click.Group) else []
    resources = ctx.meta.get(RESOURCES, {})
    having = [
        resource for resource, actions in resources.items() if name in actions and name != HELPING
    ]
    if having and name == written[0]:
        words = [having[0], name]
    elif guess := did_you_mean(name, valid):
        return guess
    elif written[0] in resources:
        words = written[:2]
    else:
        return ""
    return f" A call of the tool is written `strap call {' '.join(words)} …`."


def _of_file(error: OSError) -> Exception:
    """Return the line that says what the system refused of a file, or the error of anything else.

    A full disk that standard output leads to names no file; what is still to be written is let go.
    """
    if error.filename is None and error.errno not in FULL:
        return error
    log.debug("An error of the system", exc_info=error)
    if error.filename is not None:
        return click.ClickException(f"{str(error.filename)!r}: {error.strerror}.")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return click.ClickException(f"{error.strerror}.")


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="strap")
def cli() -> None:
    """One tool, web(resource, action, …), for language-model agents."""


def _plugin_commands(ctx: click.Context) -> dict[str, click.Command]:
    known: dict[str, click.Command] | None = ctx.meta.get(ADDED)
    if known is None:
        from strap.cli.plugin_commands import added_commands
        from strap.config import load
        from strap.routing.assembly import make_router

        router = make_router(load())
        catalog = router.catalog
        ctx.meta[RESOURCES] = {name: catalog.of(name) for name in catalog.resources}
        known, problems = added_commands(router.plugins, NAMES)
        for problem in problems:
            click.echo(f"strap: {problem}", err=True)
        ctx.meta[ADDED], ctx.meta[PROBLEMS] = known, problems
    return known
