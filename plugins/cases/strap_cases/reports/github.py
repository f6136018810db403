"""Annotations and step summary for GitHub's runners (docs.github.com, workflow commands)."""

import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from strap_cases.reports.terminal import place_of, why

MOST_ANNOTATIONS = 10
"""Errors that GitHub shows of a step; it drops the others."""
MOST_ROWS = 500
"""Rows of the summary, which may have 1 MiB."""
LONGEST_REASON = 500
"""Characters in a row."""
GOOD = ("passed", "skipped", "xfailed")
Record = Mapping[str, Any]


def annotations(records: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each case that did not pass, at most `MOST_ANNOTATIONS`."""
    wrong = [record for record in records if record["status"] not in GOOD]
    for record in wrong[:MOST_ANNOTATIONS]:
        title = f"{record['name']}: {record['status'].replace('_', ' ')}"
        where = f"file={_property(record['file'])},line={record['line']},title={_property(title)}"
        yield f"::error {where}::{_data(chr(10).join(why(record)))}"


def summarize(records: Sequence[Record], path: Path) -> None:
    """Add a table of cases to the summary of the step, what is wrong first; raises `OSError`."""
    ordered = sorted(records, key=lambda record: record["status"] in GOOD)
    lines = ["### Test cases", "", "| result | case | place | time | why |", "|-|-|-|-|-|"]
    lines += [_row(record) for record in ordered[:MOST_ROWS]]
    if left := len(ordered) - MOST_ROWS:
        lines += ["", f"and {left} more, in the report"] if left > 0 else []
    with path.open("a", encoding="utf-8", errors="replace") as summary:
        summary.write("\n".join([*lines, "", ""]))


def _row(record: Record) -> str:
    status = record["status"]
    words = [status.replace("_", " "), *record["flags"]]
    reason = record["reason"] if status in GOOD else " ".join(why(record))
    cells = (
        ", ".join(words),
        record["name"],
        place_of(record),
        f"{record['seconds']:.1f} s",
        reason[:LONGEST_REASON],
    )
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    escaped = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"&#{ord(letter)};" if letter in "|`*_[]\\~@#" else letter for letter in escaped)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
