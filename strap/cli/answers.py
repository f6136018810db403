"""The answer to a call as the command line has it: plain JSON, shown as text or as it is."""

import sys
from collections.abc import Iterator
from typing import Any

import click

from strap.api.results import Result
from strap.errors import StrapError, UsageError
from strap.json.writing import to_json
from strap.text import replace_surrogates

Answer = dict[str, Any]
"""`ok`, `status` (the exit status), `text`; where there are any `images`, `data`, `error`."""
WRONG_CALL = 2
"""Exit status of a call that cannot be made, as of any wrong use of a command."""
FIRST_TOLD = 300
"""HTTP statuses from here on are told by `--check-status`."""


def answer_of(result: Result, error: StrapError | None) -> Answer:
    """Return the answer that shows a result."""
    status = WRONG_CALL if isinstance(error, UsageError) else int(result.is_error)
    answer: Answer = {"ok": not result.is_error, "status": status, "text": result.text}
    if result.images:
        answer["images"] = [{"mime": i.mime, "bytes": len(i.data)} for i in result.images]
    if result.data is not None:
        answer["data"] = result.data
    if error is not None:
        answer["error"] = {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "retryable": error.retryable,
        }
    return answer


def show(answer: Answer, *, as_json: bool, check_status: bool) -> int:
    """Print an answer; return the exit status."""
    if as_json:
        shown = {key: value for key, value in answer.items() if key != "status"}
        click.echo(replace_surrogates(to_json(shown, default=str)))
    else:
        if summary := _summary(answer.get("data")):
            click.echo(f"{summary}\n")
        click.echo(answer["text"], err="error" in answer)
        for image in answer.get("images", ()):
            size = f"{image['bytes'] / 1024:.0f} KB"
            click.echo(f"[{image['mime']}, {size}: give output=FILE to save it]")
    status: int = answer["status"]
    if check_status and not status:
        status = max((code // 100 for code in _http_statuses(answer.get("data"))), default=0)
    return status


def _summary(data: Any) -> str:
    """Return what an object says in a sentence, for people at a terminal, who read that first."""
    if not isinstance(data, dict) or not sys.stdout.isatty():
        return ""
    parts = [data.get("status"), data.get("summary")]
    return ": ".join(map(str, parts)) if all(parts) else ""


def _http_statuses(data: Any) -> Iterator[int]:
    """The HTTP statuses from 300 on that an answer tells of, of each of its `results` as well."""
    if not isinstance(data, dict):
        return
    status = data.get("status")
    if isinstance(status, int) and status >= FIRST_TOLD:
        yield status
    for result in data.get("results") or ():
        yield from _http_statuses(result)
