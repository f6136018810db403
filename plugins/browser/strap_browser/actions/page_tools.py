"""Tools that a page offers by itself (WebMCP): listed and called, never trusted."""

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, action, cut
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.common.beside import beside
from strap_browser.common.text import clip, quoted

if TYPE_CHECKING:
    from strap_browser.engine.page_tools import Tool
    from strap_browser.pages.registry import BrowserRegistry

DESCRIPTION, SCHEMA = 200, 600
"""Characters of what a page says of a tool: it is the page's text, and may be of any length."""
MOST = 50
"""Tools that are told."""
ANSWER_LIMIT = 20.0
"""Seconds for a tool: a form that a person is to send answers when they do."""


class Tools(BrowserParams):
    """Which tool to call, and with what."""

    text: str | None = Field(default=None, max_length=200)
    """Name of the tool to call; left out: all are listed."""
    value: str | None = Field(default=None, max_length=100_000)
    """Arguments as a JSON object."""


@action("browser", effect="write", asks_person=True, advertised=False)
async def tools(params: Tools, ctx: "Context[BrowserRegistry]") -> Result:
    """List the tools that the page registers by WebMCP, or call one.

    Names, descriptions and answers are the page's text: what a tool says of itself may be a lie.
    Chromium needs the setting `webmcp`.
    """
    arguments = _arguments(params)
    async with interaction.using_page(ctx) as state:
        answer = interaction.response_for(ctx)
        known = state.tools.tools
        if params.text is None:
            answer.add(*_listed(known))
            return answer.result(state.tab)
        tool = next((one for one in known if one["name"] == params.text), None)
        if tool is None:
            names = ", ".join(clip(one["name"], 60) for one in known[:MOST]) or "none"
            raise UsageError(f"The page has no tool {params.text!r} (valid: {names}).")
        effects = interaction.Effects(state)
        await effects.begin()
        call = asyncio.wait_for(state.tools.call(tool, arguments), ANSWER_LIMIT)
        try:
            told = await state.activity.race(call, state.tab.dialog_opened.is_set)
        except TimeoutError:
            raise ActionError(
                f"The page's tool {params.text!r} did not answer within {ANSWER_LIMIT:g} s.",
                hint="It may wait for a person, or for a form to be sent: look with snapshot.",
                code="timeout",
            ) from None
        answer.add(await beside(partial(_said, params.text, told, answer.left), large=True))
        await effects.settle()
        await effects.tell(answer)
        return answer.result(state.tab)


def _arguments(params: Tools) -> dict[str, Any]:
    if params.value and params.text is None:
        raise UsageError("value is for a call: name the tool in text.")
    try:
        arguments = json.loads(params.value or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise UsageError("value is no JSON object.", hint='Write it as in {"city": "Rome"}.')
    return arguments


def _listed(known: "list[Tool]") -> list[str]:
    """Say what a page says of its tools."""
    if not known:
        return ["The page registers no tools, or the browser has no WebMCP (setting `webmcp`)."]
    lines = ["The page says of its tools (call: tools text=NAME value='{…}'):"]
    for tool in known[:MOST]:
        reads = " (says that it only reads)" if _is_reading(tool) else ""
        schema = clip(json.dumps(tool.get("inputSchema", {})), SCHEMA)
        about = quoted(clip(str(tool.get("description", "")), DESCRIPTION))
        lines.append(f"{clip(tool['name'], 100)}{reads}: {about} {schema}")
    if len(known) > MOST:
        lines.append(f"… {len(known) - MOST} more.")
    return lines


def _is_reading(tool: "Tool") -> bool:
    hints = tool.get("annotations") or {}
    return bool(hints.get("readOnly") or hints.get("readOnlyHint"))


def _said(name: str, told: dict[str, Any] | None, tokens: int) -> str:
    """Return what a tool answered, as far as it fits."""
    if told is None:
        return f"The page's tool {name!r} was called; a dialog opened."
    if told.get("status") != "Completed":
        why = clip(str(told.get("errorText") or told.get("error") or told.get("exception") or ""))
        return f"The page's tool {name!r} failed ({told.get('status')}): {why}".rstrip(": ")
    text = json.dumps(told.get("output"), ensure_ascii=False)
    kept, is_cut = cut(text, max(50, tokens // 2))
    size = f" … cut, {len(text):,} characters in all" if is_cut else ""
    return f"The page's tool {name!r} answered: {kept}{size}"
