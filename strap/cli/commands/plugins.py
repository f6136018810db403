"""`strap plugins`."""

from typing import Any

import click

from strap.cli.options import read_config, settings_options
from strap.cli.plugin_list import listed
from strap.routing.assembly import make_router


@click.command("plugins")
@settings_options
def command(**settings: Any) -> None:
    """List the plugins: what they add, and what is wrong."""
    for line in listed(make_router(read_config(settings))):
        click.echo(line)
