"""`strap watch`: pages, and what changed in them."""

import asyncio
import json
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import click

from strap import Config, UsageError, with_scheme
from strap_watch.notifying import check_words
from strap_watch.store import Watch, Watches, new_id
from strap_watch.watching import SETTLE, add, change_line, open_web, run, seconds, watch_line

home_option = click.option("--home", metavar="DIR", help="Data directory.")


def _opened(home: str | None) -> tuple[Config, Watches]:
    config = Config.load(home=home)
    return config, Watches(config.home)


@click.group()
def watch() -> None:
    """Watch pages, and tell what changed in them."""


@watch.command("add")
@click.argument("url")
@click.option("--rows", is_flag=True, help="Compare rows, by their key, in place of the text.")
@click.option("--selector", default="", metavar="CSS", help="Where the records of --rows are.")
@click.option("--fields", default="", metavar="RULES", help="Their fields: 'price: .price'.")
@click.option("--check", default="", metavar="WORDS", help="Only whether the text has these words.")
@click.option("--rendered", is_flag=True, help="Read the text that a browser shows.")
@click.option("--every", default="1h", show_default=True, help="How often: 90s, 15m, 1h, 2d.")
@click.option("--when", default="", metavar="CONDITION", help="Notify if so: 'price < 20'.")
@click.option("--notify", default="", metavar="WAY", help="command:…, webhook:URL or file:PATH.")
@click.option("--settle", default=SETTLE, show_default=True, type=click.FloatRange(min=0),
              help="Seconds between the two looks that learn what changes by itself.")  # fmt: skip
@home_option
def add_(home: str | None, url: str, *, rows: bool, settle: float, **options: Any) -> None:
    """Watch the page at URL: its main text, rows or a check."""
    options["every"] = seconds(options["every"])
    check_words(options["when"], options["notify"])
    if rows and (options["check"] or options["rendered"]):
        raise UsageError("--rows goes neither with --check nor --rendered.")
    if not rows and (options["selector"] or options["fields"]):
        raise UsageError("--selector and --fields are for --rows.")
    mode: Any = "rows" if rows else "check" if options["check"] else "text"
    config, watches = _opened(home)
    new = Watch(id=new_id(), url=with_scheme(url), mode=mode, **options)

    async def adding() -> Watch:
        async with open_web(config) as web:
            return await add(web, watches, new, settle)

    added = asyncio.run(adding())
    click.echo(f"{added.id} {added.url}: {len(added.items)} items")
    for rule in added.rules:
        click.echo(f"ignored, as it changes by itself: {json.dumps(rule, ensure_ascii=False)}")


@watch.command("run")
@click.option("--once", is_flag=True, help="Look at what is due and end, as from cron.")
@home_option
def run_(home: str | None, *, once: bool) -> None:
    """Look at the pages that are due, until it is ended."""
    config, watches = _opened(home)

    async def running() -> None:
        async with open_web(config) as web:
            await run(web, watches, click.echo, once=once)

    with suppress(KeyboardInterrupt):
        asyncio.run(running())


@watch.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a watch.")
@home_option
def list_(home: str | None, *, as_json: bool) -> None:
    """List the watches with their states."""
    for item in _opened(home)[1].all():
        brief = {k: v for k, v in asdict(item).items() if k not in ("items", "rules")}
        click.echo(json.dumps(brief) if as_json else watch_line(item))


@watch.command()
@click.argument("name", metavar="URL|ID")
@click.option("--limit", default=20, show_default=True, help="How many changes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a change.")
@home_option
def show(home: str | None, name: str, limit: int, *, as_json: bool) -> None:
    """Show the rules and the last changes of a watch, the newest first."""
    watches = _opened(home)[1]
    match = watches.find(name)
    if not as_json:
        click.echo(f"{match.id} {match.url}: {match.state}, every {match.every:g} s")
        for rule in match.rules:
            click.echo(f"ignored: {json.dumps(rule, ensure_ascii=False)}")
    for change in watches.changes(match, limit):
        click.echo(json.dumps(change, ensure_ascii=False) if as_json else change_line(change))


@watch.command()
@click.argument("name", metavar="URL|ID")
@home_option
def remove(home: str | None, name: str) -> None:
    """Forget a watch with its changes."""
    watches = _opened(home)[1]
    match = watches.find(name)
    watches.remove(match)
    click.echo(f"Removed {match.id} {match.url}.")
