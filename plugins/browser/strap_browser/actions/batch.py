"""Several calls in one: steps in the command line's syntax, up to the first that fails."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from strap import (
    DETACHED_SECONDS,
    Call,
    Context,
    Detached,
    Image,
    Result,
    StrapError,
    StringList,
    UsageError,
    action,
    count_tokens,
    cut,
    parse_line,
)
from strap.scripts.evidence import load_calls
from strap.scripts.playing import has_failed, make_patiently
from strap.scripts.script import MOST_LINES
from strap_browser import interaction
from strap_browser.actions.elements.upload import output_file
from strap_browser.actions.params import BrowserParams

if TYPE_CHECKING:
    from strap.api.calls import Progress
    from strap_browser.pages.registry import BrowserRegistry


FORBIDDEN = frozenset(("batch", "eval"))
INHERITED = ("profile", "target_id")
LEAST = 80
"""Tokens that every step may use."""
STATE_TOKENS = 600
MOST_IMAGES = 4
MOST_PROBLEMS = 5


@dataclass(kw_only=True, slots=True)
class BatchRun:
    """The answers so far, within `tokens`."""

    tokens: int
    parts: list[str] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Tokens that are left."""
        return max(0, self.tokens - sum(count_tokens(part) + 1 for part in self.parts))

    def add(self, text: str, tokens: int) -> None:
        """Add an answer of at most so many tokens."""
        head, rest = cut(text, tokens)
        self.parts.append(f"{head.rstrip()} …" if rest else head)

    def result(self, **more: Any) -> Result:
        """Return the answer."""
        return Result(text="\n".join(self.parts), images=tuple(self.images[:MOST_IMAGES]), **more)


def _objects_as_text(steps: Any) -> Any:
    """Accept the arguments of a call for a step: models that know them so write steps like that."""
    if not isinstance(steps, list):
        return steps
    return [json.dumps(step) if isinstance(step, dict) else step for step in steps]


class Batch(BrowserParams):
    """Fields of `batch`."""

    steps: Annotated[StringList, BeforeValidator(_objects_as_text)] = Field(
        default=[], max_length=50
    )
    """Calls as on the command line, such as `click ref=e5` or `fill ref=e3 value='Ada L.'`."""
    paths: StringList = Field(default=[], max_length=20)
    """Scripts to play instead, as `script` writes them; each call waits for its element."""
    detach: bool = Field(default=False, json_schema_extra={"advertised": False})
    """Answer at once with session_id, for get_run; timeout is 3,600 s then, unless given."""

    @model_validator(mode="after")
    def _steps_or_paths(self) -> Self:
        if bool(self.steps) == bool(self.paths):
            raise UsageError(
                "Give steps or paths, not both."
                if self.steps
                else "'steps' is missing, or 'paths' of scripts."
            )
        return self


@action("browser", effect="write", timeout=300, asks_person=True)
async def batch(params: Batch, ctx: "Context[BrowserRegistry]") -> Result:
    """Run several calls one after the other, in one call.

    Every step is checked before the first one runs; the first that fails ends the batch, and the
    answer shows the page as it is then. Steps follow the same policy as single calls, and share
    the size of the answer. No `batch` or `eval` inside. `paths` plays scripts of the files folder.
    """
    steps = params.steps or await asyncio.to_thread(_lines_of, params.paths, ctx)
    calls = _validated(steps, ctx)
    await ctx.consent.by_steps({f"{c['resource']}.{c['action']}" for c in calls})
    if not params.detach:
        return await _carry_out(params, steps, calls, ctx)

    async def work(report: "Progress") -> Result:
        ctx.report = report
        return await _carry_out(params, steps, calls, ctx)

    order = Detached(
        url=next((str(call["url"]) for call in calls if "url" in call), ""),
        task=f"browser.batch of {len(calls)}: {steps[0]}",
        seconds=params.timeout or DETACHED_SECONDS,
        steps=len(calls),
        work=work,
    )
    return await ctx.detach(order)


