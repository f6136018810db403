"""The action `script`: the caller's calls of this session, as a script or as a test."""

import asyncio
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from strap import DEFAULT_MAX_TOKENS, ActionError, Context, Result, action, count_tokens
from strap.scripts.script import SUFFIX
from strap.text import counted
from strap_browser.api import ProfileParams
from strap_script.formats.exporting import export
from strap_script.recording import Recording, record_calls
from strap_script.sidecar import sidecar

if TYPE_CHECKING:
    from strap_browser.api import BrowserState

Format = Literal["strap", "pytest", "typescript", "case", "all"]


class WriteScript(ProfileParams):
    """In which form, and where to."""

    value: Format = "strap"
    """`strap`: calls, one a line; `pytest` or `typescript` for Playwright; `case` for `strap test`;
    `all` keeps calls that came to nothing."""
    output: str | None = Field(default=None, max_length=500)
    """File to write; the evidence for healing is written beside it, as FILE.json."""


@action("browser", effect="read", before="render")
async def script(params: WriteScript, ctx: "Context[BrowserState]") -> Result:
    """Write what you did in the browser in this session as a script, or as a test.

    `strap run FILE` plays it without a model. Secrets stand in it as `{{name}}`, what was typed as
    `{name}` with that as its default, passwords without one. Files with the Playwright test run by
    themselves.
    """
    profile = ctx.state.profile(ctx).name
    notes = list(ctx.state.calls.of(ctx.caller_key, profile))
    await asyncio.gather(
        *(naming for note in notes for naming in note.naming), return_exceptions=True
    )
    made = record_calls(
        notes,
        keep_all=params.value == "all",
        secrets=ctx.config.secrets,
        dropped=ctx.state.calls.dropped(ctx.caller_key),
    )
    if not made.script.lines:
        raise ActionError(
            "Nothing was recorded in this session.",
            hint="Act on a page first: navigate, click, fill.",
            code="nothing_recorded",
        )
    text = made.hide(export(made, params.value))
    if params.output is None:
        return _shown(text, ctx.max_tokens or DEFAULT_MAX_TOKENS, made)
    return await asyncio.to_thread(_written, text, params.output, params.value, made, ctx)


def _shown(text: str, tokens: int, made: Recording) -> Result:
    if (needed := count_tokens(text)) > tokens:
        raise ActionError(
            f"The script has {needed:,} tokens, of {counted(len(made.script.lines), 'call')}.",
            hint=f"Give output=FILE, or max_tokens={needed}.",
            code="too_long",
        )
    return Result(text=text.rstrip("\n"), data={"calls": len(made.script.lines)})


def _written(
    text: str, output: str, value: Format, made: Recording, ctx: "Context[BrowserState]"
) -> Result:
    outputs, parts = ctx.outputs, [counted(len(made.script.lines), "call")]
    path = outputs.resolve(output)
    outputs.refuse_taken(path)
    if value in ("strap", "all"):
        beside = outputs.resolve(f"{output}.json")
        outputs.refuse_taken(beside)
        outputs.write(beside, made.hide(sidecar(made)).encode())
        parts.append(f"evidence in {beside.name}")
    outputs.write(path, text.encode())
    hint = f" Play it: strap run {path.name}" if path.suffix == SUFFIX else ""
    return Result(
        text=f"Wrote {path} ({'; '.join(parts)}).{hint}",
        data={"path": str(path), "calls": len(made.script.lines)},
    )
