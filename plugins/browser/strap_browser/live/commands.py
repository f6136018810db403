"""`strap live`: open what happens in the browsers of this machine's strap processes."""

import webbrowser
from pathlib import Path
from typing import Any

import click

from strap import ActionError, Config
from strap_browser.common.cli_options import home_option
from strap_browser.live.local_socket import ask, sockets


@click.command()
@click.argument("place", required=False, metavar="[ID]")
@click.option("--print", "only_print", is_flag=True, help="Print the link and open nothing.")
@click.option("--watch-only", is_flag=True, help="The link lets nobody take control.")
@home_option
def live(place: str | None, home: str | None, *, only_print: bool, watch_only: bool) -> None:
    """Watch what agents do in the browser.

    Opens a page with what the running strap processes of the data directory do; ID is that of a
    place or a run.
    """
    path = _chosen(Config.load(home=home).home, place)
    question = {"op": "link", "role": "watch" if watch_only else "control", "place": place}
    told = ask(path, question) or {"error": "The process has ended."}
    if "url" not in told:
        raise ActionError(str(told.get("error", "The process gave no link.")))
    if only_print or not webbrowser.open(told["url"]):
        click.echo(told["url"])


def _chosen(home: Path, place: str | None) -> Path:
    """Return the socket of the process to watch; asks where there are several."""
    found = [(path, told) for path in sockets(home) if (told := ask(path, {"op": "list"}))]
    if place is not None:
        found = [(path, told) for path, told in found if _has(told, place)] or found[:0]
    if not found:
        raise ActionError(
            "Nothing to watch: no strap process with a browser runs."
            if place is None
            else f"No running strap process has {place!r}.",
            hint="It is there a second after the browser is first used.",
        )
    if len(found) == 1:
        return found[0][0]
    for at, (_, told) in enumerate(found, 1):
        click.echo(f"{at}  {_line(told)}", err=True)
    number: int = click.prompt("Which", type=click.IntRange(1, len(found)), default=1, err=True)
    path: Path = found[number - 1][0]
    return path


def _has(told: dict[str, Any], place: str) -> bool:
    return any(place in (each["id"], each.get("run")) for each in told["places"])


def _line(told: dict[str, Any]) -> str:
    places = told["places"]
    what = ", ".join(f"{each['kind']} {each['title']!r}" for each in places[:3])
    return f"process {told['pid']}: {what or 'no pages'}"
