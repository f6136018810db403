"""The `browser` resource."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from strap import Environment, Extra, Resource
from strap_browser.settings import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.browsers import Browsers


@asynccontextmanager
async def _open(environment: Environment) -> AsyncIterator["Browsers"]:
    from strap_browser.browsers import Browsers

    browsers = Browsers(environment)
    try:
        yield browsers
    finally:
        await browsers.aclose()


async def _end_session(browsers: "Browsers", caller_key: str) -> None:
    await browsers.end_session(caller_key)


browser = Resource(
    name="browser",
    summary="a real browser: pages, clicks, forms, screenshots",
    usage="launch first; refs like e5 come from snapshot; answers show what changed",
    settings=BrowserSettings,
    open=_open,
    end_session=_end_session,
    extra=Extra(name="browser", modules=("playwright",)),
)
