"""`strap serve`."""

from typing import Any

import click

from strap.cli.options import read_config, settings_options
from strap.errors import UsageError

OF_HTTP = ("host", "port", "names", "token", "max_sessions", "drain", "replica", "metrics")
"""Options that mean nothing over stdio."""


@click.command("serve")
@settings_options
@click.option("--http", is_flag=True, help="Streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to bind; 0: any free one.",
)
@click.option("--name", "names", multiple=True, help="Host name that clients reach it by.")
@click.option("--token", envvar="STRAP_TOKEN", help="Bearer token; required beyond loopback.")
@click.option(
    "--max-sessions",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Sessions open at a time.",
)
@click.option(
    "--drain",
    type=click.FloatRange(0, 86_400),
    default=25.0,
    show_default=True,
    help="Seconds for calls in flight after SIGTERM.",
)
@click.option("--replica", metavar="NAME", help="What ids of sessions begin with, for proxies.")
@click.option("--metrics", type=click.IntRange(0, 65535), help="Port of /metrics; 0: none.")
@click.pass_obj
def command(front: Any, /, http: bool, **options: Any) -> None:
    """Serve the tool over MCP: stdio, or HTTP with --http."""
    config = read_config(options)
    if http:
        from strap.mcp.http.server import serve as serve_http

        where = {key: options[key] for key in OF_HTTP}
        serve_http(config, **where)
    else:
        _refuse_options_of_http(click.get_current_context())
        from strap.mcp.stdio.server import serve as serve_stdio

        serve_stdio(config, front)


def _refuse_options_of_http(context: click.Context) -> None:
    """Raise `UsageError` for an option of --http; a token may stand in the environment."""
    for name in OF_HTTP:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = {"names": "name"}.get(name, name).replace("_", "-")
            raise UsageError(f"--{option} is for --http: without it strap serves stdin and stdout.")
