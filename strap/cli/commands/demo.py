"""`strap demo`."""

import sys

import click


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the screenshot and say where it is.")
@click.option("--live", is_flag=True, help="Open the live view, and stay until Ctrl-C.")
def command(keep: bool, live: bool) -> None:
    """Drive the real MCP server through a small local site.

    Every call is shown with its answer, about how many tokens that has, and the time it took. With
    --live you watch it in your browser, and may take control.
    """
    from strap.mcp.demo import run

    sys.exit(run(keep=keep, live=live))
