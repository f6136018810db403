"""What the actions `extract` share: their fields, having a page read, and the answer."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

from pydantic import BeforeValidator, Field

from strap.api.outputs import Outputs
from strap.api.params import Params
from strap.api.results import DEFAULT_MAX_TOKENS, Result, count_tokens
from strap.errors import ActionError, UsageError
from strap.rows.files import KINDS, as_csv, as_json_lines
from strap.workers.pool import Job, Workers

SECONDS = 3.0
"""Computing that reading a page for rows may take."""
SAMPLE = 3
"""Rows that an answer shows of those in a file."""
_CELL = 200
"""Characters of a value that an answer shows."""
_NOTE = 60
"""Tokens that are left for the line about the rest."""


def _as_lines(rules: Any) -> Any:
    """Take an object of names and selectors for rules: that is how some models write them."""
    if isinstance(rules, dict):
        return "\n".join(f"{name}: {where}" for name, where in rules.items())
    return rules


def _as_json(schema: Any) -> Any:
    return json.dumps(schema) if isinstance(schema, dict) else schema


class RowFields(Params):
    """Which rows to take out of a page."""

    selector: str | None = Field(default=None, min_length=1, max_length=2_000)
    """CSS selector of the records; left out: what the page repeats."""
    value: Annotated[str | None, BeforeValidator(_as_lines)] = Field(
        default=None, min_length=1, max_length=10_000
    )
    """Fields of a record, one a line, as in `price: .price` or `url: a@href`: CSS below the record,
    then `@` and an attribute. Left out: all that the records have in common."""
    schema_: Annotated[str | None, BeforeValidator(_as_json)] = Field(
        default=None, alias="schema", max_length=50_000
    )
    """JSON Schema that each row must fit; numbers are read for fields of that type."""
    limit: int | None = Field(default=None, ge=1, le=20_000)
    """Number of rows."""
    start: int = Field(default=0, ge=0)
    """Rows to pass over, as the previous answer named it."""
    output: str | None = Field(default=None, min_length=1, max_length=1_024)
    """New file in the output folder, .csv or .jsonl, that takes all rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rows:
    """Rows of one page or several: values by the `names` of columns, those that there are.

    `selector` finds the records on the page at `url`; `notes` tell what is missing.
    """

    names: Sequence[str]
    rows: Sequence[dict[str, Any]]
    selector: str
    url: str
    notes: Sequence[str] = field(default=())

    def with_more(self, more: "Rows") -> "Rows":
        """Return these rows and those of a further page."""
        names = dict.fromkeys((*self.names, *more.names))
        return replace(self, names=tuple(names), rows=(*self.rows, *more.rows), notes=more.notes)

    def noted(self, note: str) -> "Rows":
        """Return the same with a further note."""
        return replace(self, notes=(*self.notes, note)) if note else self


def rows_file(params: RowFields, outputs: Outputs) -> Path | None:
    """Return the file that shall take the rows, None where none is asked for.

    Raises `UsageError` for what can be none, `ActionError` (code "output") for one that exists.
    """
    if params.output is None:
        return None
    path = outputs.resolve(params.output)
    if path.suffix.lower() not in KINDS:
        raise UsageError(
            f"output={params.output!r} is neither .csv nor .jsonl.", hint="As in output='rows.csv'."
        )
    if params.start:
        raise UsageError("output takes all rows: it goes not with start.")
    if path.exists():
        raise ActionError(
            f"{str(path)!r} exists already.", hint="Name another file.", code="output"
        )
    return path


async def read_rows(
    page: str,
    url: str,
    params: RowFields,
    workers: Workers,
    *,
    function: str = "strap.rows.extraction:extract",
    first: int = 1,
) -> Rows:
    """Return the rows of the HTML `page` from `url`; `first` is the number of the first one.

    `function` is what the worker calls in place of `extract`, with the same arguments. Raises
    `UsageError` for rules, a selector or a schema that are none, `ActionError` with code
    "no_records" where nothing matches, "schema" for a row that does not fit, "too_long".
    """
    job = Job(
        function=function,
        payload=page.encode("utf-8", "replace"),
        arguments={
            "url": url,
            "selector": params.selector or "",
            "rules": params.value or "",
            "schema": params.schema_ or "",
            "first": first,
        },
        seconds=SECONDS,
    )
    found = await workers.do(job)
    if found is None:
        raise ActionError(
            f"Taking rows out of {len(page):,} characters takes too long, or too much memory.",
            hint="Give selector, and simpler rules in value.",
            code="too_long",
        )
    facts = found.facts
    if facts["about"]:
        _refuse(params, **{key: facts[key] for key in ("about", "problem", "candidates")})
    rows = await asyncio.to_thread(_parsed, found.text)
    notes = ("The page has more than is read.",) if facts["cut"] else ()
    return Rows(names=facts["names"], rows=rows, selector=facts["selector"], url=url, notes=notes)


