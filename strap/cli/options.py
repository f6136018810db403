"""The options that stand for keys of the configuration, and the configuration that they give."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from strap.config import Config

Command = TypeVar("Command", bound=Callable[..., Any])
SETTINGS = (
    *("file", "home", "network", "allow", "deny", "confirm", "confirm_requests", "allow_hosts"),
    *("flow", "flows"),
    *("log", "log_format"),
)


OPTIONS = (
    click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml)."),
    click.option("--home", metavar="DIR", help="Data directory."),
    click.option(
        "--network", type=click.Choice(["public", "local", "all"]), help="What may be reached."
    ),
    click.option("--allow", multiple=True, metavar="PATTERN", help="Allow only these actions."),
    click.option("--deny", multiple=True, metavar="PATTERN", help="Forbid these actions."),
    click.option(
        "--confirm", multiple=True, metavar="PATTERN", help="Ask a person before these actions."
    ),
    click.option(
        "--confirm-requests",
        multiple=True,
        metavar="HOST",
        help="Ask a person before pages send anything there.",
    ),
    click.option(
        "--allow-host",
        "allow_hosts",
        multiple=True,
        metavar="HOST:PORT",
        help="Let calls reach this server too.",
    ),
    click.option(
        "--flow",
        type=click.Choice(["off", "watch", "ask", "strict"]),
        help="Keep private data of one site from others.",
    ),
    click.option(
        "--site", "flows", multiple=True, metavar="SITE", help="Let these sites exchange data."
    ),
    click.option(
        "--log", type=click.Choice(["debug", "info", "warning", "error"]), help="Log level."
    ),
    click.option(
        "--log-format", type=click.Choice(["text", "json"]), help="How the log is written."
    ),
)


def settings_options(command: Command) -> Command:
    """Add the options that stand for keys of the configuration."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def given_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the options of `settings_options` were given."""
    return {key: settings[key] for key in SETTINGS if settings.get(key)}


def read_config(settings: dict[str, Any], **more: Any) -> "Config":
    """Load the configuration with the options of `settings_options` as flags."""
    from strap.config import load
    from strap.config.log_setup import configure_logging

    config = load(**given_settings(settings), **more)
    configure_logging(config)
    return config
