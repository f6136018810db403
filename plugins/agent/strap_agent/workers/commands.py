"""`strap agent`: the agent in an environment of its own."""

import json
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import click

import strap
import strap_agent
import strap_browser.api
from strap import ActionError, Config, OwnEnvironment, make_environment, remove_environment
from strap_agent.models.agent_extra import AGENT
from strap_agent.workers.variables import variables
from strap_browser.api import home_option

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
NEEDED = ("jsonschema", "pydantic", "referencing")
"""Dependencies of strap that the worker imports: the fewer, the freer is browser-use."""
CHECK = "import browser_use, strap_agent.worker.agent_run"
"""Imports that a worker cannot do without."""
PACKAGES = [Path(package.__path__[0]) for package in (strap, strap_browser, strap_agent)]
"""Packages of strap that a worker imports."""


@click.group()
def agent() -> None:
    """Give the browser agent an environment of its own.

    browser-use pins the releases of many libraries. In an environment of its own
    it holds back no other package.
    """


@agent.command()
@home_option
@click.option("--with", "further", multiple=True, metavar="PACKAGE", help="Install this as well.")
@json_option
def install(home: str | None, further: Sequence[str], *, as_json: bool) -> None:
    """Install the agent below the data directory, or anew.

    uv does it where there is one, else pip; indexes are those that are set for them. What is there
    is used until the new one is whole. Servers that run take it with their next run.
    """
    place = _environments(home)
    with _interruptible():
        made = make_environment(
            place,
            AGENT.name,
            packages=PACKAGES,
            needed=NEEDED,
            further=further,
            check=_check,
            tell=lambda line: click.echo(line, err=True),
        )
    click.echo(json.dumps(_facts(made)) if as_json else f"The agent is in {str(made.folder)!r}.")


@agent.command()
@home_option
@json_option
def status(home: str | None, *, as_json: bool) -> None:
    """Tell where the agent is, and whether it can be used.

    Exit status: 0 it can, 1 it cannot.
    """
    facts: dict[str, Any] = {"environment": None, "problem": ""}
    try:
        own = AGENT.own(_environments(home))
    except ActionError as error:
        facts = {"environment": "own", "problem": str(error)}
    else:
        if own is not None:
            facts = _facts(own)
        elif not AGENT.missing:
            facts |= {"environment": "shared", "folder": sys.prefix}
        else:
            facts["problem"] = f"The agent is not installed. Install it: {AGENT.install}"
    click.echo(json.dumps(facts) if as_json else _as_text(facts))
    sys.exit(1 if facts["problem"] else 0)


@agent.command()
@home_option
@json_option
def uninstall(home: str | None, *, as_json: bool) -> None:
    """Remove the agent's own environment.

    What was installed beside strap (the extra `agent`) stays.
    """
    removed, left = remove_environment(_environments(home), AGENT.name)
    if as_json:
        click.echo(json.dumps({"removed": removed, "in_use": left}))
        return
    click.echo("Removed." if removed else "There was none.")
    if left:
        still = "A process of strap still uses it; once that has ended, do this again."
        click.echo(still, err=True)


def _environments(home: str | None) -> Path:
    environments = Config.load(home=home).environments
    assert environments is not None
    return environments


def _check(python: Path, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
    return (str(python), "-P", "-c", CHECK), variables(folder, apart=True)


def _facts(own: OwnEnvironment) -> dict[str, Any]:
    plain = asdict(own) | {"folder": str(own.folder)}
    return {"environment": "own", "problem": ""} | plain


def _as_text(facts: Mapping[str, Any]) -> str:
    if facts["problem"]:
        return str(facts["problem"])
    if facts["environment"] == "shared":
        return f"The agent is in the environment of strap, {facts['folder']!r} (extra 'agent')."
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(facts["seconds"]))
    how = f"by {facts['installer']}, {when}, for strap {facts['strap']}"
    return f"The agent is in an environment of its own, {facts['folder']!r} ({how})."


@contextmanager
def _interruptible() -> Iterator[None]:
    def end(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
