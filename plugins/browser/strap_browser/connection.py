"""Playwright's driver process and its connections to browsers."""

import asyncio
import logging
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from strap import ActionError, Environment, Target
from strap_browser.agent import install, script
from strap_browser.drivers import Endpoint
from strap_browser.playwright_driver import start_driver

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright

log = logging.getLogger(__name__)
NEXT = "strap_browser.navigating"
"""What is needed first once a browser is there."""
CONNECT_LIMIT = 10.0
CHECK_LIMIT = 2.0
BEFORE_PAGES = ("roots", "programs")
"""Scripts that run in the pages of strap's own browsers before any of theirs."""
STOP_LIMIT = 2.0
END_LIMIT = 10.0
"""Seconds for the driver to end: it does so in 0.1, but not on a machine that is overloaded."""


class Link:
    """A connection to one browser. When it is dead, its pages are of no use any more."""

    def __init__(self, browser: "Browser", endpoint: Endpoint, engine: str) -> None:
        self.browser = browser
        self.context: BrowserContext = browser.contexts[0]
        """The browser's own: the profile with its logins. Playwright forgets it when it ends."""
        self.endpoint = endpoint
        self.engine = engine
        """Name of the selector engine by which page actions ask the pages of this browser."""
        self._dead = False
        self._session: CDPSession | None = None
        self._blank = list(self.context.pages) if endpoint.fresh else []
        browser.on("disconnected", self._disconnected)
        # Without a listener Playwright dismisses dialogs, those of other processes' pages too.
        self.context.on("dialog", lambda _: None)

    @property
    def dead(self) -> bool:
        """Whether the connection, and with it every page, is known to be lost."""
        return self._dead or self.endpoint.ended.is_set()

    async def check(self) -> None:
        """Find out whether browser and driver still answer; `dead` tells the result."""
        from playwright.async_api import Error

        if self.dead:
            return
        try:
            async with asyncio.timeout(CHECK_LIMIT):
                if self._session is None:
                    self._session = await self.browser.new_browser_cdp_session()
                await self._session.send("Browser.getVersion")
        except (Error, TimeoutError) as error:
            log.info("The connection to the browser is lost: %s", type(error).__name__)
            self._dead = True

    async def address(self, target: Target) -> None:
        """Tell the browser's proxy that a caller goes to `target`."""
        if self.endpoint.gate is not None:
            await self.endpoint.gate.address(target)

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
        from playwright.async_api import Error

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

    async def keep_window(self, page: "Page") -> None:
        """Open a blank page if `page` is the only one, and about to close.

        When its last page closes, Chromium forgets the cookies that last for a session.
        """
        if self.endpoint.fresh and not self.dead and self.context.pages == [page]:
            self._blank.append(await self.context.new_page())

    async def find(self, cdp_id: str) -> "Page | None":
        """Return the page with this id of the DevTools protocol."""
        for page in self.context.pages:
            with suppress(Exception):
                if await target_of(await self.context.new_cdp_session(page)) == cdp_id:
                    return page
        return None

    async def aclose(self) -> None:
        """Disconnect; pages and browser stay."""
        if not self.dead:
            self._dead = True
            with suppress(Exception):
                async with asyncio.timeout(STOP_LIMIT):
                    await self.browser.close()

    def _disconnected(self, _: "Browser") -> None:
        self._dead = True


async def target_of(session: "CDPSession") -> str:
    """Return the id of a page in the DevTools protocol."""
    answer: dict[str, Any] = await session.send("Target.getTargetInfo")
    return str(answer["targetInfo"]["targetId"])


class Connector:
    """Starts Playwright's driver when it is first needed, and connects to browsers with it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._starting: asyncio.Task[Playwright] | None = None

    def prepare(self) -> None:
        """Begin to start the driver, so that it is there when the browser is."""
        if self._starting is None:
            self._starting = asyncio.create_task(
                start_driver(self._environment), name="start playwright"
            )

    async def connect(self, endpoint: Endpoint) -> Link:
        """Connect to a running browser; raises `ActionError` (code "connect")."""
        from playwright.async_api import Error

        try:
            return await self._connect(endpoint)
        except Error as error:
            if not await self._driver_died():
                raise _refused(error) from None
        await self._stop()
        try:
            return await self._connect(endpoint)
        except Error as error:
            raise _refused(error) from None

    async def aclose(self) -> None:
        """Stop the driver."""
        await self._stop()

    async def _connect(self, endpoint: Endpoint) -> Link:
        self.prepare()
        assert self._starting is not None
        playwright = await asyncio.shield(self._starting)
        # A browser takes its time to answer: meanwhile the program learns to use pages.
        asyncio.get_running_loop().run_in_executor(None, import_module, NEXT)
        browser = await playwright.chromium.connect_over_cdp(
            endpoint.address,
            timeout=CONNECT_LIMIT * 1000,
            is_local=endpoint.local,
            artifacts_dir=endpoint.artifacts,
            headers=dict(endpoint.headers),
            # In the user's own browser nothing is set that was not asked for.
            no_defaults=endpoint.granted,
        )
        link = Link(browser, endpoint, await install(playwright))
        await link.prepare(link.context)
        return link

    async def _driver_died(self) -> bool:
        assert self._starting is not None
        from playwright.async_api import Error

        try:
            playwright = await self._starting
            async with asyncio.timeout(CHECK_LIMIT):
                await (await playwright.request.new_context()).dispose()
        except (Error, TimeoutError):
            return True
        return False

    async def _stop(self) -> None:
        starting, self._starting = self._starting, None
        if starting is None:
            return
        # Not cancelled when the time is up: half-started, the driver would be nobody's.
        await asyncio.wait({asyncio.create_task(_end(starting))}, timeout=END_LIMIT)


async def _end(starting: "asyncio.Task[Playwright]") -> None:
    with suppress(Exception):
        await (await starting).stop()


def _refused(error: Exception) -> ActionError:
    log.info("Connecting failed: %s", error)
    return ActionError(
        f"The browser did not accept a connection within {CONNECT_LIMIT:g} s.",
        hint="A page in it may hang: `close` the profile and `launch` it again.",
        code="connect",
        retryable=True,
    )
