"""`strap call`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from strap.api.call_syntax import SYNTAX
from strap.cli.kept.sessions import DEFAULT, VARIABLE
from strap.cli.options import given_settings, read_config, settings_options
from strap.cli.word_completion import complete


class CallCommand(click.Command):
    """A command whose option --keep may come without a name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Name the session where nothing follows: the next word is one of the call."""
        return super().parse_args(ctx, [f"--keep={DEFAULT}" if a == "--keep" else a for a in args])


@click.command("call", cls=CallCommand, context_settings={"ignore_unknown_options": True})
@settings_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a call.")
@click.option(
    "--check-status",
    is_flag=True,
    help="Exit with 3, 4 or 5 where a server answered with such an HTTP status.",
)
@click.option(
    "--keep",
    metavar="[=NAME]",
    envvar=VARIABLE,
    help=f"Make it in a session that is kept, called {DEFAULT!r} unless named.",
)
@click.argument("words", nargs=-1, required=True, metavar=f"{SYNTAX} | -", shell_complete=complete)
def command(words: Sequence[str], keep: str | None, **settings: Any) -> None:
    """Make a call: `strap call RESOURCE ACTION key=value …`.

    As in `strap call http fetch url=https://example.com/`. The one field that an action requires
    may come without its name: `strap call http fetch https://example.com/`. `body=@FILE` takes a
    body from a file, `body=-` from standard input.

    With - in place of a call, one call a line is read from standard input and all share a
    session, so that a browser stays open between them. So it does between the calls with --keep or
    STRAP_SESSION; `strap sessions` shows and ends such sessions. Files are written to the current
    directory, in a kept session to the one that it was begun in.
    """
    shown = {name: settings.pop(name) for name in ("as_json", "check_status")}
    if keep:
        from strap.cli.kept.calls import run_calls as run_kept

        sys.exit(run_kept(given_settings(settings), keep, words, **shown))
    from strap.cli.calling import run_calls
    from strap.faults import runner

    config = read_config(settings, outputs=Path.cwd())
    with runner() as running:
        status = running.run(run_calls(config, words, **shown))
    sys.exit(status)
