"""Shared parts of the actions `extract`: their fields, reading a page, and the answer."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BeforeValidator, Field

from strap.api.outputs import Outputs
from strap.api.params import Params
from strap.api.results import DEFAULT_MAX_TOKENS, Result, count_tokens
from strap.errors import ActionError, UsageError
from strap.records import record
from strap.rows.files import KINDS, as_csv, as_json_lines
from strap.text import counted

if TYPE_CHECKING:
    from strap.workers.pool import Workers

SECONDS = 6.0
"""Seconds of computing for the rows of a page: 2,000 records take 1 s, 3 s on a busy core."""
SAMPLE = 3
"""Rows that an answer shows of those in a file."""
_CELL = 200
"""Characters of a value that an answer shows."""
_MORE = "The page has more than is read."
_HIDDEN = "The page hides some of this; nothing else is there."
_LOOK = "Look at it first: http.fetch shows the page, snapshot that of the browser."
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
    """Fields that select the rows of a page."""

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


@record
class Rows:
    """Rows by `names` of columns; `selector` finds the records at `url`, `notes` what lacks."""

    names: Sequence[str]
    rows: Sequence[dict[str, Any]]
    selector: str
    url: str
    notes: Sequence[str] = field(default=())

    def with_more(self, more: "Rows") -> "Rows":
        """Return these rows and those of a further page."""
        names = dict.fromkeys((*self.names, *more.names))
        notes = dict.fromkeys((*self.notes, *more.notes))
        return replace(self, names=tuple(names), rows=(*self.rows, *more.rows), notes=tuple(notes))

    def noted(self, note: str) -> "Rows":
        """Return the same with a further note."""
        return replace(self, notes=(*self.notes, note)) if note else self


def rows_file(params: RowFields, outputs: Outputs) -> Path | None:
    """Return the file for the rows, None without one; raises `UsageError`, `ActionError`."""
    if params.output is None:
        return None
    path = outputs.resolve(params.output)
    if path.suffix.lower() not in KINDS:
        raise UsageError(
            f"output={params.output!r} is neither .csv nor .jsonl.", hint="As in output='rows.csv'."
        )
    if params.start:
        raise UsageError("output takes all rows: it goes not with start.")
    outputs.refuse_taken(path)
    return path


async def read_rows(
    page: str,
    url: str,
    params: RowFields,
    workers: "Workers",
    *,
    function: str = "strap.rows.extraction:extract",
    first: int = 1,
    cut: bool = False,
) -> Rows:
    """Return the rows of `page`, read by `function`; raises `UsageError` and `ActionError`."""
    from strap.workers.pool import Job

    job = Job(
        function=function,
        payload=page.encode("utf-8", "replace"),
        arguments={"url": url, "first": first, **_options(params)},
        seconds=SECONDS,
    )
    answer = await workers.do(job)
    if answer is None:
        raise ActionError(
            f"Taking rows out of {len(page):,} characters takes too long, or too much memory.",
            hint="Give selector, and simpler rules in value.",
            code="too_long",
        )
    facts = answer.facts
    more = _MORE if cut or facts["cut"] else ""
    if facts["about"]:
        _refuse(params, facts["about"], facts["problem"], facts["candidates"], more)
    rows = await asyncio.to_thread(_parsed, answer.text)
    read = Rows(names=facts["names"], rows=rows, selector=facts["selector"], url=url)
    return read.noted(more).noted(_HIDDEN if facts["hidden"] else "")


def _options(params: RowFields) -> dict[str, str]:
    return {
        "selector": params.selector or "",
        "rules": params.value or "",
        "schema": params.schema_ or "",
    }


def _parsed(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.split("\n") if line]


def _refuse(
    params: RowFields, about: str, problem: str, candidates: list[str], more: str
) -> NoReturn:
    if about == "row":
        raise ActionError(
            f"{problem.rstrip('.')}.",
            hint="Mend the rule of that field in value, or the schema.",
            code="schema",
        )
    if about == "records":
        problem = f"{problem} {more}".rstrip()
        available = "; ".join(candidates)
        raise ActionError(
            f"{problem} There is: {available}." if available else problem,
            hint="Give selector, and value with rules." if available else _LOOK,
            code="no_records",
        )
    arguments = {"selector": params.selector, "value": params.value, "schema": params.schema_}
    shown = " ".join(str(arguments[about]).split())
    shown = shown if len(shown) <= _CELL else f"{shown[:_CELL]}…"
    example = {"value": " As in value='price: .price'."}.get(about, "")
    raise UsageError(f"{about}={shown!r} {problem}.{example}")


async def answer_rows(
    table: Rows,
    params: RowFields,
    outputs: Outputs,
    max_tokens: int | None,
    path: Path | None = None,
) -> Result:
    """Return rows as CSV up to the budget, or the first of those in `path`; raises `UsageError`."""
    total = len(table.rows)
    if params.start and params.start >= total:
        extent = f"there {'is' if total == 1 else 'are'} {counted(total, 'row')}"
        raise UsageError(
            f"start={params.start} is past the end: {extent}.", hint="Give a smaller start."
        )
    room = max_tokens or DEFAULT_MAX_TOKENS
    if path is None:
        return await asyncio.to_thread(_shown, table, params, room)
    return await asyncio.to_thread(_saved, table, params, outputs, room, path)


def _shown(table: Rows, params: RowFields, max_tokens: int) -> Result:
    total = len(table.rows)
    selected = _selected(table, params)
    of = f" of {total:,}" if len(selected) < total else ""
    text, count = _listed(
        f"{len(selected):,}{of} rows{_where(table, params)}", table, selected, max_tokens
    )
    end = params.start + count
    if end < total:
        text += f"\n… {counted(total - end, 'more row')} (start={end})"
    data = _data(table, selected[:count], following=end if end < total else None)
    return Result(text=text, data=data)


def _saved(table: Rows, params: RowFields, outputs: Outputs, max_tokens: int, path: Path) -> Result:
    selected = _selected(table, params)
    _write(path, table, selected, outputs)
    sample = selected[:SAMPLE]
    text, count = _listed(
        f"{counted(len(selected), 'row')}{_where(table, params)} in {path}",
        table,
        sample,
        max_tokens,
    )
    if count < len(selected):
        text += f"\n… {counted(len(selected) - count, 'more row')} in the file"
    return Result(text=text, data=_data(table, sample, following=None) | {"path": str(path)})


def _where(table: Rows, params: RowFields) -> str:
    """Return where the records are, in words, unless the caller said it."""
    return f" (at {table.selector})" if table.selector and not params.selector else ""


def _selected(table: Rows, params: RowFields) -> Sequence[dict[str, Any]]:
    return table.rows[params.start : params.start + (params.limit or len(table.rows))]


def _data(table: Rows, rows: Sequence[dict[str, Any]], *, following: int | None) -> dict[str, Any]:
    return {
        "url": table.url,
        "selector": table.selector,
        "columns": list(table.names),
        "rows": list(rows),
        "total": len(table.rows),
        "next_start": following,
    }


def _listed(
    head: str, table: Rows, rows: Sequence[dict[str, Any]], max_tokens: int
) -> tuple[str, int]:
    """Return head, notes and the rows that fit, and how many those are."""
    lines = [f"{head}: {', '.join(table.names)}", *(f"[{note}]" for note in table.notes)]
    room = max_tokens - count_tokens("\n".join(lines)) - _NOTE
    for number, row in enumerate(rows):
        line = as_csv(table.names, [_brief(row)], header=False).rstrip("\n")
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


def _write(path: Path, table: Rows, rows: Sequence[dict[str, Any]], outputs: Outputs) -> None:
    written = as_csv if path.suffix.lower() == ".csv" else as_json_lines
    outputs.write(path, written(table.names, rows).encode("utf-8", "replace"))
