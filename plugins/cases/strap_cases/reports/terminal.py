"""Lines about cases as they finish, and about the whole at the end."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

COLOURS = {"passed": "green", "skipped": "yellow", "xfailed": "yellow"}
WORDS = {"passed": "ok", "skipped": "skipped", "xfailed": "xfailed", "error": "ERROR"}
ORDER = ("passed", "failed", "not_finished", "error", "xfailed", "skipped")
TOLD = ("replayed", "healed", "drift", "flaky", "by word", "by judge")
"""Flags that say how a case passed."""
TOLD_OF_RECORDINGS = ("healed", "drift", "outdated", "not recorded")
INDENT = " " * 13
LONGEST_NAME = 44
"""Characters of a name beside which the times still stand in a column."""
LONGEST_SAID = 300
"""Characters of what the agent said."""
MOST_TROUBLE = 3
"""Errors of the page that are told; the report has more."""
Record = Mapping[str, Any]


class Terminal:
    """Writes to the terminal; `places` are those of all cases, so that columns are even."""

    def __init__(self, places: Sequence[str]) -> None:
        self._width = max(map(len, places), default=0)
        self._colour = False if os.environ.get("NO_COLOR") else None

    def finished(self, record: Record) -> None:
        """Tell of a case, and why where it did not pass."""
        status = record["status"]
        word = WORDS.get(status, status.upper())
        place = place_of(record)
        head = click.style(f"{word:12}", fg=COLOURS.get(status, "red"))
        took = f"{record['seconds']:6.1f} s" if record["attempts"] else ""
        line = (
            f"{head} {place:{self._width}}  {record['name']:{LONGEST_NAME}} {took}{_beside(record)}"
        )
        self._say(line.rstrip())
        if status not in ("passed", "skipped"):
            for reason in why(record):
                self._say(f"{INDENT}{reason}")
        elif status == "skipped":
            self._say(f"{INDENT}{record['reason']}")
        if recording := of_recording(record):
            self._say(f"{INDENT}{recording}")

    def ended(self, records: Sequence[Record], *, seconds: float, report: str) -> None:
        """Tell of all cases."""
        counts = Counter(record["status"] for record in records)
        parts = [
            f"{counts[status]} {status.replace('_', ' ')}" for status in ORDER if counts[status]
        ]
        flags = Counter(flag for record in records for flag in record["flags"])
        parts += [f"{flags[flag]} of them {flag}" for flag in TOLD if flags[flag]]
        took = f"{seconds:.0f} s{taken(records)}"
        self._say(f"{', '.join(parts) or 'nothing was run'} in {took}. Report: {report}")

    def _say(self, line: str) -> None:
        click.echo(line, color=self._colour)


def taken(records: Sequence[Record]) -> str:
    """Return how many tokens models took for cases, as the end of a list; "" for none."""
    used = [record["usage"] for record in records if record.get("usage")]
    calls = sum(usage["model_calls"] for usage in used)
    counts = [usage["input_tokens"] for usage in used] + [usage["output_tokens"] for usage in used]
    if not calls:
        return ""
    known = [count for count in counts if count is not None]
    return (
        f", {sum(known):,} tokens" if len(known) == len(counts) else f", {calls:,} calls of models"
    )


def place_of(record: Record) -> str:
    """Return where a case stands."""
    return f"{record['file']}:{record['line']}"


def of_recording(record: Record) -> str:
    """Return what is to be told of a recording: not that it was replayed, or is there now."""
    recording = record.get("recording") or {}
    is_shown = (
        recording.get("came_to") in TOLD_OF_RECORDINGS and recording["why"] != record["reason"]
    )
    if not is_shown or not record["attempts"]:
        return ""
    return f"{recording['came_to']}: {recording['why']}"


def unmet(record: Record) -> list[str]:
    """Return a line for each check of the last attempt that is not met, with what was seen."""
    checks = record["attempts"][-1]["checks"] if record["attempts"] else []
    how = {None: "cannot be known", False: "seen"}
    return [
        f"line {check['line']}: `{check['check']}`  {how[check['met']]}: {check['seen']}"
        for check in checks
        if check["met"] is not True
    ]


def why(record: Record) -> Iterator[str]:
    """Yield lines that say why a case did not pass."""
    if not record["attempts"]:
        yield record["reason"]
        return
    last = record["attempts"][-1]
    wrong = unmet(record)
    yield from wrong
    if not wrong or record["status"] == "xfailed":
        yield record["reason"]
    text = f"the agent said {last['word'] or 'nothing clear'}"
    if last["says"] and last["word"] != "completed":
        text += f": {' '.join(last['says'].split())[:LONGEST_SAID]}"
    if last["runs"] and last.get("how") != "replay":
        yield text
    yield from last["notes"]
    yield from last.get("trouble", ())[-MOST_TROUBLE:]
    if last.get("ended"):
        yield f"in the end: {last['ended']}"
    yield from (f"recorded: {path}" for path in last.get("evidence", ()))
    if last.get("picture"):
        yield f"picture: {last['picture']}"


def _beside(record: Record) -> str:
    steps = sum(attempt["steps"] for attempt in record["attempts"])
    parts = [f"{steps} step{'' if steps == 1 else 's'}"] if steps else []
    if len(record["attempts"]) > 1:
        parts.append(f"{len(record['attempts'])} attempts")
    return "".join(f"  {part}" for part in (*parts, *record["flags"]))
