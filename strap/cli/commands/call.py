"""`strap call`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from strap.api.call_syntax import SYNTAX
from strap.cli.options import read_config, settings_options
from strap.cli.word_completion import complete


@click.command("call", context_settings={"ignore_unknown_options": True})
@settings_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a call.")
@click.option(
    "--check-status",
    is_flag=True,
    help="Exit with 3, 4 or 5 where a server answered with such an HTTP status.",
)
@click.argument("words", nargs=-1, required=True, metavar=f"{SYNTAX} | -", shell_complete=complete)
def command(words: Sequence[str], as_json: bool, check_status: bool, **settings: Any) -> None:
    """Make a call: `strap call RESOURCE ACTION key=value …`.

    As in `strap call http fetch url=https://example.com/`. The one field that an action requires
    may come without its name: `strap call http fetch https://example.com/`. `body=@FILE` takes a
    body from a file, `body=-` from standard input.

    With - in place of a call, one call a line is read from standard input and all share a
    session, so that a browser stays open between them. Files are written to the current directory.
    """
    import asyncio

    from strap.cli.calling import run_calls

    config = read_config(settings, outputs=Path.cwd())
    sys.exit(asyncio.run(run_calls(config, words, as_json=as_json, check_status=check_status)))
