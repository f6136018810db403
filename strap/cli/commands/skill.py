"""`strap skill`."""

from pathlib import Path
from typing import Any

import click

from strap.cli.options import read_config, settings_options
from strap.cli.skill import FOLDERS, NAME, install, skill
from strap.errors import StartupError
from strap.routing.assembly import make_router


@click.group("skill", invoke_without_command=True)
@settings_options
@click.pass_context
def command(ctx: click.Context, /, **settings: Any) -> None:
    """Print SKILL.md: how a coding agent uses strap in a shell."""
    ctx.obj = make_router(read_config(settings)).catalog
    if ctx.invoked_subcommand is None:
        click.echo(skill(ctx.obj), nl=False)


@command.command("install")
@click.option("--client", type=click.Choice(sorted(FOLDERS)), help="The client whose user has it.")
@click.option("--to", "folder", metavar="DIR", type=Path, help="Another folder of skills.")
@click.pass_context
def install_(ctx: click.Context, client: str | None, folder: Path | None) -> None:
    """Write it where a client looks for skills."""
    if (client is None) == (folder is None):
        raise click.UsageError("Give either --client or --to.")
    where = folder or Path(FOLDERS[client or ""])
    try:
        click.echo(install(ctx.obj, where))
    except OSError as error:
        raise StartupError(f"{str(where / NAME)!r} cannot be written: {error.strerror}.") from None
