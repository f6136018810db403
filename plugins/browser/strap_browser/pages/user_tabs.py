"""The pages of one caller in the user's own Chrome: the tabs that the user granted."""

from strap import ActionError
from strap_browser.cdp.errors import ProtocolError
from strap_browser.cdp.granted_tabs import KEPT
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.page import Page
from strap_browser.pages.caller_pages import CallerPages
from strap_browser.pages.page_errors import no_tab
from strap_browser.pages.tab import Tab


class UserTabs(CallerPages):
    """All granted tabs, which all callers share; none is closed unless a caller asks for that."""

    granted = True

    async def page_for_call(
        self, connection: BrowserConnection, target_id: str | None, *, may_open: bool = True
    ) -> Tab:
        """Return the tab with this id, which becomes the current one, the current or newest tab.

        Where none is granted, one is opened if `may_open`. Raises `ActionError`: "no_page";
        "in_use" where a person has them in hand in another process of strap; "page_lost" once where
        the current tab is gone: the next one is not what was meant.
        """
        async with self._lock:
            gone = await self._look_around(connection)
            if not self.tabs and await connection.is_kept_from_tabs():
                raise _in_use()
            if gone is not None and target_id is None:
                raise ActionError(
                    f"Tab {gone.handle} ({gone.where}) was closed, or taken back by the user.",
                    hint="`list_pages` tells which are left.",
                    code="page_lost",
                )
            tab = self.find(target_id)
            if tab is None:
                if not may_open:
                    raise no_tab()
                tab = await self._open(connection)
            self.current = tab
            return tab

    def find(self, target_id: str | None) -> Tab | None:
        """Return the tab with this id, or the current one, or the newest."""
        return super().find(target_id) or next(reversed(self.tabs.values()), None)

    async def refresh(self, connection: BrowserConnection) -> None:
        """Learn which tabs are granted."""
        async with self._lock:
            await self._look_around(connection)

    async def revive(self, tab: Tab) -> str:
        """Raise `ActionError` (code "page_lost") for a tab that is of no use."""
        await tab.check_responsive()
        if tab.alive or self._connection is None or self._connection.dead:
            return ""
        reason, tab.trouble = tab.trouble or f"The tab {tab.where} was closed.", None
        tab.suspect = True
        raise ActionError(reason, hint="`list_pages` tells which tabs are left.", code="page_lost")

    async def aclose(self) -> int:
        """Forget the tabs, which stay; returns 0, the number of those that were closed."""
        self.tabs, self.current = {}, None
        await self.abandon()
        return 0

    def adopt(self, page: Page, opener: Tab) -> None:
        """Take a page that a tab opened, unless it was found already."""
        if self._connection is not None and page not in self._pages():
            tab = self._add(self._connection, page)
            opener.events.add_page(tab.handle, tab.where)

    async def _open(self, connection: BrowserConnection) -> Tab:
        try:
            return await super()._open(connection)
        except ProtocolError as error:
            if error.code != KEPT:
                raise
            raise _in_use() from None

    async def _look_around(self, connection: BrowserConnection) -> Tab | None:
        """Have a `Tab` for each granted tab; returns the one that was current and is gone."""
        before = self.current
        if self._connection is not connection:
            self._connection = connection
            for tab in list(self.tabs.values()):
                page = connection.find(tab.page.target_id)
                if page is not None:
                    tab.attach(connection, page)
        closed = [
            t for t in self.tabs.values() if t.connection is not connection or t.page.is_closed()
        ]
        if closed or not connection.pages(connection.context):
            await connection.check()
        if connection.dead:  # then all pages are closed, and the tabs need not be
            raise ActionError("The connection to Chrome was lost.", code="page_lost")
        for tab in closed:
            self._remove(tab)
        known = self._pages()
        for page in connection.pages(connection.context):
            if page not in known and not page.is_closed():
                self._add(connection, page)
        return before if before is not None and before.handle not in self.tabs else None

    def _pages(self) -> set[Page]:
        return {tab.page for tab in self.tabs.values()}


def _in_use() -> ActionError:
    return ActionError(
        "A person has control of the tabs in the live view of another strap process.",
        hint="Wait, then call `list_pages`: the tabs have new names then.",
        code="in_use",
        retryable=True,
    )
