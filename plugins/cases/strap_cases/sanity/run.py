"""One call of `strap sanity`: each model in turn, the bundle around all scenarios, exit status."""

import asyncio
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from strap import Config, Journal, UsageError, make_private, record
from strap_cases.running.run import append, done
from strap_cases.sanity.bundle import FORMAT, write_json
from strap_cases.sanity.harness import LIAR, SCRIPTED, Order, own_children, run_model
from strap_cases.sanity.scenarios import hash_of
from strap_cases.sanity.summary import FAILED, Terminal, exit_status, write_reports

PASSED = ("STRAP_BROWSER_PATH", "STRAP_LOG", "STRAP_NO_SANDBOX")
"""Variables that the scripted runs keep: no other setting of the user's has a part in them."""
PACKAGES = ("strap-web", "browser-use", "mcp", "pydantic", "pluggy")
ENDS = 3.0
"""Seconds for processes to be gone after the last run."""
Record = dict[str, Any]


@record
class Plan(Order):
    """Scenarios to run, with which models."""

    models: Sequence[str]
    file: str | None
    tell: Callable[[Record], None] | None
    """Told of each record instead of the terminal."""


def run(plan: Plan) -> int:
    """Run the scenarios, write the bundle, and return the exit status."""
    began, before = time.monotonic(), own_children()
    number = len(plan.scenarios) * plan.repeat * len(plan.models)
    terminal = Terminal([scenario.id for scenario in plan.scenarios], number)
    records: list[Record] = []
    try:
        make_private(plan.out)
        write_json(plan.out / "environment.json", _environment(plan))
        with Journal(plan.out / "journal.jsonl") as journal:
            status = _run_all(plan, records, journal, plan.tell or terminal.finished)
        left = _left_over(before)
        _write(plan, records, left, seconds=time.monotonic() - began)
    except OSError as error:
        what = f"The bundle cannot be written to {str(plan.out)!r}: {error.strerror}."
        raise UsageError(what, hint="Name another folder with --out.") from None
    if plan.tell is None and records:
        terminal.ended(records, seconds=time.monotonic() - began, out=plan.out)
    if left:
        click.echo(f"Processes are left over: {', '.join(map(str, left))}.", err=True)
    return status or (FAILED if left else exit_status(records))


def _run_all(
    plan: Plan, records: list[Record], journal: Journal, tell: Callable[[Record], None]
) -> int:
    async def keep(record: Record) -> None:
        records.append(record)
        await asyncio.to_thread(append, journal, record)
        tell(record)

    def run_each() -> None:
        for model in plan.models:
            with tempfile.TemporaryDirectory(prefix="strap-sanity-") as folder:
                home = Path(folder)
                asyncio.run(run_model(plan, model, _config(plan, model, home), home, keep))

    return done(run_each, "bundle", "TMPDIR")


def _config(plan: Plan, model: str, home: Path) -> Config:
    network = "local" if plan.local else None
    if model not in (SCRIPTED, LIAR):
        return Config.load(file=plan.file, network=network)
    environ = {name: os.environ[name] for name in PASSED if name in os.environ}
    return Config.load(environ=environ, directory=home, home=home, network=network)


def _left_over(before: set[int]) -> list[int]:
    until = time.monotonic() + ENDS
    while (left := own_children() - before) and time.monotonic() < until:
        time.sleep(0.05)
    return sorted(left)


def _write(plan: Plan, records: list[Record], left: list[int], *, seconds: float) -> None:
    whole = {
        "format": FORMAT,
        "set": hash_of(plan.scenarios),
        "strap": _version("strap-web"),
        "models": list(plan.models),
        "repeat": plan.repeat,
        "seconds": round(seconds, 1),
        "left_over": left,
        "scenarios": records,
    }
    write_json(plan.out / "results.json", whole)
    write_reports(records, plan.out)


def _environment(plan: Plan) -> Record:
    return {
        "versions": {name: _version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "models": list(plan.models),
        "through": plan.through,
        "jobs": plan.jobs,
        "repeat": plan.repeat,
        "set": hash_of(plan.scenarios),
        "scenarios": {scenario.id: scenario.hash for scenario in plan.scenarios},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
