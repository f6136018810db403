"""The mouse on an element: `click`, with the proof that it arrived, and `hover`."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from strap import ActionError, Context, Result, UsageError, action, record
from strap_browser import interaction
from strap_browser.actions.params import ElementParams
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import quoted

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.pages.registry import BrowserRegistry


Button = Literal["left", "middle", "right"]
DONE = {"right": "Right-clicked", "middle": "Middle-clicked", "double": "Double-clicked"}
DONE |= {"triple": "Triple-clicked", "hold": "Pressed and held"}
COUNTS = {"double": 2, "triple": 3}
"""Clicks for each value."""
ATTEMPTS = 3
LOST = {
    "gone": ": the page removed it meanwhile",
    "replaced": ": the page replaced it meanwhile",
    "away": ": the {last} did not reach it",
    "covered": ": {by} came under the mouse",
    "disabled": ": the page disabled it meanwhile",
}
"""Why what was pressed got no click, as the page tells it."""
ONCE, TWICE = ("the press", "click", "release"), ("the first click", "double click", "second")
"""Events of a click in words: received, missed, and the one due last."""
TIP_LIMIT = 1.0
"""Seconds for which a tip is waited for: many come after the mouse rested for up to 0.7 s."""


LONG, HELD_LIMIT, HELD_STEP = 0.5, 2.0, 0.1
"""Seconds: a long press has at least so many on phones; the longest; those between two looks."""


@record
class ClickOptions:
    """How to click: `at` is a place in the element, or on the page where there is none."""

    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    at: tuple[float, float] | None = None
    is_held: bool = False

    @property
    def selects(self) -> bool:
        """Whether it may select text: a word, or all up to where it is."""
        return self.count > 1 or bool(self.keys)


class Click(ElementParams):
    """Fields of `click`."""

    value: Literal["right", "middle", "double", "triple", "hold"] | None = None
    """`right`, `middle`, `double`, `triple`, or `hold` for a long press; else a plain click."""
    key: str | None = Field(default=None, max_length=40)
    """Keys to hold meanwhile, such as Control+Shift."""
    x: float | None = None
    """Pixels from the left of the element, or of the viewport if none is given."""
    y: float | None = None
    """Pixels from its top."""


@action("browser", effect="write", asks_person=True, acts_as=("select",))
async def click(params: Click, ctx: "Context[BrowserRegistry]") -> Result:
    """Click an element, or a place on the page.

    The element is scrolled into view. What covers, hides or disables it is an error at once.
    Waits for what the click starts (navigation, requests, changes) and answers with what changed.
    """
    how, done = _options(params), DONE.get(params.value or "", "Clicked")
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        answer = interaction.response_for(ctx)
        if element is not None:
            (element,) = await interaction.confirm_elements(ctx, state, element)
            effects, element = await press_element(state, element, how)
            answer.add(f"{done} {element.name}.", element.note)
            if _has_moved_away(effects.settled.report):
                answer.data["reached"] = False
        elif how.at is not None:
            await interaction.confirm_elements(ctx, state, at=how.at)
            effects = await _click_place(state, how, *how.at)
            taken = _taken(effects.settled.report, "What is there")
            answer.add("{} at {:g}, {:g}.".format(done, *how.at), taken)
        else:
            raise UsageError("click needs ref, selector, or x and y.")
        await effects.tell(answer)
        return answer.result(state.tab)


def _options(params: Click) -> ClickOptions:
    return ClickOptions(
        button=params.value if params.value in ("right", "middle") else "left",
        count=COUNTS.get(params.value or "", 1),
        keys=interaction.modifiers(params.key),
        at=interaction.point_from(params.x, params.y),
        is_held=params.value == "hold",
    )


async def _ensure_shown(state: "PageState", x: float, y: float) -> None:
    metrics = await state.send("Page.getLayoutMetrics")
    shown = metrics["cssLayoutViewport"]
    width, height = shown["clientWidth"], shown["clientHeight"]
    if not (0 <= x < width and 0 <= y < height):
        raise UsageError(
            f"x={x:g}, y={y:g} is outside the viewport of {width:g} x {height:g} px.",
            hint="Scroll first, or give ref or selector.",
        )


async def _click_place(state: "PageState", how: ClickOptions, x: float, y: float) -> "Effects":
    await _ensure_shown(state, x, y)
    effects = interaction.Effects(state)
    effects.selects = how.selects
    await effects.begin()
    await _press(state, x, y, how, effects)
    await effects.settle()
    return effects


async def press_element(
    state: "PageState", element: "Element", how: ClickOptions
) -> "tuple[Effects, Element]":
    """Click the element; raises `ActionError` (code "missed") if the click went elsewhere."""
    by = ""
    for _ in range(ATTEMPTS):
        effects = interaction.Effects(state)
        effects.selects = how.selects
        try:
            (x, y), element = await interaction.hit_point(state, element, effects, at=how.at)
        except ActionError as error:
            if by and error.code == "hidden":
                raise _went_at_sight(element) from error
            raise
        await _press(state, x, y, how, effects)
        settled = await effects.settle()
        report = settled.report
        by = report.get("by", "")
        if settled.navigated or not report.get("same") or report["hit"] == "yes":
            return effects, replace(element, note=f"{element.note} {_taken(report)}".strip())
        if not by:
            break
    raise ActionError(
        f"{element.name} could not be clicked: "
        + (f"{by} came under the mouse instead." if by else "the click did not arrive there."),
        hint=_hint_of_miss(state, element, by),
        code="missed",
    )


def _went_at_sight(element: "Element") -> ActionError:
    """Return the error for what a page takes away as the mouse comes, for something else."""
    return ActionError(
        f"{element.name} could not be clicked: the page took it away as the mouse came over it.",
        hint="What it is there for may be open now: look with `snapshot`.",
        code="missed",
    )


def _taken(report: dict[str, Any], what: str = "It") -> str:
    if by := report.get("by"):
        return f"{by} lies over it, and took the click."
    if not (lost := report.get("lost")):
        return ""
    got, missed, last = TWICE if lost["twice"] else ONCE
    why = LOST.get(lost["why"], "").format(by=lost.get("by"), last=last)
    return f"{what} got {got}, but no {missed}{why}."


def _has_moved_away(report: dict[str, Any]) -> bool:
    """Whether the page moved the element between press and release, so that it got no click."""
    return bool((report.get("lost") or {}).get("moved"))


def _hint_of_miss(state: "PageState", element: "Element", by: str) -> str:
    if by:
        return "Take a new snapshot, or a screenshot."
    if element.is_framed:
        return "Its frame may be zoomed or turned: click at x and y, as `screenshot` shows it."
    return "A window of the browser itself may be in the way: open the page with new_page."


async def _press(
    state: "PageState", x: float, y: float, how: ClickOptions, effects: "Effects"
) -> None:
    tab = state.tab
    click = tab.page.mouse.click(x, y, button=how.button, click_count=how.count)
    if how.is_held:
        click.close()
        click = _hold(state, x, y, effects)
    async with interaction.holding_keys(state, how.keys):
        await state.activity.race(click, lambda: tab.dialog_opened.is_set() or not tab.alive)


async def _hold(state: "PageState", x: float, y: float, effects: "Effects") -> None:
    mouse = state.tab.page.mouse
    await mouse.move(x, y)
    await mouse.down()
    try:
        await asyncio.sleep(LONG)
        before, until = await effects.report(), monotonic() + HELD_LIMIT - LONG
        while monotonic() < until and not effects.pending:
            await asyncio.sleep(HELD_STEP)
            report = await effects.report()
            if report.get("changes") != before.get("changes") and _is_quiet(report):
                break
    except BaseException:
        state.tab.session.spawn(mouse.up())  # no button stays down
        raise
    await mouse.up()


def _is_quiet(report: dict[str, Any]) -> bool:
    """Whether what answers the press is done: a ring that fills meanwhile is not."""
    return bool(report.get("quiet", 0) >= 1000 * HELD_STEP)


class Hover(ElementParams):
    """Fields of `hover`."""

    x: float | None = None
    """Pixels from the left of the element, or of the viewport if none is given."""
    y: float | None = None
    """Pixels from its top."""


@action("browser", effect="write", asks_person=True)
async def hover(params: Hover, ctx: "Context[BrowserRegistry]") -> Result:
    """Move the mouse over an element or to a place, and answer with what that shows."""
    at = interaction.point_from(params.x, params.y)
    async with interaction.using_page(ctx, confirms=True) as state:
        element = await interaction.find_element(state, params.ref, params.selector)
        effects = interaction.Effects(state)
        effects.news_limit = TIP_LIMIT
        effects.is_gone_news = False  # the mouse left something, whose tip went
        if element is not None:
            (element,) = await interaction.confirm_elements(ctx, state, element)
            place, element = await interaction.hit_point(
                state, element, effects, at=at, guard=False
            )
        elif at is not None:
            await _ensure_shown(state, *at)
            await interaction.confirm_elements(ctx, state, at=at)
            await effects.begin()
            place = at
        else:
            raise UsageError("hover needs ref, selector, or x and y.")
        await interaction.move_mouse(state, place)
        await interaction.next_frames_drawn(state.tab)
        await effects.settle()
        answer = interaction.response_for(ctx)
        if element is None:
            answer.add("The mouse is at {:g}, {:g}.".format(*place))
            await effects.tell(answer)
            return answer.result(state.tab)
        answer.add(f"The mouse is over {element.name}.", element.note)
        await effects.tell(answer)
        await _describe(state, element, answer)
        return answer.result(state.tab)


async def _describe(state: "PageState", element: "Element", answer: "ResponseBuilder") -> None:
    """Add what a tip says of the element that no snapshot shows, as that of a `title`."""
    facts: dict[str, Any] = {}
    if state.tab.dialog is None and state.tab.alive:
        with suppress(ActionError, CdpError):  # it went, or its page did, as the mouse came
            facts, _ = await interaction.ask(state, element, "described")
    described = facts.get("described", "")
    lines = (element.name, *answer.lines)
    if described and not any(_says(line, described) for line in "\n".join(lines).splitlines()):
        answer.add(f"Described as {quoted(described)}.")


def _says(line: str, text: str) -> bool:
    return quoted(text) in line or line.endswith(f": {text}")