def _parsed(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.split("\n") if line]


def _refuse(params: RowFields, *, about: str, problem: str, candidates: list[str]) -> NoReturn:
    if about == "row":
        raise ActionError(
            f"{problem.rstrip('.')}.",
            hint="Mend the rule of that field in value, or the schema.",
            code="schema",
        )
    if about == "records":
        there = "; ".join(candidates)
        raise ActionError(
            f"{problem} There is: {there}." if there else problem,
            hint="Give selector, and value with rules." if there else "Look at the page first.",
            code="no_records",
        )
    given = {"selector": params.selector, "value": params.value, "schema": params.schema_}
    shown = " ".join(str(given[about]).split())
    shown = shown if len(shown) <= _CELL else f"{shown[:_CELL]}…"
    example = {"value": " As in value='price: .price'."}.get(about, "")
    raise UsageError(f"{about}={shown!r} {problem}.{example}")


async def answer_rows(
    found: Rows, params: RowFields, outputs: Outputs, max_tokens: int | None
) -> Result:
    """Return the answer: rows as CSV up to the budget, or the first of those that went to a file.

    Raises `UsageError` for a `start` behind the end.
    """
    total = len(found.rows)
    if params.start and params.start >= total:
        raise UsageError(f"start={params.start} is behind the end: there are {total:,} rows.")
    until = params.start + (params.limit or total)
    wanted = found.rows[params.start : until]
    path = rows_file(params, outputs)
    names = ", ".join(found.names)
    if path is not None:
        await asyncio.to_thread(_write, path, found, wanted, outputs)
        shown = list(wanted[:SAMPLE])
        head = f"{len(wanted):,} rows in {path}: {names}"
        text, end = await _listed(head, found, shown, max_tokens)
        if len(wanted) > end:
            text += f"\n… {len(wanted) - end:,} more rows in the file"
    else:
        text, shown, end = await _shown(found, wanted, params, max_tokens)
    following = None if path is not None or params.start + end >= total else params.start + end
    data: dict[str, Any] = {
        "url": found.url,
        "selector": found.selector,
        "columns": list(found.names),
        "rows": shown,
        "total": total,
        "next_start": following,
    }
    return Result(text=text, data=data | ({"path": str(path)} if path is not None else {}))


async def _shown(
    found: Rows, wanted: Sequence[dict[str, Any]], params: RowFields, max_tokens: int | None
) -> tuple[str, list[dict[str, Any]], int]:
    total = len(found.rows)
    names = ", ".join(found.names)
    of = f" of {total:,}" if len(wanted) < total else ""
    where = f" (at {found.selector})" if found.selector and not params.selector else ""
    head = f"{len(wanted):,}{of} rows{where}: {names}"
    text, end = await _listed(head, found, wanted, max_tokens)
    left = total - params.start - end
    if left > 0:
        text += f"\n… {left:,} more rows (start={params.start + end})"
    return text, list(wanted[:end]), end


async def _listed(
    head: str, found: Rows, rows: Sequence[dict[str, Any]], max_tokens: int | None
) -> tuple[str, int]:
    """Return head, notes and the rows that fit, and how many those are."""
    lines = [head, *(f"[{note}]" for note in found.notes)]
    room = (max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join(lines)) - _NOTE
    for number, row in enumerate(rows):
        line = as_csv(found.names, [_brief(row)], header=False).rstrip("\n")
        room -= count_tokens(line) + 1
        if room < 0 and number:
            return "\n".join(lines), number
        lines.append(line)
    return "\n".join(lines), len(rows)


def _brief(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: f"{value[:_CELL]}…" if isinstance(value, str) and len(value) > _CELL else value
        for name, value in row.items()
    }


def _write(path: Path, found: Rows, rows: Sequence[dict[str, Any]], outputs: Outputs) -> None:
    written = as_csv if path.suffix.lower() == ".csv" else as_json_lines
    outputs.write(path, written(found.names, rows).encode("utf-8", "replace"))
