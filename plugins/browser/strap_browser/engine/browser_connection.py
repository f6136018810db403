"""Connections to browsers."""

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any

from strap import ActionError, VettedURL
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.content.script import script
from strap_browser.engine.early_page import BLANK, EarlyPage
from strap_browser.engine.endpoint import Endpoint
from strap_browser.engine.playwright.connector import CHECK_LIMIT, Connector
from strap_browser.engine.playwright.errors import Error

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page

log = logging.getLogger(__name__)
BEFORE_PAGES = ("roots", "programs")
"""Scripts that run in the pages of strap's own browsers before any of theirs."""
STOP_LIMIT = 2.0
"""Seconds that a browser which was joined gets to let go: it may hang, and is left then."""


class BrowserConnection:
    """A connection to one browser. When it is dead, its pages are of no use any more.

    To a browser that was launched just now it is its pipe alone, until `join` brings Playwright.
    """

    def __init__(self, endpoint: Endpoint, connector: Connector) -> None:
        self.endpoint = endpoint
        self.engine = f"strap-{secrets.token_hex(4)}"
        """Name of the selector engine by which page actions ask the pages of this browser."""
        self._connector = connector
        self._tasks = Tasks()
        self._joining: asyncio.Task[None] | None = None
        self._browser: Browser | None = None
        self.lost = asyncio.Event()
        """Set when the connection is known to be lost."""
        self._session: CDPSession | None = None
        self._context: BrowserContext | None = None
        self._early: EarlyPage | None = None
        """The page that was opened before Playwright was there."""
        self._blank: list[Page] = []

    @property
    def joined(self) -> bool:
        """Whether Playwright is there."""
        return self._browser is not None

    @property
    def browser(self) -> "Browser":
        """Playwright's."""
        assert self._browser
        return self._browser

    @property
    def context(self) -> "BrowserContext":
        """The browser's own: the profile with its logins. Playwright forgets it when it ends."""
        assert self._context
        return self._context

    @property
    def dead(self) -> bool:
        """Whether the connection, and with it every page, is known to be lost."""
        return self.lost.is_set() or self.endpoint.ended.is_set()

    async def join(self) -> None:
        """Have Playwright connect, unless it has.

        Raises `ActionError`: code "connect", "page_lost" where there is nothing to connect to, or
        "dialog_open", as it would wait for the dialog.
        """
        if self.joined:
            return
        if self._early is not None and self._early.dialog:
            raise ActionError(
                "A dialog blocks the browser's first page.",
                hint="Answer it with `dialog`, or leave the page with `navigate`.",
                code="dialog_open",
            )
        if not self.dead:
            if self._joining is None or self._joining.done():
                self._joining = self._tasks(self._join())
            await asyncio.shield(self._joining)
        if self.dead:
            raise ActionError("The browser has ended.", hint="Call again.", code="page_lost")

    async def _join(self) -> None:
        browser = await self._connector.connect(self.endpoint, self.engine, self.lost)
        if self.dead:
            await _disconnect(browser)
            return
        self._context = browser.contexts[0]
        # Without a listener Playwright dismisses dialogs, those of other processes' pages too.
        self._context.on("dialog", lambda _: None)
        if self.endpoint.fresh and self._early is None:
            self._blank = list(self._context.pages)
        await self.prepare(self._context)
        self._browser = browser

    async def open_early(self) -> EarlyPage | None:
        """Return the page that a fresh browser came with, while Playwright is not there, once."""
        cdp = self.endpoint.cdp
        if self.joined or not self.endpoint.fresh or cdp is None or self._early:
            return None
        scripts = tuple(map(script, BEFORE_PAGES))
        blank = [page["targetId"] for page in await self._pages() if page["url"] == BLANK]
        with suppress(CdpError):
            if blank:
                self._early = await EarlyPage.take(cdp, blank[0], self.endpoint, scripts)
        return self._early

    async def check(self) -> None:
        """Find out whether browser and driver still answer; `dead` tells the result."""
        if self.dead:
            return
        try:
            async with asyncio.timeout(CHECK_LIMIT):
                await self._ask_version()
        except (Error, CdpError, TimeoutError) as error:
            log.info("The connection to the browser is lost: %s", type(error).__name__)
            self.lost.set()

    async def _ask_version(self) -> None:
        if not self.joined and self.endpoint.cdp is not None:
            await self.endpoint.cdp.send("Browser.getVersion")
            return
        if self._session is None:
            self._session = await self.browser.new_browser_cdp_session()
        await self._session.send("Browser.getVersion")

    async def lead(
        self, target: VettedURL, work: Coroutine[Any, Any, Any], *, again: bool = False
    ) -> None:
        """Do `work`, a navigation to `target`, and have the browser's proxy know of it meanwhile.

        `again` tells that the page was there before.
        """
        gate = self.endpoint.gate
        try:
            async with gate.journey(target, again=again) if gate else nullcontext():
                await work
        finally:
            work.close()

    async def new_context(self) -> "BrowserContext":
        """Return a context of its own: no cookies, and gone with the connection."""
        options: dict[str, Any] = {"no_viewport": True}
        if self.endpoint.viewport is not None:
            width, height = self.endpoint.viewport
            options = {"viewport": {"width": width, "height": height}}
        context = await self.browser.new_context(**options, locale=self.endpoint.locale)
        await self.prepare(context)
        return context

    async def prepare(self, context: "BrowserContext") -> None:
        """Set up what holds for all pages of a context."""
        if self.endpoint.extra_headers:
            await context.set_extra_http_headers(dict(self.endpoint.extra_headers))
        if self.endpoint.own:
            for name in BEFORE_PAGES:
                await context.add_init_script(script(name))

    async def fit(self, page: "Page") -> None:
        """Set up a page of the browser's own context, whose options nobody could choose."""
        if self.endpoint.viewport is not None:
            width, height = self.endpoint.viewport
            await page.set_viewport_size({"width": width, "height": height})
        if self.endpoint.locale is not None:
            session = await self.context.new_cdp_session(page)
            with suppress(Error):  # another page of the same process has set it already
                await session.send("Emulation.setLocaleOverride", {"locale": self.endpoint.locale})

    def take_blank(self) -> "Page | None":
        """Return the page that a fresh browser came with, or that keeps it open, once."""
        page = self._blank.pop() if self._blank else None
        return None if page is None or page.is_closed() else page

    async def keep_window(self, page: "Page | EarlyPage") -> None:
        """Open a blank page if `page` is the only one, and about to close.

        When its last page closes, Chromium forgets the cookies that last for a session.
        """
        if not self.endpoint.fresh or self.dead:
            return
        if not self.joined:
            await self._keep_early()
        elif self.context.pages == [page]:
            self._blank.append(await self.context.new_page())

    async def _keep_early(self) -> None:
        cdp = self.endpoint.cdp
        if cdp is not None and len(await self._pages()) == 1:
            await cdp.send("Target.createTarget", url=BLANK)
            self._early = None

    async def _pages(self) -> list[dict[str, Any]]:
        """Return what the browser's pipe tells of its pages, as `Target.getTargets` does."""
        if self.endpoint.cdp is None:
            return []
        try:
            targets = (await self.endpoint.cdp.send("Target.getTargets"))["targetInfos"]
        except CdpError:
            return []
        return [target for target in targets if target["type"] == "page"]

    async def find(self, cdp_id: str) -> "Page | None":
        """Return the page with this id of the DevTools protocol."""
        await self.join()
        for page in self.context.pages:
            with suppress(Exception):
                if await target_of(await self.context.new_cdp_session(page)) == cdp_id:
                    return page
        return None

    async def opened_by(self, cdp_id: str) -> "list[Page]":
        """Return the pages that the page with this id opened before Playwright was there.

        Of those Playwright does not always know the opener.
        """
        told = await self._pages()
        opened = [each["targetId"] for each in told if each.get("openerId") == cdp_id]
        return [page for each in opened if (page := await self.find(each)) is not None]

    async def aclose(self) -> None:
        """Disconnect; pages and browser stay."""
        browser, dead = self._browser, self.dead
        self.lost.set()
        if browser is not None and not dead:
            await _disconnect(browser)


async def _disconnect(browser: "Browser") -> None:
    with suppress(Exception):
        async with asyncio.timeout(STOP_LIMIT):
            await browser.close()


async def target_of(session: "CDPSession") -> str:
    """Return the id of a page in the DevTools protocol."""
    answer: dict[str, Any] = await session.send("Target.getTargetInfo")
    return str(answer["targetInfo"]["targetId"])
