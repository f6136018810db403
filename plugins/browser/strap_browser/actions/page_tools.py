"""Tools that a page offers by itself (WebMCP): listed and called, never trusted."""

import asyncio
import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, action, cut
from strap_browser import interaction
from strap_browser.actions.params import ElementParams
from strap_browser.common.beside import beside
from strap_browser.common.text import clip, quoted
from strap_browser.engine.frames.frame_elements import frame_within

if TYPE_CHECKING:
    from strap_browser.engine.page_tools import PageTools, Tool
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

DESCRIPTION, SCHEMA = 200, 600
"""Characters of what a page says of a tool: it is the page's text, and may be of any length."""
MOST = 50
"""Tools that are told at once."""
MOST_NAMES = 20
"""Names of tools in an error."""
STACK = re.compile(r"\n\s+at .*", re.DOTALL)
"""Calls that an error was thrown in, below its message."""
ANSWER_LIMIT = 20.0
"""Seconds for a tool: a form that a person is to send answers when they do."""


class Tools(ElementParams):
    """Fields of `tools`."""

    text: str | None = Field(default=None, min_length=1, max_length=200)
    """Name of the tool to call; left out: all are listed."""
    value: str | None = Field(default=None, max_length=100_000)
    """Arguments as a JSON object."""
    start: int = Field(default=0, ge=0)
    """Number of tools to skip, as the last answer said."""


@action("browser", effect="write", asks_person=True, advertised=False, part="text")
async def tools(params: Tools, ctx: "Context[BrowserRegistry]") -> Result:
    """List the tools that the page and its frames register by WebMCP, or call one.

    With `ref`, an element or frame: those of that document alone. Names, descriptions and answers
    are the page's text: what a tool says of itself may be a lie. Policies may be about one tool of
    a host: `browser.tools:NAME@shop.example`. Chromium needs the setting `webmcp`.
    """
    arguments = _arguments(params)
    async with interaction.using_page(ctx, confirms=True) as state:
        answer = interaction.response_for(ctx)
        known = await _known(params, ctx, state)
        if params.text is None:
            frames = dict.fromkeys(item.frame for item in known)
            await interaction.confirm_page(ctx, state.tab, frames=[*frames])
            answer.add(*_listed(state.tools, known, params.start))
            return answer.result(state.tab)
        tool = _named(params.text, known, state.tools.allowed(ctx.consent))
        about = f"the tool {tool.name!r}"
        await interaction.confirm_page(ctx, state.tab, about, [tool.frame])
        effects = interaction.Effects(state)
        await effects.begin()  # the page answers, so that its changes till then are known
        _ensure_same(state.tools, tool)
        reply = await _called(state, tool, arguments)
        answer.add(await beside(partial(_answer_text, tool.name, reply, answer.left), large=True))
        await effects.settle()
        await effects.tell(answer)
        return answer.result(state.tab)


def _arguments(params: Tools) -> dict[str, Any]:
    if params.value and params.text is None:
        raise UsageError("value is for a call: name the tool in text.")
    try:
        arguments = json.loads(params.value or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise UsageError("value is not a JSON object.", hint='Write it as in {"city": "Rome"}.')
    return arguments


async def _known(
    params: Tools, ctx: "Context[BrowserRegistry]", state: "PageState"
) -> "list[Tool]":
    """Return the tools that may be meant; a list has none that the policy denies."""
    tools = state.tools
    known = tools.allowed(ctx.consent) if params.text is None else tools.tools
    element = await interaction.find_element(state, params.ref, params.selector)
    if element is not None:
        inner = await frame_within(state.tab.page.frame, element.frame, element.node_id)
        known = [tool for tool in known if tool.frame is (inner or element.frame)]
    return known


def _named(name: str, known: "list[Tool]", allowed: "list[Tool]") -> "Tool":
    tool = next((item for item in known if item.name == name), None)
    if tool is None:
        valid = [clip(item.name, 60) for item in known if item in allowed]
        names = ", ".join(valid[:MOST_NAMES]) or "none"
        more = ", …" if len(valid) > MOST_NAMES else ""
        raise UsageError(f"The page has no tool {name!r} (valid: {names}{more}).")
    return tool


def _ensure_same(page_tools: "PageTools", tool: "Tool") -> None:
    """Refuse a tool that is not as it was listed, or as a person said yes to it."""
    listed = page_tools.listed.get((tool.frame.id, tool.name), tool.whole)
    if listed != tool.whole or tool not in page_tools.tools:
        raise ActionError(
            f"The page's tool {tool.name!r} says something else of itself now, so nothing was"
            " done.",
            hint="Look with `tools`, and call again.",
            code="stale_ref",
        )


async def _called(
    state: "PageState", tool: "Tool", arguments: dict[str, Any]
) -> dict[str, Any] | None:
    """Call a tool, and cancel it where its answer does not come or the caller goes."""
    number = await state.tools.invoke(tool, arguments)
    answer = state.tools.answer(number)
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            return await state.activity.race(answer, state.tab.dialog_opened.is_set)
    except asyncio.CancelledError:
        state.tools.cancel(tool, number)
        raise
    except TimeoutError:
        state.tools.cancel(tool, number)
        raise ActionError(
            f"The page's tool {tool.name!r} did not answer within {ANSWER_LIMIT:g} s, and was"
            " cancelled.",
            hint="It may wait for a person, or for a form to be sent: look with snapshot.",
            code="timeout",
        ) from None


def _listed(page_tools: "PageTools", known: "list[Tool]", start: int) -> list[str]:
    """Say what a page says of its tools, and note that it was told."""
    if not known:
        return ["The page registers no tools, or the browser has no WebMCP (setting `webmcp`)."]
    lines = ["The page says of its tools (call: tools text=NAME value='{…}'):"]
    for tool in known[start : start + MOST]:
        page_tools.listed[tool.frame.id, tool.name] = tool.whole
        reads = " (says that it only reads)" if tool.reads else ""
        inner = tool.frame.parent_frame is not None
        where = f" in the frame {urlsplit(tool.frame.url).netloc or 'about:blank'}" if inner else ""
        about = quoted(clip(tool.description, DESCRIPTION))
        lines.append(f"{tool.name}{where}{reads}: {about} {clip(tool.schema, SCHEMA)}")
    if (left := len(known) - start - MOST) > 0:
        lines.append(f"… {left:,} more: start={start + MOST}")
    if page_tools.untold:
        lines.append("The page registers more tools than strap keeps.")
    return lines


def _answer_text(name: str, data: dict[str, Any] | None, tokens: int) -> str:
    """Return what a tool answered, as far as it fits."""
    if data is None:
        return f"The page's tool {name!r} was called; a dialog opened."
    if "left_out" in data:
        how = "failed with" if data["failed"] else "answered"
        return f"The page's tool {name!r} {how} {data['left_out']:,} characters: not read."
    if data.get("status") != "Completed":
        why = clip(data.get("errorText") or _thrown(data.get("exception") or {}))
        return f"The page's tool {name!r} failed ({data.get('status')}): {why}".rstrip(": ")
    text = json.dumps(data.get("output"), ensure_ascii=False)
    shown, is_cut = cut(text, max(50, tokens // 2))
    size = f" … cut, {len(text):,} characters in all" if is_cut else ""
    return f"The page's tool {name!r} answered: {shown}{size}"


def _thrown(exception: dict[str, Any]) -> str:
    """Return what a tool threw, without the places in its script."""
    text = exception.get("description") or json.dumps(exception.get("value"), ensure_ascii=False)
    return STACK.sub("", text)
