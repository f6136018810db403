"""Putting text into fields: `fill` replaces what a field holds, `type` presses keys."""

import re

from strap import Context, Result, UsageError
from strap_browser.actionability import ready
from strap_browser.browsers import Browsers
from strap_browser.effects import Answer, add_effects, answer_for
from strap_browser.memory import Memory, memory_of
from strap_browser.outline import find
from strap_browser.settle import Settled, Settling
from strap_browser.snapshot import MASK, Snapshot
from strap_browser.targets import Target, find_target
from strap_browser.trouble import explained, refuse_dialog
from strap_browser.watching import Watch

SHORT = 200
"""Longest value that is handed to fields which are set rather than typed into."""
KEYS = re.compile(r"\n|[^\n]{1,8}")
"""Keys sent together: a call that is cancelled stops within so many."""
SHOWN = 200


async def fill(ref: str | None, selector: str | None, value: str, ctx: Context[Browsers]) -> Result:
    """Replace what a field holds, and tell what that changed."""
    async with ctx.state.tab(ctx) as tab:
        refuse_dialog(tab)
        with explained(tab):
            memory = await memory_of(tab)
            target = await find_target(memory, ref, selector)
            if target is None:
                raise UsageError("fill needs ref or selector.")
            before, mark = memory.last, memory.activity.mark()
            watch = Watch(memory=memory, target=target, value=True)
            target, typed = await _fill(memory, target, value, watch.token)
            watch.target = target
            settled = await Settling(tab, memory.activity, mark).after(watch.report, patient=False)
            answer = answer_for(ctx)
            answer.add(_filled(target, settled, value, typed=typed), target.note)
            await _finish(answer, memory, target, settled, before)
        return answer.result(tab)


async def type_text(
    ref: str | None, selector: str | None, text: str, ctx: Context[Browsers]
) -> Result:
    """Press the keys of `text` in a field, or where the focus is, and tell what that changed."""
    async with ctx.state.tab(ctx) as tab:
        refuse_dialog(tab)
        with explained(tab):
            memory = await memory_of(tab)
            target = await find_target(memory, ref, selector)
            before, mark = memory.last, memory.activity.mark()
            watch = Watch(memory=memory, target=target, value=True)
            if target is None:
                where = (await watch.begin())["focus"]
            else:
                _, target = await ready(memory, target, "focus", token=watch.token)
                watch.target, where = target, target.name
            await _press_keys(memory, text)
            settled = await Settling(tab, memory.activity, mark).after(watch.report)
            answer = answer_for(ctx)
            answer.add(f"Typed {len(text):,} characters into {where}{_holding(settled)}.")
            answer.add(target.note if target else "")
            await _finish(answer, memory, target, settled, before)
        return answer.result(tab)


async def _fill(memory: Memory, target: Target, value: str, token: str) -> tuple[Target, bool]:
    """Fill the field; returns it and whether it was typed into, not set."""
    told = value if len(value) <= SHORT else None
    field, target = await ready(memory, target, "fill", token=token, value=told)
    if field["mode"] != "type":
        return target, False
    keyboard, blocked = memory.tab.page.keyboard, memory.tab.dialog_opened.is_set
    if value:
        await memory.activity.race(keyboard.insert_text(value), blocked)
    elif not field["empty"]:
        await memory.activity.race(keyboard.press("Delete"), blocked)
    return target, True


async def _press_keys(memory: Memory, text: str) -> None:
    keyboard, blocked = memory.tab.page.keyboard, memory.tab.dialog_opened.is_set
    for keys in KEYS.findall(text.replace("\r\n", "\n").replace("\r", "\n")):
        if blocked() or not memory.tab.alive:
            return
        # Playwright's own key for a line break does not send a form.
        work = keyboard.press("Enter") if keys == "\n" else keyboard.type(keys)
        await memory.activity.race(work, blocked)


async def _finish(
    answer: Answer, memory: Memory, target: Target | None, settled: Settled, before: Snapshot | None
) -> None:
    """Add what else changed, with a look at the page only where something did."""
    shown = settled.report.get("shown")
    if before is not None and target is not None and target.raw and shown is not None:
        item = find(before.items, target.raw)
        if item is not None:
            item.body = MASK if settled.report.get("secret") else " ".join(shown.split())
    if target is None or not settled.report or settled.report.get("outside", 1):
        await add_effects(answer, memory, settled, before=before, own=True)


def _filled(target: Target, settled: Settled, value: str, *, typed: bool) -> str:
    held = settled.report.get("value")
    if not typed or held is None or _plain(held) == _plain(value):
        return f"Filled {target.name}."
    if settled.report.get("secret"):
        return f"Filled {target.name}, but it holds something else than that."
    return f"Filled {target.name}, but it now holds {_short(held)}."


def _holding(settled: Settled) -> str:
    held = settled.report.get("value")
    if held is None or settled.report.get("secret"):
        return ""
    return f"; it holds {_short(held)}"


def _plain(text: str) -> str:
    return "\n".join(text.splitlines()).strip("\n")


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")
