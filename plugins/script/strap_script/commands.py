"""`strap script` writes the calls of a kept session; `strap login` plays such a script."""

import os
import sys
from dataclasses import replace
from typing import Any

import click

from strap import Caller, Config, open_router
from strap.cli.asking import terminal_confirm, terminal_invite
from strap.cli.kept.calls import run_calls
from strap.cli.kept.sessions import DEFAULT, VARIABLE
from strap.cli.options import read_config, settings_options
from strap.faults import runner
from strap.text import replace_surrogates

PROFILE = "login"
"""A browser of its own, which begins without cookies."""


as_format = click.option(
    "--format",
    "form",
    type=click.Choice(["strap", "pytest", "typescript", "case", "all"]),
    default="strap",
    show_default=True,
    help="Calls, a test for Playwright, or a case for `strap test`.",
)


@click.command()
@click.argument("session", default=DEFAULT, envvar=VARIABLE, metavar="[SESSION]")
@as_format
@click.option("-o", "--output", metavar="FILE", help="Write it there; unless given it is printed.")
@click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml).")
@click.option("--home", metavar="DIR", help="Data directory.")
def script(session: str, form: str, output: str | None, **settings: Any) -> None:
    """Write the calls of a kept session as a script or a test.

    `strap run FILE` plays it without a model.
    """
    options = {key: value for key, value in settings.items() if value}
    words = ["browser", "script", f"value={form}", "max_tokens=100000"]
    words += [f"output={output}"] if output else []
    sys.exit(run_calls(options, session, words, as_json=False, check_status=False))


@click.command()
@settings_options
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.argument("name", metavar="NAME")
def login(name: str, headed: bool, **settings: Any) -> None:
    """Log in by a script, if the saved login has expired.

    `[logins.NAME]` has the script, and the page `check` that tells whether it has. Cookies, storage
    and passkeys are saved in the end, for `setup_state`, `eval` and `strap test` of any process.
    """
    environ = os.environ | ({"STRAP_HEADLESS": "false"} if headed else {})
    with runner() as running:
        click.echo(running.run(_log_in(read_config(settings, environ=environ), name)))


async def _log_in(config: Config, name: str) -> str:
    browser: dict[str, Any] = dict(config.plugins.get("browser", {}))
    browser["profiles"] = {**browser.get("profiles", {}), PROFILE: {"ephemeral": True}}
    own = replace(config, plugins={**config.plugins, "browser": browser})
    caller = Caller(transport="cli", confirm=terminal_confirm(), invite=terminal_invite())
    async with open_router(config=own) as router:
        profile = {"resource": "browser", "profile": PROFILE}
        await router.call({**profile, "action": "launch"}, caller=caller)
        call = {**profile, "action": "login", "state_id": name}
        return replace_surrogates((await router.call(call, caller=caller)).text)
