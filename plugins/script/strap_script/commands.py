"""`strap script`: the calls of a kept session as a script or a test."""

import sys
from typing import Any

import click

from strap.cli.kept.calls import run_calls
from strap.cli.kept.sessions import DEFAULT, VARIABLE


@click.command()
@click.argument("session", default=DEFAULT, envvar=VARIABLE, metavar="[SESSION]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["strap", "pytest", "typescript", "case", "all"]),
    default="strap",
    show_default=True,
    help="Calls, a test for Playwright, or a case for `strap test`.",
)
@click.option("-o", "--output", metavar="FILE", help="Write it there; unless given it is printed.")
@click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml).")
@click.option("--home", metavar="DIR", help="Data directory.")
def script(session: str, form: str, output: str | None, **settings: Any) -> None:
    """Write the calls of a kept session as a script or a test.

    `strap run FILE` plays it without a model.
    """
    given = {key: value for key, value in settings.items() if value}
    words = ["browser", "script", f"value={form}", "max_tokens=100000"]
    words += [f"output={output}"] if output else []
    sys.exit(run_calls(given, session, words, as_json=False, check_status=False))
