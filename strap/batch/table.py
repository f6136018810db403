"""The rows of a batch as a table."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from strap.batch.rows import COLUMNS, Row
from strap.batch.sources import TABLE
from strap.errors import StartupError, UsageError
from strap.json.writing import to_json

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that spreadsheets run as formulas."""
ROWS = 1000
"""Rows that are written to Parquet at a time."""
Record = dict[str, Any]


def export(rows: Iterable[Row], path: Path, inputs: Mapping[str, Any] | None = None) -> int:
    """Write rows in the format of the file's suffix and return how many; raises `UsageError`."""
    if path.suffix not in _WRITERS:
        valid = ", ".join(_WRITERS)
        raise UsageError(f"{path} is of no kind that is known (valid: {valid}).")
    part = path.with_name(f".{path.name}.part")
    try:
        number = _WRITERS[path.suffix](_records(rows, inputs), part, _columns(inputs))
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return number


def _columns(inputs: object) -> tuple[str, ...]:
    return COLUMNS if inputs is None else (*COLUMNS, "input")


def _records(rows: Iterable[Row], inputs: Mapping[str, Any] | None) -> Iterator[Record]:
    for row in rows:
        record = asdict(row)
        if inputs is not None:
            entry = inputs.get(row.key)
            record["input"] = "" if entry is None else to_json(entry)
        yield record


def _json_lines(records: Iterator[Record], path: Path, columns: tuple[str, ...]) -> int:
    number = 0
    with path.open("w", encoding="utf-8") as file:
        for number, record in enumerate(records, 1):  # noqa: B007 - counted
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return number


def _csv(records: Iterator[Record], path: Path, columns: tuple[str, ...]) -> int:
    number = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for number, record in enumerate(records, 1):  # noqa: B007 - counted
            writer.writerow({name: _cell(value) for name, value in record.items()})
    return number


def _cell(value: Any) -> Any:
    """Return a text as one that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _parquet(records: Iterator[Record], path: Path, columns: tuple[str, ...]) -> int:
    if TABLE.missing:
        raise StartupError("Parquet needs the extra 'table'.", hint=f"Install it: {TABLE.install}")
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = {"index": "int64", "attempts": "int32", "losses": "int32", "retryable": "bool"}
    kinds |= dict.fromkeys(("started", "seconds", "waited"), "float64")
    types = pa.schema([(name, kinds.get(name, "string")) for name in columns])
    number = 0
    with ParquetWriter(path, types) as writer:
        while some := list(islice(records, ROWS)):
            number += len(some)
            writer.write_table(pa.Table.from_pylist(some, types))
    return number


_WRITERS: Mapping[str, Callable[[Iterator[Record], Path, tuple[str, ...]], int]] = {
    ".jsonl": _json_lines,
    ".csv": _csv,
    ".parquet": _parquet,
}
