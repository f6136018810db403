"""Results of the previous run, from its journal."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from strap import UsageError, is_torn, read_journal

WRONG = ("failed", "not_finished", "error")
Record = Mapping[str, Any]


def tell_torn(journal: Path) -> None:
    """Tell of an unfinished last line; raises `OSError`."""
    if is_torn(journal):
        click.echo(f"The last line of {str(journal)!r} was not whole, and is left out.", err=True)


def latest(records: Iterable[Record]) -> list[Record]:
    """Return the last record of each case: a resumed run makes states anew."""
    return list({record["id"]: record for record in records}.values())


def finished(report: Path) -> set[str]:
    """Return the ids of cases that have a result; none where there was no run."""
    return {record["id"] for record in _records(report)}


def failed(report: Path) -> set[str]:
    """Return the ids of cases that did not pass; raises `UsageError` where there was no run."""
    if not (report / "journal.jsonl").exists():
        what = f"There was no run whose report is in {str(report)!r}."
        raise UsageError(what, hint="Run all cases first, or name its folder with --report.")
    records = _records(report)
    tell_torn(report / "journal.jsonl")
    return {record["id"] for record in records if _is_wrong(record)}


def _records(report: Path) -> list[Record]:
    try:
        return latest(read_journal(report / "journal.jsonl"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"The journal in {str(report)!r} cannot be read: {error}.") from None


def _is_wrong(record: Record) -> bool:
    """Whether a case is to be run again; one whose state could not be made was not run at all."""
    return record["status"] in WRONG or bool(record.get("waited_for"))
