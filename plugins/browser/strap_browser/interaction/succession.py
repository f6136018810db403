"""How Playwright's page takes the place of one that was opened before Playwright was there."""

import asyncio

from strap import ActionError
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.early_page import EarlyPage
from strap_browser.interaction.page_state import PageState, page_state_of
from strap_browser.pages.loss import fails_with_page
from strap_browser.pages.page_errors import refuse_dialog
from strap_browser.pages.tab import Tab

SOON = 0.05
"""Seconds after which Playwright is started: first the answer goes out."""


async def take_over(tab: Tab) -> None:
    """Put Playwright's page behind the tab, whose turn it has to be.

    Raises `ActionError`, with code "dialog_open" if a dialog is in the way.
    """
    early, connection, before = tab.page, tab.connection, tab.state
    if not isinstance(early, EarlyPage) or not tab.alive:
        return
    refuse_dialog(tab)
    await _join(tab, connection)
    page = await connection.find(early.target_id) if tab.alive else None
    if page is None:
        tab.trouble = tab.trouble or f"The page {tab.where} was closed."
        return
    await connection.fit(page)
    early.retire()
    tab.attach(connection, page)
    tab.target_id = early.target_id
    try:
        if isinstance(before, PageState):
            await (await page_state_of(tab)).inherit(before)
    finally:
        early.rest()
    for other in await connection.opened_by(early.target_id):
        tab.session.adopt(other, tab)


async def take_over_soon(tab: Tab) -> None:
    """Do so when nobody waits for it."""
    await asyncio.sleep(SOON)
    await tab.connection.join()
    async with tab.turns.turn(), fails_with_page(tab):
        await take_over(tab)


async def _join(tab: Tab, connection: BrowserConnection) -> None:
    try:
        await connection.join()
    except ActionError:
        tab.suspect = True
        await tab.check_responsive()  # a page that hangs keeps Playwright from connecting
        if tab.alive:
            raise
