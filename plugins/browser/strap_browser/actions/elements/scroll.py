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
    async with using_page(ctx) as memory:
        target = await find_element(memory, ref, selector)
        if target is None and how == Scroll():
            raise UsageError(
                "scroll needs text (up, down, left, right, top, bottom), x or y, or an element."
            )
        effects = Effects(memory)
        told, target = await _scroll(memory, target, how, effects)
        effects.target = target
        answer = response_for(ctx)
        if told.get("none"):
            answer.add(await _turn_wheel(memory, target, told))
        else:
            answer.add(_position(told, target, how))
        answer.add(target.note if target else "")
        await next_frames_drawn(memory.tab)
        await effects.settle()
        await effects.tell(answer, own=True)
        return answer.result(memory.tab)


async def _scroll(
    memory: PageState, target: Element | None, how: Scroll, effects: Effects
) -> tuple[Told, Element | None]:
    asked: Told = {"to": how.to, "dx": how.x, "dy": how.y, "token": effects.token}
    if target is None:
        return await memory.ask("scroll", **asked), None
    return await ask(memory, target, "scroll", **asked)


async def _turn_wheel(memory: PageState, target: Element | None, told: Told) -> str:
    """Turn the wheel where nothing scrolls: maps and drawings listen to it."""
    mouse, blocked = memory.tab.page.mouse, memory.tab.dialog_opened.is_set
    place = tuple(told["middle"])
    if told["framed"] and target is not None:
        box, target = await box_of(memory, target)
        place = middle(box)
    x, y = (max(-WHEEL, min(WHEEL, by)) for by in told["by"])
    await move_mouse(memory, place)
    await memory.activity.race(mouse.wheel(x, y), blocked)
    where = target.name if target else "the page"
    return f"Nothing scrolls in {where}; turned the mouse wheel there."


def _position(told: Told, target: Element | None, how: Scroll) -> str:
    where = f" of {told['name'] or 'the page'}"
    at = f"{told['top']:,} of {told['bottom']:,} px down"
    if told["right"]:
        at += f", {told['left']:,} of {told['right']:,} px right"
    if how == Scroll() and target is not None:
        state = "is in view" if told["shown"] else "has no place on the page"
        return f"{target.name[:1].upper()}{target.name[1:]} {state}: the page is {at}."
    if not told["moved"]:
        return f"It does not scroll further: {at}{where}."
    return f"Scrolled to {at}{where}."
