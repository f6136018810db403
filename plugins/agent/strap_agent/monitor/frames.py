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
    calls = [cdp.call("Page.getFrameTree", session, limit=LIMIT) for session in (page, *frames)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    if not page or isinstance(answers[0], BaseException):
        return []
    return [url for answer in answers for url in _urls(answer)]


def _urls(answer: Params | BaseException) -> list[str]:
    return [BLANK] if isinstance(answer, BaseException) else _within(answer["frameTree"])


def _within(tree: Params) -> list[str]:
    inner = [url for child in tree.get("childFrames", ()) for url in _within(child)]
    return [tree["frame"]["url"], *inner]
