"""The actions that use mouse and keyboard: scroll, hover, select."""

from typing import Any, Literal

from pydantic import Field, model_validator

from strap import Context, Result, action
from strap_browser.browsers import Browsers
from strap_browser.pageactions import ElementParams
from strap_browser.resource import browser


class Scroll(ElementParams):
    """What to scroll, and where to."""

    text: Literal["up", "down", "left", "right", "top", "bottom"] | None = None
    """Direction; `top` and `bottom` are the ends."""
    x: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels to the right; left out: most of what is shown."""
    y: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels down."""


class Select(ElementParams):
    """Which options, and of which drop-down."""

    value: str = Field(max_length=20_000)
    """Text or value of the option; several one a line, or as a JSON list."""

    @model_validator(mode="before")
    @classmethod
    def _take_list(cls, values: Any) -> Any:
        """A list of options is as good as its JSON."""
        if isinstance(values, dict) and isinstance(values.get("value"), list):
            import json

            return values | {"value": json.dumps(values["value"])}
        return values


@action(browser, effect="write")
async def scroll(params: Scroll, ctx: Context[Browsers]) -> Result:
    """Scroll the page, a part of it, or an element into view.

    With `ref` or `selector` alone the element is brought into view; with a direction, it or what
    it stands in is scrolled. Waits for what that makes the page load, and answers with the place
    reached and what is new. Only needed for pages that load more when scrolled: all other actions
    scroll by themselves.
    """
    from strap_browser import scrolling

    how = scrolling.Scroll(to=params.text, x=params.x, y=params.y)
    return await scrolling.scroll(params.ref, params.selector, how, ctx)


@action(browser, effect="write")
async def hover(params: ElementParams, ctx: Context[Browsers]) -> Result:
    """Move the mouse over an element, and answer with what that shows."""
    from strap_browser import hovering

    return await hovering.hover(params.ref, params.selector, ctx)


@action(browser, effect="write")
async def select(params: Select, ctx: Context[Browsers]) -> Result:
    """Choose one or more options of a drop-down, by text or value.

    What was chosen before is given up. A drop-down that a page draws itself is clicked instead,
    then its option.
    """
    from strap_browser import selecting

    return await selecting.select(params.ref, params.selector, params.value, ctx)


ACTIONS = [scroll, hover, select]
