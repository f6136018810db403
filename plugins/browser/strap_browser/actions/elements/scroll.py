"""Scrolling the page, a part of it, or an element into view."""

from dataclasses import dataclass
from typing import Literal

from strap import Context, Result, UsageError
from strap_browser.content.script import ScriptAnswer as Told
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import Element, ask, find_element
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.pointer import box_of, middle, move_mouse
from strap_browser.interaction.response import response_for
from strap_browser.interaction.settle import next_frames_drawn
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry

WHEEL = 5_000.0
"""Pixels that the wheel is turned at most."""
Direction = Literal["up", "down", "left", "right", "top", "bottom"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scroll:
    """Where to scroll: `x` and `y` are pixels, to the right and down or in the direction `to`."""

    to: Direction | None = None
    x: float | None = None
    y: float | None = None


async def scroll(
    ref: str | None, selector: str | None, how: Scroll, ctx: Context[BrowserRegistry]
) -> Result:
    """Scroll, and tell how far it went and what that changed."""
    async with using_page(ctx) as state:
        element = await find_element(state, ref, selector)
        if element is None and how == Scroll():
            raise UsageError(
                "scroll needs text (up, down, left, right, top, bottom), x or y, or an element."
            )
        effects = Effects(state)
        told, element = await _scroll(state, element, how, effects)
        effects.element = element
        answer = response_for(ctx)
        if told.get("none"):
            answer.add(await _turn_wheel(state, element, told))
        else:
            answer.add(_position(told, element, how))
        answer.add(element.note if element else "")
        await next_frames_drawn(state.tab)
        await effects.settle()
        await effects.tell(answer, own=True)
        return answer.result(state.tab)


async def _scroll(
    state: PageState, element: Element | None, how: Scroll, effects: Effects
) -> tuple[Told, Element | None]:
    asked: Told = {"to": how.to, "dx": how.x, "dy": how.y, "token": effects.token}
    if element is None:
        return await state.ask("scroll", **asked), None
    return await ask(state, element, "scroll", **asked)


async def _turn_wheel(state: PageState, element: Element | None, told: Told) -> str:
    """Turn the wheel where nothing scrolls: maps and drawings listen to it."""
    mouse, blocked = state.tab.page.mouse, state.tab.dialog_opened.is_set
    place = tuple(told["middle"])
    if told["framed"] and element is not None:
        box, element = await box_of(state, element)
        place = middle(box)
    x, y = (max(-WHEEL, min(WHEEL, by)) for by in told["by"])
    await move_mouse(state, place)
    await state.activity.race(mouse.wheel(x, y), blocked)
    where = element.name if element else "the page"
    return f"Nothing scrolls in {where}; turned the mouse wheel there."


def _position(told: Told, element: Element | None, how: Scroll) -> str:
    where = f" of {told['name'] or 'the page'}"
    at = f"{told['top']:,} of {told['bottom']:,} px down"
    if told["right"]:
        at += f", {told['left']:,} of {told['right']:,} px right"
    if how == Scroll() and element is not None:
        where = "is in view" if told["shown"] else "has no place on the page"
        return f"{element.name[:1].upper()}{element.name[1:]} {where}: the page is {at}."
    if not told["moved"]:
        return f"It does not scroll further: {at}{where}."
    return f"Scrolled to {at}{where}."
