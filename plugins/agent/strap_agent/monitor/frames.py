"""Addresses of a page and its frames, read from their own processes."""

import asyncio
from collections.abc import Sequence

from strap_browser.api import CdpConnection, Params

LIMIT = 2.0
"""Seconds for an answer."""
BLANK = "about:blank"


async def addresses(cdp: CdpConnection, page: str, frames: Sequence[str]) -> list[str]:
    """Return the addresses of what the session `page` and those of `frames` show.

    That of the page is first; a frame that does not answer may be anywhere (`about:blank`). None
    where the page does not tell.
    """
    asked = [cdp.call("Page.getFrameTree", each, limit=LIMIT) for each in (page, *frames)]
    told = await asyncio.gather(*asked, return_exceptions=True)
    if not page or isinstance(told[0], BaseException):
        return []
    return [url for each in told for url in _urls(each)]


def _urls(told: Params | BaseException) -> list[str]:
    return [BLANK] if isinstance(told, BaseException) else _within(told["frameTree"])


def _within(tree: Params) -> list[str]:
    inner = [url for child in tree.get("childFrames", ()) for url in _within(child)]
    return [tree["frame"]["url"], *inner]
