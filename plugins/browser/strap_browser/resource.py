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


browser = Resource(
    name="browser",
    summary="a real browser: pages, clicks, forms, screenshots",
    usage="launch first; refs like e5 come from snapshot; answers show what changed",
    settings=BrowserSettings,
    open=_open,
    end_session=_end_session,
    helper=_helper,
    around=_around,
    gauges=_gauges,
)
