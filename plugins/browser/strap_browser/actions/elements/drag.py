"""Dragging with the mouse: elements onto others, sliders, lines on a drawing."""

import asyncio
import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import Field

from strap import Context, Result, UsageError, action
from strap_browser import interaction
from strap_browser.actions.params import ElementParams

if TYPE_CHECKING:
    from strap_browser.engine.frames.geometry import Box, Place
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry


STEP = 12.0
"""Pixels between two movements of the mouse: pages follow it, and count on several."""
HOLD = 10.0
"""Pixels after which a browser takes a movement for a drag."""
PAST = 10.0
"""Pixels that the mouse goes past the middle of an element: see `_through`."""
MOST_STEPS = 40
MOST_PLACES = 200
GIVE_UP = 1.0
HELD = 0.3
"""Seconds before the mouse moves to a goal: pages that tell drags from clicks count on them."""
PAUSE = 0.05
"""Seconds after which a browser tells of a drag that rests (Chrome; HTML asks for .15 to .55)."""
RESTS = 4
"""Pauses on a goal: lists look away while what gives way to the mouse moves, often for .15 s."""
PATH = re.compile(r"-?\d+(\.\d+)?,-?\d+(\.\d+)?")


class Drag(ElementParams):
    """Fields of `drag`."""

    value: str = Field(max_length=4_000)
    """Goal: a ref, a selector, or pixels from the start as `100,0`; several make a path."""
    x: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Start: pixels from the left of the element, or of the viewport."""
    y: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels from its top."""


@action("browser", effect="write", asks_person=True, acts_as=("click",))
async def drag(params: Drag, ctx: "Context[BrowserRegistry]") -> Result:
    """Drag an element onto another, or with the mouse along a path.

    For lists that are sorted by hand, sliders and drawings. What is dropped, and whether the page
    takes it, is seen in what changed.
    """
    path, at = _path(params.value), interaction.point_from(params.x, params.y)
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None and at is None:
            raise UsageError("drag needs ref, selector, or x and y: where to begin.")
        goal = None if path else await _goal(state, params.value)
        element, goal = await _confirmed(ctx, state, element, goal, at)
        effects = interaction.Effects(state)
        effects.drags = effects.selects = True
        start = at or (0.0, 0.0)
        if element is None:
            await effects.begin()
        else:
            start, element = await interaction.hit_point(state, element, effects, at=at)
        ends = [(start[0] + x, start[1] + y) for x, y in path]
        arrived = await _drag(state, start, ends, goal)
        await interaction.next_frames_drawn(state.tab)
        await effects.settle()
        answer = interaction.response_for(ctx)
        name = element.name if element else f"from {start[0]:g}, {start[1]:g}"
        answer.add(f"Dragged {name} {_where(arrived, path)}.", element.note if element else "")
        await effects.tell(answer)
        return answer.result(state.tab)


def _path(value: str) -> "list[Place]":
    words = value.split()
    if not words or not all(PATH.fullmatch(word) for word in words):
        return []
    if len(words) > MOST_PLACES:
        raise UsageError(f"{len(words)} places are too many (at most {MOST_PLACES}).")
    places = (word.split(",") for word in words)
    return [(float(x), float(y)) for x, y in places]


async def _goal(state: "PageState", value: str) -> "Element":
    is_ref = interaction.is_ref_or_target(value)
    goal = await interaction.find_element(
        state, value if is_ref else None, None if is_ref else value
    )
    if goal is None:
        raise UsageError("drag needs value: a ref, a selector, or pixels as in value='100,0'.")
    return goal


async def _confirmed(
    ctx: "Context[BrowserRegistry]",
    state: "PageState",
    element: "Element | None",
    goal: "Element | None",
    at: "Place | None",
) -> "tuple[Element | None, Element | None]":
    """Return the two after a person's yes: along a path it may end in any frame."""
    elements = [part for part in (element, goal) if part is not None]
    place = at if element is None else None
    anywhere = goal is None
    asking = interaction.confirm_elements(ctx, state, *elements, at=place, anywhere=anywhere)
    pinned = list(await asking)
    element = pinned.pop(0) if element is not None else None
    return element, pinned.pop() if pinned else None


async def _drag(
    state: "PageState", start: "Place", ends: "list[Place]", goal: "Element | None"
) -> "Element | None":
    mouse, tab = state.tab.page.mouse, state.tab
    await mouse.move(*start)
    await mouse.down()
    try:
        at = start
        if goal is not None:
            await asyncio.sleep(HELD)
            at = (start[0] + HOLD, start[1] + HOLD)
            await mouse.move(*at)
            box, goal = await interaction.box_of(state, goal)
            ends = _through(at, box)
        for end in ends:
            await _move(state, at, end)
            at = end
        if goal is not None:
            await _rest(state)
        await state.activity.race(mouse.up(), tab.dialog_opened.is_set)
    except BaseException:
        tab.session.spawn(_give_up(state, start))
        raise
    return goal


async def _rest(state: "PageState") -> None:
    """Stay on the goal, as a hand does that is about to drop; along a path it swipes on."""
    for _ in range(RESTS):
        await asyncio.sleep(PAUSE)
        await state.activity.race(state.tab.page.mouse.linger(), state.tab.dialog_opened.is_set)


def _through(at: "Place", box: "Box") -> "list[Place]":
    """Return the way to the middle of the box: a little past it, and back.

    In a list that is sorted by hand an element often gives way only once the mouse has passed its
    middle, as in jQuery UI's Sortable.
    """
    x, y = interaction.middle(box)
    beyond = [min(PAST, size / 4) for size in box[2:]]
    past = (x + math.copysign(beyond[0], x - at[0]), y + math.copysign(beyond[1], y - at[1]))
    return [past, (x, y)]


async def _move(state: "PageState", start: "Place", end: "Place") -> None:
    far = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    steps = max(2, min(MOST_STEPS, int(far / STEP)))
    work = state.tab.page.mouse.move(*end, steps=steps)
    await state.activity.race(work, state.tab.dialog_opened.is_set)


async def _give_up(state: "PageState", start: "Place") -> None:
    """Let go without dropping anything, after the key that ends a drag, where it began."""
    page = state.tab.page
    with suppress(Exception):
        async with asyncio.timeout(GIVE_UP):
            await page.keyboard.press("Escape")
            await page.mouse.move(*start)
    with suppress(Exception):
        async with asyncio.timeout(GIVE_UP):
            await page.mouse.give_up()


def _where(goal: "Element | None", path: "list[Place]") -> str:
    if goal is not None:
        return f"to {goal.name}"
    return f"by {path[-1][0]:g}, {path[-1][1]:g} px"
