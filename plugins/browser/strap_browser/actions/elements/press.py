"""Pressing keys: alone, with modifiers held, one after the other."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import Context, Result, action
from strap_browser import interaction
from strap_browser.actions.params import ElementParams

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.keys import Chord
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry


class Press(ElementParams):
    """Fields of `press`."""

    key: str = Field(max_length=1_000)
    """Key such as `Enter` or `Control+A`; several are separated by spaces."""


@action("browser", effect="write", asks_person=True, acts_as=("click", "fill", "select", "type"))
async def press(params: Press, ctx: "Context[BrowserRegistry]") -> Result:
    """Press keys on an element, or wherever the focus is.

    Answers with where the focus went and what changed. `type` enters text.
    """
    keys = interaction.chords(params.key)
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_key_target(state, params.ref, params.selector)
        element = await interaction.confirm_keys(ctx, state, element)
        for again in interaction.FOCUSINGS:
            effects = interaction.Effects(state)
            before = await _press_all(state, element, keys, effects)
            element = effects.element
            if not interaction.strays(element, effects.settled.report, again=again):
                break
        where = element.name if element else before["focus"]
        answer = interaction.response_for(ctx)
        answer.add(
            f"Pressed {' '.join(params.key.split())} on {where}.", element.note if element else ""
        )
        above = len(answer.lines)
        await effects.tell(answer, own=True)
        answer.lines[above:above] = await _focus_news(state, effects, before)
        return answer.result(state.tab)


async def _press_all(
    state: "PageState", element: "Element | None", chords: "list[Chord]", effects: "Effects"
) -> dict[str, Any]:
    effects.selects = True
    if element is None:
        before = await effects.begin()
    else:
        _, effects.element = await interaction.wait_actionable(
            state, element, "focus", token=effects.token
        )
        before = await state.ask("focused")
    for chord in chords:
        await _press(state, chord)
    await effects.settle()
    return before


async def _press(state: "PageState", chord: "Chord") -> None:
    tab = state.tab
    if tab.dialog is not None or not tab.alive:
        return
    keyboard = state.tab.page.keyboard
    async with interaction.holding_keys(state, chord.held):
        work = keyboard.insert_text(chord.key) if chord.is_text else keyboard.press(chord.key)
        await state.activity.race(work, tab.dialog_opened.is_set)


async def _focus_news(state: "PageState", effects: "Effects", before: dict[str, Any]) -> list[str]:
    """Return where the focus went, which differences leave out: it may have come back meanwhile."""
    is_same = not effects.settled.navigated and effects.settled.report.get("same")
    if not is_same or state.tab.dialog is not None or not state.tab.alive:
        return []
    focused = await state.ask("focused")
    if focused["ref"] != before["ref"] and focused["focus"] != before["focus"]:
        return [f"The focus is on {focused['focus']}."]
    return []
