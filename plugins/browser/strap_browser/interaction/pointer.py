"""Places on the page where the mouse meets an element."""

from contextlib import suppress

from strap import UsageError
from strap_browser.cdp.errors import CdpError
from strap_browser.engine.frames.geometry import Box, Place, box_on_page, places_on_page
from strap_browser.interaction.actionability import blocked, refused, wait_actionable
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.element import Element
from strap_browser.interaction.elements import ask, handle_of
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.settle import frames_drawn
from strap_browser.page_script.bundle import ScriptAnswer

FRAMES = frozenset(("iframe", "frame", "object", "embed"))


def point_from(x: float | None, y: float | None) -> Place | None:
    """Return the place, None if none is given; raises `UsageError` for half of one."""
    if x is None and y is None:
        return None
    if x is None or y is None:
        raise UsageError("A place needs x and y, both.")
    return x, y


async def hit_point(
    state: PageState,
    element: Element,
    effects: Effects,
    *,
    at: Place | None = None,
    guard: bool | None = None,
) -> tuple[Place, Element]:
    """Return where the mouse meets the element, checked, and the element it is about.

    Scrolls it into view and begins the watch of `effects` on its document; what is to be dragged
    is met at its thumb. With `guard` false a later click may go elsewhere. Raises like
    `actionability.ready`.
    """
    how = {"token": effects.token, "at": at, "guard": guard, "drags": effects.drags or None}
    point, element = await wait_actionable(state, element, "check", **how)
    effects.element = element
    if "rests" in point:
        await _stir(state, *point["rests"])
    return await _on_page(state, element, point), element


async def box_of(state: PageState, element: Element) -> tuple[Box, Element]:
    """Return where the element lies, scrolled into view, whatever lies above it."""
    answer, element = await ask(state, element, "box")
    box = answer["rect"]
    if answer["framed"]:
        await _bring_into_view(element)
        answer, element = await ask(state, element, "box")
        box = await box_on_page(element.frame, answer["rect"])
    left, top, width, height = box
    if width < 1 or height < 1:
        raise refused(state, element, answer | {"why": "hidden"})
    return (left, top, width, height), element


def middle(box: Box) -> Place:
    """Return the middle of the box."""
    left, top, width, height = box
    return left + width / 2, top + height / 2


async def move_mouse(state: PageState, to: Place) -> None:
    """Move the mouse there, unless a dialog opens meanwhile."""
    work = state.tab.page.mouse.move(*to)
    await state.activity.race(work, state.tab.dialog_opened.is_set)


async def _stir(state: PageState, x: float, y: float) -> None:
    """Move the mouse a little where it rests, as every hand does on its way.

    What opened under it meanwhile, such as a list of suggestions, would else see its first movement
    when the mouse is elsewhere already, and mistake that for a choice.
    """
    await move_mouse(state, (x + 1, y))


async def _on_page(state: PageState, element: Element, point: ScriptAnswer) -> Place:
    if not point["framed"]:
        return point["x"], point["y"]
    left, top, *_ = point["rect"]
    offset = point["x"] - left, point["y"] - top
    hit = {"what": "the page"}
    for towards in (None, offset):  # what is larger than the page is seen where it is clicked
        await _bring_into_view(element, towards)
        if element.frame.session is not state.tab.page.session:
            # Chrome does not draw a frame of another site out of sight: no click gets there.
            await frames_drawn(element.frame)
        answer, element = await ask(state, element, "box")
        left, top, width, height = answer["rect"]
        if width < 1 or height < 1:
            raise blocked(element.name, {"why": "hidden"})
        place = left + offset[0], top + offset[1]
        if _is_within(place, answer["window"]):
            ((x, y),) = await places_on_page(element.frame, [place])
            hit = await state.ask("at", x=x, y=y)
            if hit["tag"] in FRAMES:
                return x, y
    raise blocked(element.name, {"why": "covered", "by": hit["what"], "veil": hit.get("veil")})


def _is_within(place: Place, window: Place) -> bool:
    return 0 <= place[0] < window[0] and 0 <= place[1] < window[1]


async def _bring_into_view(element: Element, place: Place | None = None) -> None:
    rect = {"rect": {"x": place[0], "y": place[1], "width": 1, "height": 1}} if place else {}
    handle = await handle_of(element)
    with suppress(CdpError):  # what has no box cannot be scrolled to
        await handle.session.send("DOM.scrollIntoViewIfNeeded", objectId=handle.object_id, **rect)
    handle.release()
