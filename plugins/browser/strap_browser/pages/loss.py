"""How a call ends whose page is lost: at once, as nothing would answer it any more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.cdp.errors import CdpError, TargetClosed

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

NEWS_LIMIT = 0.5
"""Seconds in which the end of a browser is told after that of the connection to it."""


@asynccontextmanager
async def fails_with_page(tab: "Tab", *, retryable: bool = False) -> AsyncIterator[None]:
    """End what is done meanwhile as soon as the page is known to be lost.

    Raises `ActionError` (code "page_lost"), also where the work was done by then: what it says of
    a lost page means nothing. With `retryable` the same call may be made again.
    """
    async with told_as_lost(tab, retryable=retryable), _ended_with(tab):
        yield
    if tab.trouble or tab.connection.dead:
        raise await _loss(tab, retryable=retryable)


@asynccontextmanager
async def told_as_lost(tab: "Tab", *, retryable: bool = False) -> AsyncIterator[None]:
    """Raise `ActionError` (code "page_lost") for what a page refuses as it is lost."""
    try:
        yield
    except CdpError as error:
        if tab.alive and not isinstance(error, TargetClosed):
            raise
        await tab.connection.check()
        raise await _loss(tab, retryable=retryable) from error


@asynccontextmanager
async def _ended_with(tab: "Tab") -> AsyncIterator[None]:
    """Cancel what is done meanwhile when the page is lost, and go on."""
    task = asyncio.current_task()
    assert task is not None
    before, ended, over = task.cancelling(), False, False

    def end(_: object) -> None:
        nonlocal ended
        if not over:
            ended = task.cancel()

    watching = asyncio.ensure_future(tab.lost())
    watching.add_done_callback(end)
    try:
        yield
    except asyncio.CancelledError:
        if not ended or task.cancelling() > before + 1:  # somebody else wants its end as well
            raise
    finally:
        over = True
        watching.cancel()
        if ended:
            task.uncancel()


async def _loss(tab: "Tab", *, retryable: bool) -> ActionError:
    reason, hint = (
        tab.trouble or "The page was closed during the call.",
        "another page takes its place",
    )
    if await _browser_ended(tab):
        reason, hint = "The browser ended during the call.", "it is started again"
    elif tab.connection.dead:
        reason, hint = "The connection to the browser was lost during the call.", "it is made again"
    return ActionError(reason, hint=f"Call again: {hint}.", code="page_lost", retryable=retryable)


async def _browser_ended(tab: "Tab") -> bool:
    """Whether the browser ended, of which the end of a connection is told first."""
    ended = tab.connection.endpoint.ended
    if tab.connection.dead:
        with suppress(TimeoutError):
            async with asyncio.timeout(NEWS_LIMIT):
                await ended.wait()
    return ended.is_set()
