"""The frame of every action on a page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING

from strap import Context
from strap_browser.interaction.confirmation import confirm_page
from strap_browser.interaction.page_state import PageState, page_state_of
from strap_browser.interaction.recording.outcome import note_place
from strap_browser.pages.loss import told_as_lost
from strap_browser.pages.page_errors import refuse_dialog, translated_errors
from strap_browser.pages.registry import BrowserRegistry

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

PROBE_LIMIT = 1.0
STOP_LIMIT = 1.0
TIMEOUT = 30.0
PATIENT = 0.8
"""The part of its time in which a call waits for a page; the rest is for the answer."""
SWEEP = 50
"""Documents of a page after which their memory is freed."""


@asynccontextmanager
async def using_page(
    ctx: Context[BrowserRegistry],
    *,
    leaving: bool = False,
    target_id: str | None = None,
    reads: bool = False,
    confirms: bool = False,
) -> AsyncIterator[PageState]:
    """Give the page that a call means, or the one called `target_id`, for this call alone.

    With `reads`, for what changes nothing, another call may be waiting on it meanwhile. A person is
    asked before, where that is needed, unless the action `confirms` what it acts on itself.

    Raises `ActionError` (code "dialog_open") if a dialog blocks it, unless the action is to leave
    the page anyway. What the browser refuses becomes an `ActionError`. Where the call is given up
    because a script of the page does not end, the script is ended, so that the page stays usable.
    """
    async with ctx.state.tab(ctx, blank_ok=leaving, target_id=target_id, reads=reads) as tab:
        if not leaving:
            refuse_dialog(tab)
        with translated_errors(tab):
            try:
                state = await page_state_of(tab)
                note_place(state)
                if ctx.call.effect == "write":
                    state.acted = ctx.call.began
                if not reads:
                    limit = ctx.call.params.timeout or TIMEOUT
                    state.activity.deadline = monotonic() + PATIENT * limit
                    state.awaits_news = ctx.caller.awaits_news
                if not confirms:
                    await _confirm(ctx, tab)
                yield state
                _sweep(state)
            except asyncio.CancelledError:
                tab.session.spawn(end_script(tab, PROBE_LIMIT))
                raise


@asynccontextmanager
async def peek_page(ctx: Context[BrowserRegistry]) -> AsyncIterator["Tab"]:
    """Give the page that a call means without waiting for it, and without keeping others off."""
    tab = await ctx.state.peek(ctx)
    async with told_as_lost(tab):
        with translated_errors(tab):
            await _confirm(ctx, tab)
            yield tab


async def _confirm(ctx: Context[BrowserRegistry], tab: "Tab") -> None:
    if not ctx.consent.settled:
        await confirm_page(ctx, tab)


def _sweep(state: PageState) -> None:
    """Free what many documents have left in the page's process.

    Each leaves a megabyte of scripts, which V8 keeps for as long as a page is never idle.
    """
    if state.activity.commits - state.swept >= SWEEP:
        state.swept = state.activity.commits
        state.tab.session.spawn(_collect_garbage(state.tab))


async def _collect_garbage(tab: "Tab") -> None:
    with suppress(Exception):
        await tab.page.session.send("HeapProfiler.collectGarbage")


async def end_script(tab: "Tab", patience: float) -> None:
    """End the script that keeps a page from answering for `patience` seconds."""
    if tab.dialog is not None or not tab.alive:
        return
    with suppress(Exception):
        session = tab.page.session
        try:
            async with asyncio.timeout(patience):
                await session.send("Runtime.evaluate", expression="1")
        except TimeoutError:
            async with asyncio.timeout(STOP_LIMIT):
                await session.send("Runtime.terminateExecution")
