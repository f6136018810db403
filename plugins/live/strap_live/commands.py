"""`strap live`: open what happens in the browsers of this machine's strap processes."""

import asyncio
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from strap import ActionError, Config, Diagnosis, open_router
from strap_browser.api import home_option
from strap_live.local_socket import ask, sockets


@click.command()
@click.argument("place", required=False, metavar="[ID]")
@click.option("--print", "only_print", is_flag=True, help="Print the link and open nothing.")
@click.option("--watch-only", is_flag=True, help="The link lets nobody take control.")
@home_option
def live(place: str | None, home: str | None, *, only_print: bool, watch_only: bool) -> None:
    """Watch what agents do in the browser.

    Opens a page with what the running strap processes of the data directory do, and with the runs
    of the agent that are kept; where no process runs, with these alone, until Ctrl-C. ID is that of
    a place or a run.
    """
    config = Config.load(home=home)

    def show(url: str) -> None:
        if only_print or not webbrowser.open(url):
            click.echo(url)

    path = _chosen(config.home, place)
    if path is None:
        with suppress(KeyboardInterrupt):
            asyncio.run(_look_back(config, place, show))
        return
    question = {"op": "link", "role": "watch" if watch_only else "control", "place": place}
    answer = ask(path, question) or {"error": "The process has ended."}
    if "url" not in answer:
        raise ActionError(str(answer.get("error", "The process gave no link.")))
    show(answer["url"])


def diagnose(config: Config) -> Diagnosis:
    """Say whether it is on, where it would listen, and which processes can be watched."""
    from strap_browser.api import BrowserSettings

    settings = config.settings("browser", BrowserSettings).live
    if not settings.enabled:
        return Diagnosis(subject="browser live", ok=True, detail="off (enabled = false)")
    processes = [
        processes for path in sockets(config.home) if (processes := ask(path, {"op": "list"}))
    ]
    where = settings.public_url or "127.0.0.1, on demand"
    port = settings.port or "any port"
    watched = ", ".join(_line(process) for process in processes) or "no process to watch"
    return Diagnosis(subject="browser live", ok=True, detail=f"on ({where}, {port}); {watched}")


async def _look_back(config: Config, run: str | None, show: Callable[[str], None]) -> None:
    from strap_browser.api import BrowserSettings, CallLog
    from strap_live.admission import Grant
    from strap_live.view import LiveView

    settings = config.settings("browser", BrowserSettings).live
    async with open_router(config=config) as router:
        view = LiveView(
            settings, router.guard, {}, lambda: (), CallLog(), config.home, lambda _: router.guard
        )
        try:
            place = view.history.find(Grant(role="watch"), run) if run else None
            if run and place is None:
                raise ActionError(
                    f"There is no place and no run {run!r}.",
                    hint="`strap runs list` names the runs that are kept.",
                )
            show(await view.link(Grant(role="watch", place=place)))
            click.echo("No strap process runs: these runs are kept. Ctrl-C ends it.", err=True)
            await view.ended.wait()
        finally:
            await view.aclose()


def _chosen(home: Path, place: str | None) -> Path | None:
    processes = [
        (path, process) for path in sockets(home) if (process := ask(path, {"op": "list"}))
    ]
    if place is not None:
        processes = [(path, listed) for path, listed in processes if _has(listed, place)]
    if not processes and place is None and not (home / "runs").is_dir():
        raise ActionError(
            "Nothing to watch: no strap process with a browser runs, and no run is kept.",
            hint="A process is found a second after its browser is first used.",
        )
    if not processes:
        return None
    if len(processes) == 1:
        return processes[0][0]
    for at, (_, process) in enumerate(processes, 1):
        click.echo(f"{at}  {_line(process)}", err=True)
    number: int = click.prompt("Which", type=click.IntRange(1, len(processes)), default=1, err=True)
    path: Path = processes[number - 1][0]
    return path


def _has(process: dict[str, Any], place: str) -> bool:
    return any(place in (shown["id"], shown.get("run")) for shown in process["places"])


def _line(process: dict[str, Any]) -> str:
    places = process["places"]
    what = ", ".join(f"{place['kind']} {place['title']!r}" for place in places[:3])
    return f"process {process['pid']}: {what or 'no pages'}"
