"""Reports of runs that there were, of parts of them together as well, from their journals."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from strap import Journal, UsageError, read_journal
from strap_cases.reports.page import WORST_FIRST
from strap_cases.running.previous_run import latest, tell_torn
from strap_cases.running.run import write_reports

Record = Mapping[str, Any]


def merge(
    folders: Sequence[Path], report: Path, junit: Path | None, *, quiet: bool
) -> list[Record]:
    """Merge reports of `folders`, the worst result of a case winning; raises `UsageError`."""
    merged: dict[str, Record] = {}
    for record in (record for folder in folders for record in _records(folder)):
        other = merged.get(record["id"])
        if other is None or _badness(record) < _badness(other):
            merged[record["id"]] = record
    records = sorted(merged.values(), key=lambda record: (record["file"], record["line"]))
    try:
        report.mkdir(parents=True, exist_ok=True)
        if report.resolve() not in {folder.resolve() for folder in folders}:
            with Journal(report / "journal.jsonl") as journal:
                journal.clear()
                for record in records:
                    journal.append(record)
                journal.sync()
        write_reports(records, report, junit, quiet=quiet)
    except OSError as error:
        what = f"The report cannot be written to {str(report)!r}: {error.strerror}."
        raise UsageError(what, hint="Name another folder with --report.") from None
    return records


def _badness(record: Record) -> int:
    return WORST_FIRST.index(record["status"])


def _records(folder: Path) -> Iterator[Record]:
    path = folder / "journal.jsonl"
    try:
        records = latest(read_journal(path))
        tell_torn(path)
    except FileNotFoundError:
        what = f"There is no run in {str(folder)!r}: it has no journal.jsonl."
        raise UsageError(what, hint="Name the folders that --report named.") from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    for record in records:
        yield {**record, "attempts": [_located(attempt, folder) for attempt in record["attempts"]]}


def _located(attempt: Record, folder: Path) -> Record:
    """Name a picture where it is now: the folder of a run may have been moved here."""
    picture = attempt.get("picture")
    moved = folder / "pictures" / Path(picture).name if picture else None
    return {**attempt, "picture": str(moved)} if moved is not None and moved.is_file() else attempt
