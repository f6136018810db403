"""`strap mcp-config`."""

import click

from strap.cli.client_configs import http_snippets, snippets
from strap.cli.client_places import PLACES, place
from strap.errors import UsageError
from strap.network.urls import parse


@click.command("mcp-config")
@click.argument("client", required=False)
@click.option("--http", metavar="URL", help="Connect to a running server, as at URL.")
@click.option("--token", is_flag=True, help="With --http: send the token of STRAP_TOKEN.")
def command(client: str | None, http: str | None, token: bool) -> None:
    """Print ready snippets for MCP clients: all, or that of CLIENT."""
    if token and not http:
        raise UsageError("--token is for --http: over stdio the client starts the server itself.")
    if http:
        parse(http, ("http", "https"))
    configs = http_snippets(http, token=token) if http else snippets()
    if client is not None and client not in configs:
        over = " over HTTP" if http and client in PLACES else ""
        valid = ", ".join(sorted(configs))
        raise UsageError(f"Unknown client{over}: {client!r} (valid: {valid}).")
    for name, text in configs.items():
        if client in (None, name):
            if client:
                click.echo(f"{place(name)}:", err=True)
            click.echo(text if client else f"## {name}. {place(name)}:\n{text}\n")
