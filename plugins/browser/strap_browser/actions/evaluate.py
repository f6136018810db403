"""Running JavaScript in the page."""

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, action, cut
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.cdp.errors import ContextDestroyed, TargetClosed
from strap_browser.common.text import FAIR
from strap_browser.page_script.bundle import module

if TYPE_CHECKING:
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.pages.registry import BrowserRegistry


ANYTHING = (
    *("click", "hover", "drag", "fill", "type", "press", "scroll", "select", "upload"),
    *("navigate", "back", "forward", "reload", "cookies", "text", "snapshot", "extract"),
    "tools",
)
"""Actions that a script can imitate."""
NOTE_TOKENS = 40
KEPT = "globalThis.__strap_result"
NOT_FETCHED = "Failed to fetch"
"""Chromium's message in a page for any failed request."""
ANSWERS_LIMIT = 0.05
"""A page that answers within so many seconds runs nothing."""


class Evaluate(BrowserParams):
    """Fields of `evaluate`."""

    text: str
    """JavaScript: an expression, statements with `return` or `await`, or a function."""
    ref: str | None = Field(default=None, max_length=2_000)
    """Element that a function gets as its argument."""


@action("browser", effect="write", asks_person=True, acts_as=ANYTHING)
async def evaluate(params: Evaluate, ctx: "Context[BrowserRegistry]") -> Result:
    """Run JavaScript in the page and answer with its result as JSON.

    A function is called, with the element of `ref` if given; a promise is awaited. A script that
    does not return in time is stopped, and the page stays usable.
    """
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, None)
        if element is None:
            await interaction.confirm_page(ctx, state.tab)
        else:
            (element,) = await interaction.confirm_elements(ctx, state, element)
        world = _world(state) if ctx.consent.concerned else ""
        effects = interaction.Effects(state)
        try:
            ran = await _run(state, params.text, element, world)
        except asyncio.CancelledError:
            await interaction.end_script(state.tab, ANSWERS_LIMIT)
            raise
        answer = interaction.response_for(ctx)
        _add_result(answer, state.tab.secrets.hide_all(ran))
        if not ran or ran.get("changes") or effects.pending:
            await effects.follow()
            await effects.tell(answer)
        return answer.result(state.tab)


def _world(state: "PageState") -> str:
    world = state.tab.page.main_frame.main_unique
    if not world:
        raise ActionError(
            "The page is going elsewhere.", hint="Call again.", code="page_changed", retryable=True
        )
    return world


async def _run(
    state: "PageState", text: str, element: "Element | None", world: str
) -> dict[str, Any]:
    """Return `{"result"}` or `{"thrown"}`, {} if the page went elsewhere or a dialog opened.

    Without an element it runs in the `world` of this id, "" for that of whatever document is there.
    """
    if element is not None:
        element = await interaction.ensure_there(state, element)
        work = _run_with(element, text)
        return await state.activity.race(work, state.tab.dialog_opened.is_set) or {}
    ran = await _run_in_page(state, _call(json.dumps(text), "undefined", "null"), world)
    if isinstance(ran, dict) and ran.get("kept"):
        described = f"{_serializer()}({KEPT})"
        ran["result"] = await _run_in_page(
            state, f"try {{ {described} }} finally {{ delete {KEPT} }}", world
        )
    return ran if isinstance(ran, dict) else {}


async def _run_in_page(state: "PageState", code: str, world: str) -> Any:
    """Return what `code` comes to in the page's own world, None if it does not end there."""
    tab = state.tab
    options = {
        "expression": code,
        "awaitPromise": True,
        "returnByValue": True,
        "userGesture": True,
    }
    if world:
        options["uniqueContextId"] = world
    try:
        work = tab.page.session.send("Runtime.evaluate", **options)
        done = await state.activity.race(work, lambda: tab.dialog is not None or not tab.alive)
        if not tab.alive:
            raise TargetClosed(tab.trouble or "The page is gone.")
    except ContextDestroyed:
        if not tab.alive:
            raise
        return None
    return (done or {}).get("result", {}).get("value")


async def _run_with(element: "Element", text: str) -> dict[str, Any]:
    called = _call("source", "element", _serializer())
    code = f"(element, source) => {called}"
    handle = await interaction.handle_of(element)
    own = await handle.in_world(element.frame.main_world)
    try:
        ran = await own.call(code, text, as_user=True)
    except ContextDestroyed:
        return {}
    finally:
        handle.release()
        own.release()
    return ran if isinstance(ran, dict) else {}


def _call(source: str, element: str, describe: str) -> str:
    evaluated = "(__strap_source, __strap_start) => eval(__strap_source)"
    return f"{module('evaluate/run.js')}.run({source}, {element}, {evaluated}, {describe})"


def _serializer() -> str:
    return f"{module('evaluate/serialize.js')}.serialize"


def _add_result(answer: "ResponseBuilder", ran: dict[str, Any]) -> None:
    if "thrown" in ran:
        raise ActionError(
            f"The script threw {ran['thrown']}",
            hint="`network` tells why." if NOT_FETCHED in ran["thrown"] else "",
            code="script_error",
        )
    result = ran.get("result")
    if result is None:
        answer.add("The script did not return.")
        return
    result = str(result)
    head, rest = cut(result, int(answer.left * FAIR) - NOTE_TOKENS)
    answer.add(head)
    if rest:
        answer.add(f"… {counted(len(rest), 'more character')}: return less, or raise max_tokens.")
    with suppress(ValueError):
        answer.data["result"] = json.loads(result)
