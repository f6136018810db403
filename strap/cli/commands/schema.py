"""`strap schema`."""

import json
from typing import Any

import click

from strap.cli.options import read_config, settings_options
from strap.routing.assembly import make_router
from strap.toolchain import FORMATS, Toolchain


@click.command("schema")
@settings_options
@click.option(
    "--format", "style", type=click.Choice(list(FORMATS)), default="mcp", show_default=True
)
def command(style: str, **settings: Any) -> None:
    """Print the tool definition for a toolchain."""
    definition = Toolchain(make_router(read_config(settings))).definition(style)
    click.echo(json.dumps(definition, indent=2, ensure_ascii=False))
