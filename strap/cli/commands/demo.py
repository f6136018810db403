"""`strap demo`."""

import sys

import click


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the screenshot and say where it is.")
def command(keep: bool) -> None:
    """Drive the real MCP server through a small local site.

    Every call is shown with its answer, the size of that in tokens, and the time it took.
    """
    from strap.mcp.demo import run

    sys.exit(run(keep=keep))
