"""Pressing keys: alone, with modifiers held, one after the other."""

from strap import Context, Result
from strap_browser.interaction.actionability import wait_actionable
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import find_element
from strap_browser.interaction.keys import Chord, chords, holding_keys
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.response import ResponseBuilder, response_for
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry


async def press(
    key: str, ref: str | None, selector: str | None, ctx: Context[BrowserRegistry]
) -> Result:
    """Press the keys on an element, or where the focus is, and tell what that changed."""
    wanted = chords(key)
    async with using_page(ctx) as memory:
        target = await find_element(memory, ref, selector)
        effects = Effects(memory)
        if target is None:
            where = before = (await effects.begin())["focus"]
        else:
            _, target = await wait_actionable(memory, target, "focus", token=effects.token)
            effects.target, where = target, target.name
            before = (await memory.ask("focused"))["focus"]
        for chord in wanted:
            await _press(memory, chord)
        await effects.settle()
        answer = response_for(ctx)
        answer.add(f"Pressed {' '.join(key.split())} on {where}.", target.note if target else "")
        await _add_focus(answer, memory, effects, before)
        await effects.tell(answer, own=True)
        return answer.result(memory.tab)


async def _press(memory: PageState, chord: Chord) -> None:
    tab = memory.tab
    if tab.dialog is not None or not tab.alive:
        return
    keyboard = tab.page.keyboard
    async with holding_keys(tab, chord.held):
        work = keyboard.insert_text(chord.key) if chord.is_text else keyboard.press(chord.key)
        await memory.activity.race(work, tab.dialog_opened.is_set)


async def _add_focus(
    answer: ResponseBuilder, memory: PageState, effects: Effects, before: str
) -> None:
    """Say where the focus went, which differences leave out."""
    if effects.settled.navigated or not effects.settled.report.get("same"):
        return
    focus = (await memory.ask("focused"))["focus"]
    if focus != before:
        answer.add(f"The focus is on {focus}.")