async def _carry_out(
    params: Batch,
    steps: Sequence[str],
    calls: list[dict[str, Any]],
    ctx: "Context[BrowserRegistry]",
) -> Result:
    run = BatchRun(tokens=interaction.response_for(ctx).tokens)

    async def make(arguments: dict[str, Any]) -> Result:
        return await ctx.web(**arguments)

    for number, arguments in enumerate(calls, 1):
        await ctx.progress(steps[number - 1][:100], number - 1, len(calls))
        share = max(LEAST, run.left // (len(calls) - number + 1))
        arguments.setdefault("max_tokens", share)
        try:
            result = await (make_patiently(arguments, make) if params.paths else make(arguments))
        except StrapError as error:
            return await _failed(run, number, str(error), calls, ctx)
        if has_failed(result) if params.paths else result.is_error:
            return await _failed(run, number, result.text, calls, ctx)
        run.add(f"{number}. {result.text}", max(share, LEAST))
        run.images += result.images
    return run.result(data={"done": len(calls), "of": len(calls)})


def _lines_of(paths: Sequence[str], ctx: "Context[BrowserRegistry]") -> list[str]:
    """Return the calls of scripts in the files folder, with the values that they have.

    Raises `UsageError` for what is no script, or has a value that is missing.
    """
    lines: list[str] = []
    for path in paths:
        calls = load_calls(output_file(path, ctx), {})
        lines += (json.dumps(arguments) for _, arguments in calls)
    if len(lines) > MOST_LINES:
        raise UsageError(f"Scripts of one batch have at most {MOST_LINES:,} lines.")
    return lines


async def _failed(
    run: BatchRun,
    number: int,
    why: str,
    calls: list[dict[str, Any]],
    ctx: "Context[BrowserRegistry]",
) -> Result:
    run.add(f"{number}. Failed: {why}", max(LEAST, run.left))
    left = len(calls) - number
    if left:
        run.parts.append(f"Not run: {left} step{'s' if left > 1 else ''} after it.")
    step = calls[number - 1]
    if step["resource"] == "browser" and "snapshot" not in ctx.consent.may_need("browser"):
        where = {key: step[key] for key in (*INHERITED, "session") if key in step}
        tokens = max(LEAST, min(STATE_TOKENS, run.left))
        with suppress(StrapError):  # there may be no page, or a dialog: the failure says it
            seen = await ctx.web(resource="browser", action="snapshot", max_tokens=tokens, **where)
            run.parts.append(f"The page now: {seen.text}")
    return run.result(is_error=True, data={"done": number - 1, "of": len(calls)})


def _validated(steps: list[str], ctx: "Context[BrowserRegistry]") -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    problems: list[str] = []
    for number, step in enumerate(steps, 1):
        try:
            calls.append(_arguments(step, ctx))
        except StrapError as error:
            problems.append(f"step {number}: {error}")
    if problems:
        hidden = len(problems) - MOST_PROBLEMS
        more = f" And {hidden} more." if hidden > 0 else ""
        raise UsageError(
            f"Nothing was run. {' '.join(problems[:MOST_PROBLEMS])}{more}",
            hint="A step is written as on the command line: click ref=e5.",
        )
    return calls


def _arguments(step: str, ctx: "Context[BrowserRegistry]") -> dict[str, Any]:
    arguments: dict[str, Any] = {"resource": "browser"} | _parsed(step)
    if arguments["resource"] == "browser" and arguments.get("action") in FORBIDDEN:
        raise UsageError(f"There is no {arguments['action']} in a batch.")
    call = ctx.check(**arguments)
    return arguments | dict(_inherited(call, ctx))


def _parsed(step: str) -> dict[str, Any]:
    if not step.lstrip().startswith("{"):
        return parse_line(step)
    try:
        return json.loads(step)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        raise UsageError(f"{step[:80]!r} is not a JSON object.") from None


def _inherited(call: Call, ctx: "Context[BrowserRegistry]") -> Iterator[tuple[str, Any]]:
    if call.resource == "browser":
        own = ctx.call.params
        for name in INHERITED:
            value = getattr(own, name, None)
            if value is not None and getattr(call.params, name, value) is None:
                yield name, value
    if ctx.handle and call.params.session is None:
        yield "session", ctx.handle
