"""Running JavaScript in the page."""

import asyncio
import json
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from strap import ActionError, Context, Result, cut
from strap_browser.browsers import Browsers
from strap_browser.effects import Answer, add_effects, answer_for
from strap_browser.memory import Memory, memory_of
from strap_browser.settle import Settling
from strap_browser.targets import Target, ensure_there, find_target
from strap_browser.trouble import MOVED, explained, refuse_dialog
from strap_browser.watching import Watch

if TYPE_CHECKING:
    from strap_browser.tabs import Tab

ANSWERS_LIMIT = 0.05
STOP_LIMIT = 0.15


@cache
def runner() -> str:
    """Return the function that runs a script and writes its result as JSON."""
    return (files("strap_browser") / "page" / "evaluate.js").read_text("utf-8")


async def evaluate(text: str, ref: str | None, ctx: Context[Browsers]) -> Result:
    """Run `text` and tell its result, and what it changed if it did."""
    async with ctx.state.tab(ctx) as tab:
        refuse_dialog(tab)
        with explained(tab):
            memory = await memory_of(tab)
            target = await find_target(memory, ref, None)
            before, mark = memory.last, memory.activity.mark()
            try:
                ran = await _run(memory, text, target)
            except asyncio.CancelledError:
                await stop_script(tab)
                raise
            answer = answer_for(ctx)
            _add_result(answer, ran)
            if not ran:
                answer.add("The script did not return.")
            activity = memory.activity
            if not ran or ran.get("changes") or activity.leaving or activity.commits > mark.commits:
                watch = Watch(memory=memory)
                if ran and not activity.leaving:
                    await watch.begin()
                settled = await Settling(tab, activity, mark).after(watch.report)
                await add_effects(answer, memory, settled, before=before)
        return answer.result(tab)


async def stop_script(tab: "Tab") -> None:
    """End a script that never returns, so that the page can be used again."""
    cdp = await tab.cdp()
    with suppress(Exception):
        async with asyncio.timeout(ANSWERS_LIMIT):
            await cdp.send("Runtime.evaluate", {"expression": "1"})
            return  # it only waits for something
    with suppress(Exception):
        async with asyncio.timeout(STOP_LIMIT):
            await cdp.send("Runtime.terminateExecution")


async def _run(memory: Memory, text: str, target: Target | None) -> dict[str, Any]:
    """Return `{"result"}` or `{"thrown"}`, {} if the page went elsewhere or a dialog opened."""
    from playwright.async_api import Error

    tab = memory.tab
    blocked = tab.dialog_opened.is_set
    if target is not None:
        target = await ensure_there(memory, target)
        script = f"(element, source) => {_call('source', 'element')}"
        work = target.locator.evaluate(script, text)
        return await memory.activity.race(work, blocked) or {}
    cdp = await tab.cdp()
    options = {
        "expression": _call(json.dumps(text), "undefined"),
        "awaitPromise": True,
        "returnByValue": True,
        "userGesture": True,
    }
    try:
        done = await memory.activity.race(cdp.send("Runtime.evaluate", options), blocked) or {}
    except Error as error:
        if not tab.alive or not any(words in error.message for words in MOVED):
            raise
        done = {}
    value = done.get("result", {}).get("value")
    return value if isinstance(value, dict) else {}


def _call(source: str, element: str) -> str:
    evaluated = "(__strap_source, __strap_start) => eval(__strap_source)"
    return f"({runner()})({source}, {element}, {evaluated})"


def _add_result(answer: Answer, ran: dict[str, Any]) -> None:
    if "thrown" in ran:
        raise ActionError(f"The script threw {ran['thrown']}", code="script_error")
    result = str(ran.get("result", ""))
    if not result:
        return
    head, rest = cut(result, answer.left - 40)
    answer.add(head)
    if rest:
        answer.add(f"… {len(rest):,} more characters: return less, or raise max_tokens.")
    with suppress(ValueError):
        answer.data["result"] = json.loads(result)
