"""`strap config`."""

from typing import Any

import click

from strap.cli.config_report import report
from strap.cli.options import given_settings, read_config, settings_options
from strap.config.loading import user_file


@click.group("config")
def command() -> None:
    """Look at the configuration."""


@command.command()
@settings_options
def path(**settings: Any) -> None:
    """Print the file that the configuration is read from, or would be."""
    source = read_config(settings).source
    if source is None:
        click.echo("There is no configuration file yet; this one would be read:", err=True)
    click.echo(source or user_file())


@command.command()
@settings_options
def show(**settings: Any) -> None:
    """Print what is set, as TOML, and where it is from.

    Secrets are not shown.
    """
    for line in report(read_config(settings), given_settings(settings)):
        click.echo(line)
