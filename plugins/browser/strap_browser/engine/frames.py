"""The frames of a page, those too whose document has not come yet."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from strap_browser.engine.early_page import EarlyPage
from strap_browser.engine.playwright.errors import Error

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Frame, Page

MOST = 100
"""Frames beyond so many are not looked into one by one."""


class HasPage(Protocol):
    """What holds a page: it makes the DevTools session of that page once."""

    page: "Page"

    async def cdp(self) -> "CDPSession":
        """Return a DevTools session of the page."""


def inner(page: "Page") -> "list[Frame]":
    """Return the frames in the main document, as many as are looked into."""
    return page.frames[1 : MOST + 1]


async def open_empty(tab: HasPage) -> None:
    """Let scripts run in the frames that still wait for their documents.

    Playwright runs its own in a world of a certain name, which Chromium makes with the document,
    and waits for that: without an end where a server is silent. So the empty document that is
    there meanwhile gets such a world.
    """
    above = {frame.parent_frame for frame in inner(tab.page) if not frame.url}
    if above:
        await asyncio.gather(*(_open_in(tab, parent) for parent in above if parent is not None))


async def _open_in(tab: HasPage, parent: "Frame") -> None:
    """Do so for all such frames of the process that runs `parent`."""
    options = {"worldName": world(tab), "grantUniveralAccess": True}
    with suppress(Error, KeyError):
        own = await _session(tab, parent)
        cdp = own or await tab.cdp()
        try:
            tree: dict[str, Any] = (await cdp.send("Page.getFrameTree"))["frameTree"]
            for frame in _empty(tree):
                await cdp.send("Page.createIsolatedWorld", {"frameId": frame, **options})
        finally:
            if own is not None:
                await own.detach()


async def _session(tab: HasPage, frame: "Frame") -> "CDPSession | None":
    """Return a session of the process that runs the frame, None if it is that of the page."""
    while frame.parent_frame is not None:
        try:
            return await tab.page.context.new_cdp_session(frame)
        except Error:  # it is run by the process of what it stands in
            frame = frame.parent_frame
    return None


def _empty(tree: dict[str, Any]) -> Iterator[str]:
    for child in tree.get("childFrames", ()):
        if not child["frame"]["url"]:
            yield child["frame"]["id"]
        yield from _empty(child)


def world(tab: HasPage) -> str:
    """Return the name of the world in which Playwright and the agent run their scripts."""
    if isinstance(tab.page, EarlyPage):
        return tab.page.world
    guid = getattr(getattr(tab.page, "_impl_obj", None), "_guid", "")
    return f"__playwright_utility_world_{guid}"
