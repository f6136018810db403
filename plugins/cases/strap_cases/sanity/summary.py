"""Summary of a run of scenarios: lines for the terminal, reports for people and programs."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from strap import write_atomically
from strap_cases.reports import junit, page
from strap_cases.sanity.bundle import code
from strap_cases.sanity.scenarios import CLASSES

COLOURS = {"pass": "green", "soft_fail": "yellow", "hard_fail": "red"}
FAILED, BROKEN = 1, 3
"""Exit statuses: something is worse than expected; only infrastructure failed."""
LONGEST = 300
"""Characters of a reason on the terminal."""
Record = Mapping[str, Any]


class Terminal:
    """Writes a line for each scenario as it ends, and one for all; `ids` are to come."""

    def __init__(self, ids: Sequence[str], number: int) -> None:
        self._width = max(map(len, ids), default=0)
        self._number = number
        self._count = 0
        self._colour = False if os.environ.get("NO_COLOR") else None

    def finished(self, record: Record) -> None:
        """Tell of a scenario, and why where it is worse than expected."""
        self._count += 1
        of = record["class"]
        head = click.style(f"{of if record['as_expected'] else of.upper():10}", fg=COLOURS[of])
        place = f"[{self._count:{len(str(self._number))}}/{self._number}]"
        facts = f"{record['seconds']:5.1f} s  {record['steps']:2} steps"
        beside = [*record["flags"], *(["as expected"] if of == "soft_fail" else [])]
        if not record["as_expected"]:
            beside = record["flags"]
        line = f"{place} {head} {record['id']:{self._width}}  {facts}  {', '.join(beside)}"
        self._say(line.rstrip())
        if not record["as_expected"]:
            indent = " " * (len(place) + 12)
            self._say(f"{indent}expected {record['expected']}; rule {record['rule']}")
            for reason in record["reasons"]:
                self._say(f"{indent}{reason[:LONGEST]}")
            self._say(f"{indent}evidence: {record['folder']}")

    def ended(self, records: Sequence[Record], *, seconds: float, out: Path) -> None:
        """Tell of all scenarios."""
        self._say(f"{counted(records)} in {seconds:.0f} s. Bundle: {out}")

    def _say(self, line: str) -> None:
        click.echo(line, color=self._colour)


def counted(records: Sequence[Record]) -> str:
    """Return how many are as expected, and how many are of each class."""
    counts = Counter(record["class"] for record in records)
    parts = ", ".join(f"{counts[name]} {name}" for name in CLASSES if counts[name])
    good = sum(record["as_expected"] for record in records)
    return f"{good} of {len(records)} as expected ({parts or 'nothing was run'})"


def exit_status(records: Sequence[Record]) -> int:
    """Return 0 where all is as expected or better, 3 where only infrastructure failed, else 1."""
    worse = [record for record in records if not record["as_expected"]]
    if not worse:
        return 0
    return BROKEN if all("infrastructure" in record["flags"] for record in worse) else FAILED


def write_reports(records: Sequence[Record], out: Path) -> None:
    """Write `report.md`, `junit.xml` and `index.html`; raises `OSError`."""
    write_atomically(out / "report.md", "\n".join(_markdown(records)).encode("utf-8", "replace"))
    as_cases = [_as_case(record, out) for record in records]
    junit.write(as_cases, out / "junit.xml")
    page.write(as_cases, out / "index.html")


def _markdown(records: Sequence[Record]) -> Iterator[str]:
    yield from ("# Sanity", "", counted(records), "")
    yield "| scenario | model | class | expected | rule | stop reason | steps | time | flags |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for record in records:
        cells = (
            f"[{record['id']}]({record['folder']}/transcript.md)",
            record["model"],
            record["class"] if record["as_expected"] else f"**{record['class']}**",
            record["expected"],
            record["rule"],
            record["stop_reason"] or "none",
            record["steps"],
            f"{record['seconds']:.1f} s",
            ", ".join(record["flags"]),
        )
        yield f"| {' | '.join(map(str, cells))} |"
    for record in records:
        if not record["as_expected"]:
            yield from ("", f"## {record['id']} ({record['model']})", "")
            yield from (f"- {code(reason)}" for reason in record["reasons"])
    yield ""


def _as_case(record: Record, out: Path) -> dict[str, Any]:
    status = "passed" if record["as_expected"] else "failed"
    if status == "failed" and "infrastructure" in record["flags"]:
        status = "error"
    reason = "; ".join(record["reasons"])
    shots = sorted(
        (out / record["folder"] / "screenshots").glob("step-*"),
        key=lambda path: int(path.stem.rpartition("-")[2]),
    )
    attempt = {
        "number": 1,
        "status": status,
        "reason": reason,
        "steps": record["steps"],
        "runs": [],
        "acts": record["acts"],
        "checks": record["checks"],
        "word": record["status"],
        "says": record["result"] or "",
        "notes": [f"The agent's answer: {record['result']}"] if record["result"] else [],
        "picture": str(shots[-1]) if shots else "",
    }
    return {
        "file": record["file"],
        "line": record["line"],
        "name": f"{record['id']} ({record['model']}, {record['number']})",
        "tags": record["tags"],
        "status": status,
        "reason": f"{record['class']}: {reason}" if reason else record["class"],
        "flags": record["flags"],
        "seconds": record["seconds"],
        "attempts": [attempt],
    }
