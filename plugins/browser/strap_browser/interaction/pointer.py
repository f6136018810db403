"""Where on the page the mouse has to go to meet an element."""

from strap import UsageError
from strap_browser.content.script import ScriptAnswer
from strap_browser.interaction.actionability import blocked, wait_actionable
from strap_browser.interaction.effects import Effects
from strap_browser.interaction.elements import Element, ask
from strap_browser.interaction.page_state import PageState

FRAMES = frozenset(("iframe", "frame", "object", "embed"))
BOX_LIMIT_MS = 1_000
Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""


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

    Scrolls it into view and begins the watch of `effects` on its document. With `guard` false a
    later click may go elsewhere. Raises like `actionability.ready`.
    """
    found, element = await wait_actionable(
        state, element, "check", token=effects.token, at=at, guard=guard
    )
    effects.element = element
    if "rests" in found:
        await _stir(state, *found["rests"])
    return await _on_page(state, element, found), element


async def box_of(state: PageState, element: Element) -> tuple[Box, Element]:
    """Return where the element lies, scrolled into view, whatever lies above it."""
    told, element = await ask(state, element, "box")
    left, top, width, height = told["rect"]
    if told["framed"]:
        box = await element.locator.bounding_box(timeout=BOX_LIMIT_MS)
        if box is None:
            raise blocked(element.name, {"why": "hidden"})
        left, top, width, height = box["x"], box["y"], box["width"], box["height"]
    if width < 1 or height < 1:
        raise blocked(element.name, {"why": "hidden"})
    return (left, top, width, height), element


def middle(box: Box) -> Place:
    """Return the middle of the box."""
    left, top, width, height = box
    return left + width / 2, top + height / 2


async def move_mouse(state: PageState, to: Place, *, steps: int = 1) -> None:
    """Move the mouse there, unless a dialog opens meanwhile."""
    work = state.input.mouse.move(*to, steps=steps)
    await state.activity.race(work, state.tab.dialog_opened.is_set)


async def _stir(state: PageState, x: float, y: float) -> None:
    """Move the mouse a little where it rests, as every hand does on its way.

    What opened under it meanwhile, such as a list of suggestions, would else see its first movement
    when the mouse is elsewhere already, and mistake that for a choice.
    """
    await move_mouse(state, (x + 1, y))


async def _on_page(state: PageState, element: Element, found: ScriptAnswer) -> Place:
    """Return the place on the page; `found` tells it within the element's frame."""
    if not found["framed"]:
        return found["x"], found["y"]
    # Chrome does not draw a frame of another site that is out of sight, so nothing can wait there.
    await ask(state, element, "box")
    await element.locator.scroll_into_view_if_needed(timeout=BOX_LIMIT_MS)
    box = await element.locator.bounding_box(timeout=BOX_LIMIT_MS)
    left, top, width, height = found["rect"]
    if box is None:
        raise blocked(element.name, {"why": "hidden"})
    x = box["x"] + (found["x"] - left) * (box["width"] / width if width else 1)
    y = box["y"] + (found["y"] - top) * (box["height"] / height if height else 1)
    hit = await state.ask("at", x=x, y=y)
    if hit["tag"] not in FRAMES:
        raise blocked(element.name, {"why": "covered", "by": hit["what"], "veil": hit.get("veil")})
    return x, y
