"""One run of cases: journal, reports, exit status."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from strap import Config, Journal, StrapError, UsageError, open_router, record
from strap_cases.cases import Case
from strap_cases.reports import github, junit, page, results
from strap_cases.reports.terminal import Terminal
from strap_cases.running.configuring import at_home, for_cases, forget
from strap_cases.running.engine import Engine, Options
from strap_cases.running.previous_run import latest
from strap_cases.running.readiness import (
    check_addresses,
    check_calls,
    check_recordings,
    check_secrets,
    model_of,
)
from strap_cases.running.results import CaseResult, as_record

FAILED, BROKEN, INTERRUPTED = 1, 3, 130
"""Exit statuses beside 0; 130 is 128 and SIGINT, as shells have it."""
Record = Mapping[str, Any]


@record
class Order(Options):
    """Cases to run, and how."""

    cases: Sequence[Case]
    config: Config
    model: str
    headed: bool
    report: Path
    junit: Path | None
    as_json: bool
    fail_on_flaky: bool
    resume: bool = False
    """Keep what the run before came to; `cases` are those that are left."""


def run(order: Order) -> int:
    """Run cases, keep what became of them, and return the exit status."""
    began = monotonic()
    check_secrets(order.cases, order.config)
    others = [case for case in order.cases if case.setup not in order.config.logins]
    recorded = not order.update and check_recordings(others, order.params, order.replay)
    config = for_cases(
        order.config,
        order.report.absolute() / "data",
        jobs=min(order.jobs, len(order.cases)),
        model=order.model or model_of(order.cases),
        headed=order.headed,
    )
    try:
        with Journal(order.report / "journal.jsonl") as journal:
            if not order.resume:
                journal.clear()
            elif journal.torn:
                click.echo("The last line of the journal was not whole, and is left out.", err=True)
            status = 0
            if order.cases:
                work = partial(_run, order, config, journal, agent=bool(others) and not recorded)
                status = done(lambda: asyncio.run(work()), "report", "--report")
            records = latest(journal.records())
            if status == BROKEN:
                return status
            write_reports(records, order.report, order.junit, quiet=order.as_json)
    except OSError as error:
        what = f"The report cannot be written to {str(order.report)!r}: {error.strerror}."
        hint = "Mend that and go on with --resume, or name another folder with --report."
        raise UsageError(what, hint=hint) from None
    if not order.as_json:
        _terminal(order).ended(
            records, seconds=monotonic() - began, report=str(order.report / "index.html")
        )
    return status or exit_status(records, fail_on_flaky=order.fail_on_flaky)


def write_reports(
    records: Sequence[Record], folder: Path, junit_file: Path | None, *, quiet: bool
) -> None:
    """Write the reports into `folder`, and GitHub's unless `quiet`; raises `OSError`."""
    junit.write(records, junit_file or folder / "junit.xml")
    results.write(records, folder / "results.json")
    page.write(records, folder / "index.html")
    if "GITHUB_ACTIONS" not in os.environ:
        return
    for line in () if quiet else github.annotations(records):
        click.echo(line)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        github.summarize(records, Path(summary))


def done(work: Callable[[], None], kept_in: str, moved_by: str) -> int:
    """Do the work of a run; returns the exit status where something keeps it from its end.

    `kept_in` is what holds that which had finished then, as in "report"; `moved_by` is what moves
    the data directory of the run.
    """
    try:
        work()
    except KeyboardInterrupt:
        click.echo(f"Interrupted: what had finished is in the {kept_in}.", err=True)
        return INTERRUPTED
    except UsageError:
        raise
    except StrapError as error:
        click.echo(f"strap: {at_home(error, moved_by)}", err=True)
        return BROKEN
    return 0


async def _run(order: Order, config: Config, journal: Journal, *, agent: bool) -> None:
    terminal = _terminal(order)

    async def tell(result: CaseResult) -> None:
        record = as_record(result, order.report / "pictures")
        await asyncio.to_thread(append, journal, record)
        if order.as_json:
            click.echo(json.dumps(record, ensure_ascii=False))
        else:
            terminal.finished(record)

    try:
        async with open_router(config=config) as router:
            check_calls(order.cases, router)
            await check_addresses(order.cases, router)
            engine = Engine(router, order)
            await engine.prepare(agent=agent)
            left = await engine.run(order.cases, tell)
            if left:
                click.echo(f"Not begun: {left} of the cases; {engine.stopped}.", err=True)
    finally:
        forget(config.home, order.config)


def exit_status(records: Sequence[Record], *, fail_on_flaky: bool = False) -> int:
    """Return what the results come to."""
    statuses = {record["status"] for record in records}
    flaky = fail_on_flaky and any("flaky" in record["flags"] for record in records)
    if statuses & {"failed", "not_finished"} or flaky:
        return FAILED
    return BROKEN if "error" in statuses else 0


def append(journal: Journal, record: Record) -> None:
    """Put a record on the disk: whatever becomes of the run, it is there."""
    journal.append(record)
    journal.sync()


def _terminal(order: Order) -> Terminal:
    places = [f"{case.path.as_posix()}:{case.line}" for case in order.cases]
    return Terminal(places)
