"""`strap runs`: look at the stored runs of the agent, from any process and after a restart."""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from strap import ActionError, Config, Diagnosis, UsageError
from strap.text import counted
from strap_agent.models.agent_extra import AGENT
from strap_agent.models.select import choose
from strap_agent.recovery import open_store
from strap_agent.store.archive import archive, whole
from strap_agent.store.archive import events as events_of
from strap_agent.store.database import damage
from strap_agent.store.index import Index
from strap_agent.store.records import RunRecord
from strap_agent.store.report import EVERYTHING, render
from strap_agent.store.store import Store
from strap_browser.api import BrowserSettings, home_option


@click.group()
def runs() -> None:
    """Look at the stored runs of the browser agent."""


@runs.command("list")
@home_option
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many, the newest first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a run.")
def list_(home: str | None, limit: int, *, as_json: bool) -> None:
    """List runs, newest first."""
    with _store(home) as store:
        records = store.runs(limit=limit) if store else []
    for record in records:
        click.echo(json.dumps(_brief(record)) if as_json else _line(record))
    if not records:
        click.echo(f"No runs are stored in {str(_folder(home))!r}.", err=True)


@runs.command()
@home_option
@click.argument("session_id")
@click.option("--events", is_flag=True, help="Print the events as well, one JSON object a line.")
@click.option("--html", is_flag=True, help="Print the run as one self-contained HTML page.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file instead.")
def show(
    home: str | None, session_id: str, *, events: bool, html: bool, output: Path | None
) -> None:
    """Show a run: its answer, its events, or a report for the browser."""
    with _store(home) as opened:
        store, record = _find(opened, session_id)
        text = render(store, record) if html else _text(store, record, events=events)
    if output is None:
        click.echo(text)
    else:
        _write(output, text.encode())
        click.echo(output)


@runs.command()
@home_option
@click.argument("session_id")
@click.argument("file", type=click.Path(path_type=Path))
def export(home: str | None, session_id: str, file: Path) -> None:
    """Write everything that is stored of a run to FILE, a zip archive."""
    with _store(home) as opened:
        store, record = _find(opened, session_id)
        content = archive(store, record)
    _write(file, content)
    click.echo(file)


@runs.command()
@home_option
@click.option("--days", type=click.FloatRange(min=0), help="Remove what ended earlier than this.")
def prune(home: str | None, days: float | None) -> None:
    """Remove runs older than the configured age, or --days."""
    with _store(home) as store:
        count = store.prune(days=days) if store else 0
    click.echo(f"Removed {counted(count, 'run')}.")


def _folder(home: str | None) -> Path:
    return Config.load(home=home).home / "runs"


@contextmanager
def _store(home: str | None) -> Iterator[Store | None]:
    config = Config.load(home=home)
    settings = config.settings("browser", BrowserSettings)
    root = config.home / "runs"
    if not root.is_dir():
        yield None
        return
    try:
        with closing(
            open_store(root, days=settings.runs_days, megabytes=settings.runs_mb)
        ) as store:
            yield store
            for notice in store.notices():
                click.echo(notice, err=True)
    except sqlite3.Error as error:
        raise ActionError(
            f"The store of runs {str(root)!r} cannot be used: {error}.",
            hint="Look after the disk, and after other processes that use the same STRAP_HOME.",
        ) from None


def diagnose(config: Config) -> Iterator[Diagnosis]:
    """Tell which model would be used, and whether the index of the runs is damaged."""
    if not AGENT.missing_in(config.environments):  # else strap's own line on the extra says it
        yield _model(config.settings("browser", BrowserSettings), config.environments)
    if (environment := _environment(config.environments)) is not None:
        yield environment
    root, subject = config.home / "runs", "agent runs"
    try:
        why = damage(root)
    except sqlite3.Error as error:
        fix = "look after the disk, its room, and other processes that use it"
        detail = f"the index cannot be read now ({error})"
        yield Diagnosis(subject=subject, ok=False, detail=detail, fix=fix)
        return
    if why:
        detail = f"the index is damaged ({why}); a new one takes its place when it is next used"
        yield Diagnosis(subject=subject, ok=False, detail=detail, fix="strap runs list")
    elif aside := sorted(path.name for path in root.glob("index-*.db")):
        detail = f"a damaged index was set aside in {str(root)!r}: {aside[-1]}"
        yield Diagnosis(subject=subject, ok=True, detail=detail)


def _environment(environments: Path | None) -> Diagnosis | None:
    """Tell which environment the agent would run in; None: it is not installed."""
    subject = "agent environment"
    try:
        own = AGENT.own(environments)
    except ActionError as error:
        return Diagnosis(subject=subject, ok=False, detail=error.message, fix=error.hint)
    if own is not None:
        return Diagnosis(subject=subject, ok=True, detail=f"its own: {own.folder}")
    if AGENT.missing:
        return None
    return Diagnosis(subject=subject, ok=True, detail=f"that of strap: {sys.prefix}")


def _model(settings: BrowserSettings, environments: Path | None) -> Diagnosis:
    """Tell which model runs would use; to have none is no mistake."""
    if not settings.model:
        detail = "no model configured; a client's own is used where offered"
        fix = "export STRAP_MODEL=PROVIDER/NAME, and the key of the provider"
        return Diagnosis(subject="browser agent", ok=True, detail=detail, fix=fix)
    try:
        choice = choose(settings, sampling=False, environments=environments)
    except ActionError as error:
        return Diagnosis(subject="browser agent", ok=False, detail=error.message, fix=error.hint)
    detail = "; ".join([f"model {choice.name}", *choice.warnings])
    return Diagnosis(subject="browser agent", ok=True, detail=detail)


def _find(store: Store | None, name: str) -> tuple[Store, RunRecord]:
    runs = store.runs(limit=EVERYTHING) if store else []
    matches = [r for r in runs if name and r.session_id.startswith(name)]
    if store is None or len(matches) != 1:
        problem = "is that of several runs" if matches else "is unknown"
        raise UsageError(f"The run {name!r} {problem}.", hint="`strap runs list` names them.")
    return store, matches[0]


def _write(path: Path, content: bytes) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        raise ActionError(f"Cannot write {str(path)!r}: {error.strerror}.") from None


def _line(record: RunRecord) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.started))
    task = " ".join(record.task.split())[:60]
    state = f"{record.status} {record.stop_reason}".strip()
    return f"{record.session_id}  {when}  {state:24}  {record.steps:3} steps  {task}"


def _brief(record: RunRecord) -> dict[str, Any]:
    return {key: value for key, value in whole(record).items() if key != "answer"}


def _text(store: Index, record: RunRecord, *, events: bool) -> str:
    answer = json.dumps(record.answer or _brief(record), indent=2, ensure_ascii=False)
    return "\n".join([answer, *(events_of(store, record) if events else ())])
