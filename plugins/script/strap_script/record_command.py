"""`strap record`: what a person does in a browser, as a script or a test."""

import asyncio
import os
from pathlib import Path
from typing import Any

import click

from strap import Caller, Config, open_router, with_scheme
from strap.cli.asking import terminal_confirm
from strap.cli.options import read_config, settings_options
from strap.faults import runner
from strap.mcp.signals import ending
from strap.text import replace_surrogates
from strap_script.commands import as_format


@click.command()
@settings_options
@as_format
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write.")
@click.option("--headless", is_flag=True, help="Show no window, for a browser that others drive.")
@click.argument("url")
def record(url: str, form: str, output: str, headless: bool, **settings: Any) -> None:
    """Write what you do in a browser as a script or a test.

    A window opens at URL. Close it, or press Ctrl-C, when you are done. Passwords are left out.
    """
    environ = {"STRAP_BROWSER__AUTO_LAUNCH": "true", **os.environ}
    environ |= {"STRAP_HEADLESS": str(headless).lower()}
    config = read_config(settings, outputs=Path.cwd(), environ=environ)
    with runner() as running:
        report = running.run(_recorded(config, with_scheme(url), form, output))
    click.echo(replace_surrogates(report))


async def _recorded(config: Config, url: str, form: str, output: str) -> str:
    caller = Caller(transport="cli", confirm=terminal_confirm(), awaits_news=False)
    async with open_router(config=config) as router:

        async def make(action: str, **fields: str) -> str:
            call = {"resource": "browser", "action": action, **fields}
            return (await router.call(call, caller=caller)).text

        await make("navigate", url=url)
        recording = asyncio.ensure_future(make("record_person"))
        stops: list[asyncio.Future[str]] = []

        def stop() -> None:
            stops.append(asyncio.ensure_future(make("record_person", value="stop")))

        notice = f"Recording {url}. Close the window or press Ctrl-C to write {output}."
        click.echo(replace_surrogates(notice), err=True)
        ending.note(lambda: not recording.done())
        with ending.answered_by(stop):
            await recording
        return await make("script", value=form, output=output)
