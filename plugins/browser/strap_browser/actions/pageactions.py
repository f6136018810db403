"""The actions on a page: navigate, snapshot, click, fill, type, screenshot, text, evaluate."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from strap import Context, Result, UsageError, action
from strap_browser.actions.params import BrowserParams
from strap_browser.pages.registry import BrowserRegistry


class ElementParams(BrowserParams):
    """Base of the parameters of actions on an element."""

    ref: str | None = Field(default=None, max_length=40)
    """Element, by its ref from a snapshot, such as e14."""
    selector: str | None = Field(default=None, max_length=2_000)
    """Element, by a CSS selector that matches it alone."""

    @model_validator(mode="after")
    def _one_element(self) -> Self:
        if self.ref and self.selector:
            raise UsageError("Give ref or selector, not both.")
        return self


class Navigate(BrowserParams):
    """Where to go."""

    url: str = Field(max_length=20_000)
    """URL to open; `localhost:3000` and `example.com` will do."""


class Snapshot(BrowserParams):
    """What to look at."""

    ref: str | None = Field(default=None, max_length=40)
    """Show only what is inside this element."""
    text: str | None = Field(default=None, max_length=1_000)
    """Show only the lines that contain this, with what they stand in."""
    start: int = Field(default=0, ge=0)
    """Where to go on, as the last answer said."""


class Click(ElementParams):
    """What to click, and how."""

    value: Literal["right", "middle", "double"] | None = None
    """`right`, `middle` or `double`; left out: a plain click."""
    key: str | None = Field(default=None, max_length=40)
    """Keys to hold meanwhile, such as Control+Shift."""
    x: float | None = None
    """Pixels from the left of the element, or of the viewport if none is given."""
    y: float | None = None
    """Pixels from its top."""


class Fill(ElementParams):
    """Which field, and what it is to hold."""

    value: str
    """What the field is to hold, `{{name}}` for a secret; for a drop-down, one of its options."""

    @model_validator(mode="before")
    @classmethod
    def _take_text(cls, values: Any) -> Any:
        """Callers used to `type` say text."""
        if isinstance(values, dict) and "text" in values and values.get("value") is None:
            values = dict(values)
            values["value"] = values.pop("text")
        return values


class Type(ElementParams):
    """What to type, and where."""

    text: str = Field(max_length=20_000)
    """Text to type, key by key; a line break is the Enter key."""


class Screenshot(ElementParams):
    """What to take a picture of."""

    full_page: bool = False
    """Take the whole page, scaled and in parts if it is long."""
    output: str | None = Field(default=None, max_length=1_000)
    """Save it under this name (.jpg, .png, .webp) in the output folder instead of showing it."""


class Text(ElementParams):
    """What to read."""

    start: int = Field(default=0, ge=0)
    """Character to begin at, as the last answer said."""


class Evaluate(BrowserParams):
    """What to run."""

    text: str
    """JavaScript: an expression, statements with `return` or `await`, or a function."""
    ref: str | None = Field(default=None, max_length=40)
    """Element that a function gets as its argument."""


@action("browser", effect="write")
async def navigate(params: Navigate, ctx: Context[BrowserRegistry]) -> Result:
    """Go to a URL.

    Returns when the document is there and what its scripts ask for at once; never waits for
    images. Answers with title, final URL, an HTTP status of 400 or more, and the page itself if
    it is small.
    """
    from strap_browser.actions import navigate as navigating

    return await navigating.navigate(params.url, ctx)


@action("browser", effect="read")
async def snapshot(params: Snapshot, ctx: Context[BrowserRegistry]) -> Result:
    """Show the page as lines with refs: what is on it and can be acted on.

    A page that does not fit is shown with its lists folded and its texts shortened. A line such
    as `… 1,980 more rows (start=128)` says how to go on: `snapshot start=128` shows everything
    from there, `text` finds lines anywhere, and `ref` shows one element. A ref stays good as long
    as its element does, unless the page calls that otherwise without any answer having told so;
    no other element gets it, on whatever page.
    """
    from strap_browser.actions import observe

    return await observe.take_snapshot(params.ref, params.text, params.start, ctx)


@action("browser", effect="write")
async def click(params: Click, ctx: Context[BrowserRegistry]) -> Result:
    """Click an element, or a place on the page.

    The element is scrolled into view. What covers, hides or disables it is an error at once.
    Waits for what the click starts (navigation, requests, changes) and answers with what changed.
    """
    from strap_browser.actions.elements import click as clicking
    from strap_browser.interaction import keys, pointer

    at = pointer.point_from(params.x, params.y)
    how = clicking.Click(value=params.value, keys=keys.modifiers(params.key), at=at)
    return await clicking.click(params.ref, params.selector, how, ctx)


@action("browser", effect="write")
async def fill(params: Fill, ctx: Context[BrowserRegistry]) -> Result:
    """Replace what a field holds.

    For text fields, editors, dates, colours, ranges and drop-downs. Answers with what the field
    holds if that is something else, and with what else changed.
    """
    from strap_browser.actions.elements import fill as filling

    return await filling.fill(params.ref, params.selector, params.value, ctx)


@action("browser", effect="write", name="type")
async def type_(params: Type, ctx: Context[BrowserRegistry]) -> Result:
    """Press the keys of a text, in a field or wherever the focus is.

    Adds to what a field holds; a line break presses Enter. `fill` is faster where a page does not
    care about single keys.
    """
    from strap_browser.actions.elements import fill as filling

    return await filling.type_text(params.ref, params.selector, params.text, ctx)


@action("browser", effect="read")
async def screenshot(params: Screenshot, ctx: Context[BrowserRegistry]) -> Result:
    """Take a picture of the viewport, an element or the whole page.

    JPEG, its longest side at most 1,568 pixels; a file may have 8,000.
    """
    from strap_browser.actions import capture

    return await capture.screenshot(
        params.ref, params.selector, params.output, ctx, full_page=params.full_page
    )


@action("browser", effect="read")
async def text(params: Text, ctx: Context[BrowserRegistry]) -> Result:
    """Read the visible text of the page or an element, as simple Markdown with links."""
    from strap_browser.actions import text as reading

    return await reading.page_text(params.ref, params.selector, params.start, ctx)


@action("browser", effect="write")
async def evaluate(params: Evaluate, ctx: Context[BrowserRegistry]) -> Result:
    """Run JavaScript in the page and answer with its result as JSON.

    A function is called, with the element of `ref` if given; a promise is awaited. A script that
    does not return in time is stopped, and the page stays usable.
    """
    from strap_browser.actions import evaluate as evaluating

    return await evaluating.evaluate(params.text, params.ref, ctx)


ACTIONS = [navigate, snapshot, click, fill, type_, screenshot, text, evaluate]
