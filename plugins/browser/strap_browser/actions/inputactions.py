"""The actions that use mouse and keyboard: scroll, hover, select, press, drag, upload."""

from typing import Any, Literal

from pydantic import Field, model_validator

from strap import Context, Result, StringList, action
from strap_browser.actions.pageactions import ElementParams
from strap_browser.pages.registry import BrowserRegistry


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


class Press(ElementParams):
    """What to press, and where."""

    key: str = Field(max_length=1_000)
    """Key such as `Enter` or `Control+A`; several are separated by spaces."""


class Drag(ElementParams):
    """What to drag, and where to."""

    value: str = Field(max_length=4_000)
    """Where to: a ref, a selector, or pixels from the start as `100,0`; several make a path."""
    x: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Where to take hold: pixels from the left of the element, or of the viewport."""
    y: float | None = Field(default=None, ge=-100_000, le=100_000)
    """Pixels from its top."""


class Upload(ElementParams):
    """Which files, and for which field."""

    paths: StringList = Field(min_length=1, max_length=100)
    """Files in the output folder, by their names."""


@action("browser", effect="write")
async def scroll(params: Scroll, ctx: Context[BrowserRegistry]) -> Result:
    """Scroll the page, a part of it, or an element into view.

    With `ref` or `selector` alone the element is brought into view; with a direction, it or what
    it stands in is scrolled. Waits for what that makes the page load, and answers with the place
    reached and what is new. Only needed for pages that load more when scrolled: all other actions
    scroll by themselves.
    """
    from strap_browser.actions.elements import scroll as scrolling

    how = scrolling.Scroll(to=params.text, x=params.x, y=params.y)
    return await scrolling.scroll(params.ref, params.selector, how, ctx)


@action("browser", effect="write")
async def hover(params: ElementParams, ctx: Context[BrowserRegistry]) -> Result:
    """Move the mouse over an element, and answer with what that shows."""
    from strap_browser.actions.elements import hover as hovering

    return await hovering.hover(params.ref, params.selector, ctx)


@action("browser", effect="write")
async def select(params: Select, ctx: Context[BrowserRegistry]) -> Result:
    """Choose one or more options of a drop-down, by text or value.

    What was chosen before is given up. Where groups have options of the same text, write
    `Group: option`. A drop-down that a page draws itself is clicked instead, then its option.
    """
    from strap_browser.actions.elements import select as selecting

    return await selecting.select(params.ref, params.selector, params.value, ctx)


@action("browser", effect="write")
async def press(params: Press, ctx: Context[BrowserRegistry]) -> Result:
    """Press keys on an element, or wherever the focus is.

    Answers with where the focus went and what changed. `type` enters text.
    """
    from strap_browser.actions.elements import press as pressing

    return await pressing.press(params.key, params.ref, params.selector, ctx)


@action("browser", effect="write")
async def drag(params: Drag, ctx: Context[BrowserRegistry]) -> Result:
    """Drag an element onto another, or with the mouse along a path.

    For lists that are sorted by hand, sliders and drawings. What is dropped, and whether the page
    takes it, is seen in what changed.
    """
    from strap_browser.actions.elements import drag as dragging
    from strap_browser.interaction import pointer

    at = pointer.point_from(params.x, params.y)
    return await dragging.drag(params.ref, params.selector, params.value, at, ctx)


@action("browser", effect="write")
async def upload(params: Upload, ctx: Context[BrowserRegistry]) -> Result:
    """Put files into a field that asks for them.

    Give the field, its label, the button that makes the page ask, or a zone on which files are
    dropped; nothing where the page asks already or has one such field. Files come from the output
    folder, and from the folders that the setting `uploads` names.
    """
    from strap_browser.actions.elements import upload as uploading

    return await uploading.upload(params.paths, params.ref, params.selector, ctx)


ACTIONS = [scroll, hover, select, press, drag, upload]
