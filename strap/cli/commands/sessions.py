"""`strap sessions`."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from strap import local_socket
from strap.cli.kept.client import KeptSession, end_session
from strap.cli.kept.sessions import DEFAULT, VARIABLE, all_sockets, folder
from strap.errors import StartupError, UsageError


@click.group("sessions", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a session.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the sessions that `strap call --keep` keeps."""
    if ctx.invoked_subcommand is not None:
        return
    open_sessions = list(_sessions())
    for facts in open_sessions:
        click.echo(json.dumps(facts, ensure_ascii=False) if as_json else _line(facts))
    if not open_sessions:
        click.echo("No session is kept. `strap call --keep` begins one.", err=True)


@command.command()
@click.argument("name", default=DEFAULT, envvar=VARIABLE)
@click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml).")
@click.option("--home", metavar="DIR", help="Data directory.")
@click.option("--all", "every", is_flag=True, help="End all of them.")
def close(name: str, every: bool, **settings: str | None) -> None:
    """End a session, its browser too."""
    local_socket.check_name(name)
    options = {key: value for key, value in settings.items() if value}
    paths = list(all_sockets() if every else local_socket.sockets(folder(options), name))
    if not paths and not every:
        raise UsageError(f"There is no session {name!r}.")
    for path in paths:
        end_session(path)
        click.echo(f"Session {local_socket.name_of(path)!r} has ended.")


def _sessions() -> Iterator[dict[str, Any]]:
    for path in all_sockets():
        try:
            facts = _facts(path)
        except StartupError as error:
            facts = {"name": local_socket.name_of(path), "problem": str(error)}
        if facts:
            yield facts


def _facts(path: Path) -> dict[str, Any]:
    connection = local_socket.connect(path)
    if connection is None:
        return {}
    with closing(KeptSession(connection, local_socket.name_of(path))) as session:
        session.check()
        return session.ask(do="status")


def _line(facts: dict[str, Any]) -> str:
    if "problem" in facts:
        return f"{facts['name']}: {facts['problem']}"
    idle = f"idle for {facts['idle']:.0f} s"
    return f"{facts['name']}: process {facts['pid']}, {idle}, files go to {facts['folder']}"
