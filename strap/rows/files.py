"""Rows as files: CSV (RFC 4180) and JSON Lines."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

KINDS = (".csv", ".jsonl")


def as_csv(names: Sequence[str], rows: Iterable[dict[str, Any]], *, header: bool = True) -> str:
    """Return rows as CSV, a field that is missing as an empty one."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return out.getvalue()


def as_json_lines(names: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as JSON Lines, a field that is missing as null."""
    lines = ({name: row.get(name) for name in names} for row in rows)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
