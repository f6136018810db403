"""Scrolling the page, a part of it, or an element into view."""

from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from strap import Context, Result, UsageError, action
from strap_browser import interaction
from strap_browser.actions.params import ElementParams
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import beginning
from strap_browser.engine.errors import ScriptFailed

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.page_script.bundle import ScriptAnswer
    from strap_browser.pages.registry import BrowserRegistry


WHEEL = 5_000.0
"""Pixels that the wheel is turned at most."""
WHEEL_EVENTS = frozenset(("mousewheel", "wheel"))


class Scroll(ElementParams):
    """Fields of `scroll`."""

    text: Literal["up", "down", "left", "right", "top", "bottom", "wheel"] | None = None
    """Direction; `top` and `bottom` are the ends; `wheel` turns the wheel where the mouse is."""
    x: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels to the right; left out: most of what is shown."""
    y: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels down."""

    @property
    def is_aimless(self) -> bool:
        """Whether neither a direction nor a distance is given."""
        return self.text is None and self.x is None and self.y is None


@action("browser", effect="write", asks_person=True)
async def scroll(params: Scroll, ctx: "Context[BrowserRegistry]") -> Result:
    """Scroll the page, a part of it, or an element into view.

    With `ref` or `selector` alone the element is brought into view; with a direction, it or what
    it stands in is scrolled. Over a map, which takes the wheel itself, the wheel is turned. Waits
    for what that makes the page load, and answers with the place reached and what is new. Only
    needed for pages that load more when scrolled: all other actions scroll by themselves.
    """
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None and params.is_aimless:
            raise UsageError(
                "scroll needs text (up, down, left, right, top, bottom), x or y, or an element."
            )
        if element is None:
            await interaction.confirm_page(ctx, state.tab)
        else:
            (element,) = await interaction.confirm_elements(ctx, state, element)
        if params.text == "wheel":
            return await _wheel(state, params, interaction.response_for(ctx))
        effects = interaction.Effects(state)
        reply, element = await _scroll(state, element, params, effects)
        effects.element = element
        answer = interaction.response_for(ctx)
        if reply.get("none"):
            answer.add(await _turn_wheel(state, element, reply))
        else:
            answer.add(_position(reply, element, params))
        answer.add(element.note if element else "")
        await interaction.next_frames_drawn(state.tab)
        await effects.settle()
        await effects.tell(answer, own=True)
        return answer.result(state.tab)


async def _scroll(
    state: "PageState", element: "Element | None", params: Scroll, effects: "Effects"
) -> "tuple[ScriptAnswer, Element | None]":
    fields: ScriptAnswer = {
        "to": params.text,
        "dx": params.x,
        "dy": params.y,
        "token": effects.token,
    }
    if element is None:
        return await state.ask("scroll", **fields), None
    if not params.is_aimless:
        fields["wheel"] = await _takes_wheel(element)
    return await interaction.ask(state, element, "scroll", **fields)


async def _wheel(state: "PageState", params: Scroll, answer: "ResponseBuilder") -> Result:
    """Turn the wheel where the mouse is, as a hand does, over whatever lies there."""
    if params.ref or params.selector:
        raise UsageError("text='wheel' is about where the mouse is: move it with hover.")
    x, y = params.x or 0.0, params.y or 0.0
    effects, mouse = interaction.Effects(state), state.tab.page.mouse
    place = mouse.place or (0.0, 0.0)
    await effects.begin()
    await state.activity.race(mouse.wheel(x, y), state.tab.dialog_opened.is_set)
    answer.add("Turned the mouse wheel by {:g}, {:g} px at {:g}, {:g}.".format(x, y, *place))
    await interaction.next_frames_drawn(state.tab)
    await effects.settle()
    await effects.tell(answer, own=True)
    return answer.result(state.tab)


async def _takes_wheel(element: "Element") -> bool:
    from strap_browser.interaction.listeners import listeners_of

    with suppress(CdpError, ScriptFailed):  # it is gone, or this browser does not tell
        if ground := await interaction.part_of(element, ".ground"):
            heard = await listeners_of(element.frame, ground, below=True)
            ground.release()
            return any(item["type"] in WHEEL_EVENTS and not item["passive"] for item in heard)
    return False


async def _turn_wheel(state: "PageState", element: "Element | None", answer: "ScriptAnswer") -> str:
    """Turn the wheel where nothing scrolls: maps and drawings listen to it."""
    mouse, blocked = state.tab.page.mouse, state.tab.dialog_opened.is_set
    place = tuple(answer["middle"])
    if answer["framed"] and element is not None:
        box, element = await interaction.box_of(state, element)
        place = interaction.middle(box)
    x, y = (max(-WHEEL, min(WHEEL, by)) for by in answer["by"])
    await interaction.move_mouse(state, place)
    await state.activity.race(mouse.wheel(x, y), blocked)
    where = element.name if element else "the page"
    if answer.get("heard"):
        return f"Turned the mouse wheel over {where}."
    return f"Nothing scrolls in {where}; turned the mouse wheel there."


def _position(answer: "ScriptAnswer", element: "Element | None", params: Scroll) -> str:
    at, where = interaction.place_reached(answer)
    if params.is_aimless and element is not None:
        seen = "is in view" if answer["shown"] else "has no place on the page"
        return f"{beginning(element.name)} {seen}: {where} is {at}."
    if not answer["moved"]:
        return f"It does not scroll further: {at} of {where}."
    return f"Scrolled to {at} of {where}."
