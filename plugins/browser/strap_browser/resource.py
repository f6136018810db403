"""The `browser` resource."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from strap import Context, Environment, Prestart, Resource, Result
from strap_browser.settings.browser import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.state import BrowserState

GoOn = Callable[[], Awaitable[Result]]


@asynccontextmanager
async def _open(environment: Environment) -> AsyncIterator["BrowserState"]:
    from strap_browser.state import BrowserState

    browsers = BrowserState(environment)
    try:
        yield browsers
    finally:
        await browsers.aclose()


async def _end_session(browsers: "BrowserState", caller_key: str) -> None:
    await browsers.end_session(caller_key)


async def _around(ctx: "Context[BrowserState]", go_on: GoOn) -> Result:
    return await ctx.state.around(ctx, go_on)


def _gauges(browsers: "BrowserState") -> dict[str, float]:
    return browsers.gauges()


def _helper(environment: Environment) -> Prestart | None:
    from strap_browser.chromium.prestart import declare

    return declare(environment)


COMPUTER = """\
Computer-use loops, call by call. x and y are pixels of the viewport: `resize` it to the size that
the model is told. If a screenshot says "divide coordinates by 0.5", do so with those of the model.
Names of keys go as they are: CTRL, Return, Page_Down.

| OpenAI | Anthropic | web(resource: browser, ...) |
| --- | --- | --- |
| screenshot | screenshot | screenshot |
| click, button left | left_click | click x y |
| click, button right | right_click | click x y value=right |
| click, button wheel | middle_click | click x y value=middle |
| double_click | double_click | click x y value=double |
| | triple_click | click x y value=triple |
| click, button back | | back |
| click, keys | left_click, text | click x y key=Control |
| move | mouse_move | hover x y |
| scroll x y scroll_x scroll_y | scroll, 100 px a step | hover x y, then scroll text=wheel x=… y=… |
| drag path | left_click_drag | drag x y value="40,0": pixels from the start, several are a path |
| type | type | type text |
| keypress, joined by + | key | press key=ctrl+a |
| wait | wait | wait value=2 |
| | zoom | screenshot value=region x y width height |

`screenshot value=marks` numbers what can be acted on: then `click ref` needs no coordinates.
left_mouse_down to left_mouse_up are one drag; cursor_position and hold_key have no action."""
"""Text of `help value=computer`."""

browser = Resource(
    name="browser",
    summary="a real browser: pages, clicks, forms, screenshots",
    usage="launch first; snapshot gives refs; answers show changes",
    settings=BrowserSettings,
    open=_open,
    end_session=_end_session,
    helper=_helper,
    around=_around,
    gauges=_gauges,
    topics={"computer": COMPUTER},
)
