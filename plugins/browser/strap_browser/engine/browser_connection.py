"""Connections to browsers: their contexts and pages."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from inspect import CORO_CREATED, getcoroutinestate
from typing import TYPE_CHECKING, Any

from strap import ActionError, VettedURL
from strap_browser.cdp.connection import Answer, CdpConnection
from strap_browser.cdp.errors import CdpError, NotAnswered, ProtocolError
from strap_browser.cdp.granted_tabs import HOLD_TABS, STATUS
from strap_browser.common.tasks import Tasks
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.downloads import Download, Downloads
from strap_browser.engine.endpoint import Endpoint
from strap_browser.engine.frames.frame import World
from strap_browser.engine.page import Page
from strap_browser.engine.page_terms import BLANK, PageTerms
from strap_browser.engine.targets import AUTO_ATTACH
from strap_browser.engine.traffic.browser_traffic import BrowserTraffic
from strap_browser.page_script.bundle import preloaded

if TYPE_CHECKING:
    from cdp_use.cdp.target.events import AttachedToTargetEvent, TargetInfoChangedEvent

log = logging.getLogger(__name__)
BEFORE_PAGES = ("closed_shadow_roots", "external_protocols")
"""Scripts that run in the pages of strap's own browsers before any of theirs."""
CHECK_LIMIT = 2.0
"""Seconds in which a browser answers a question that touches no page, if it lives."""
GREET_LIMIT = 2.0
"""Seconds for which a window is held until who is told of it is ready."""
POPUP_LIMIT = 1.0
"""Seconds until a window that a page opened is told of without a document: its server is slow."""

Greet = Callable[[str], Awaitable[None]]
"""Is told of a new window, by its id; the window begins when it returns."""


class BrowserConnection:
    """A connection to one browser. When it is dead, its pages are of no use any more."""

    def __init__(self, endpoint: Endpoint, cdp: CdpConnection) -> None:
        self.traffic = BrowserTraffic(cdp.root, endpoint.interceptors)
        self.endpoint = endpoint
        self.lost = asyncio.Event()
        """Set when the connection is known to be lost."""
        self.context = BrowserContext(cdp.root)
        """The browser's own: the profile with its logins."""
        self._cdp, self._left, self._tasks = cdp, False, Tasks()
        self._terms = PageTerms(
            world=World(name=f"strap-{secrets.token_hex(8)}", has_script=not endpoint.granted),
            scripts=(*map(preloaded, BEFORE_PAGES if endpoint.own else ()), *endpoint.scripts),
            viewport=endpoint.viewport,
            locale=endpoint.locale,
            extra_headers=endpoint.extra_headers,
            untouched=endpoint.granted,
        )
        self._contexts: dict[str, BrowserContext] = {}
        self._default = ""
        """Id of the browser's own context, "" where the browser does not tell it."""
        self._pages: dict[str, Page] = {}
        self._blank: list[Page] = []
        self._greeters: dict[str, Greet] = {}  # by the id of the page that opens windows
        self._came = asyncio.Event()
        self._downloads = Downloads(cdp.root, endpoint.artifacts, self._on_download)
        cdp.root.on("Target.attachedToTarget", self._on_attached)
        cdp.root.on("Target.targetInfoChanged", self._on_changed)

    @classmethod
    async def open(cls, endpoint: Endpoint) -> "BrowserConnection":
        """Connect to a running browser; raises `ActionError` (code "connect")."""
        cdp = endpoint.cdp or await CdpConnection.connect(endpoint.address, endpoint.headers)
        connection = cls(endpoint, cdp)
        try:
            await connection._begin()
        except CdpError as error:
            await connection.aclose()
            log.info("Connecting failed: %s", error)
            raise ActionError(
                "The browser did not accept a connection.",
                hint="`close` the profile and `launch` it again.",
                code="connect",
                retryable=True,
            ) from None
        except BaseException:
            await connection.aclose()
            raise
        return connection

    @property
    def dead(self) -> bool:
        """Whether the connection, and with it every page, is known to be lost."""
        return self.lost.is_set() or self.endpoint.ended.is_set()

    def pages(self, context: BrowserContext) -> list[Page]:
        """Return the pages of a context, in the order in which they came."""
        return [page for page in self._pages.values() if page.context is context]

    def find(self, target_id: str) -> Page | None:
        """Return the page with this id of the DevTools protocol."""
        return self._pages.get(target_id)

    def page_of(self, frame_id: str) -> Page | None:
        """Return the page with a frame."""
        return next((page for page in self._pages.values() if page.frame(frame_id)), None)

    async def new_page(self, context: BrowserContext) -> Page:
        """Open a blank page; raises `CdpError`. One that does not answer is closed again."""
        target_id = await context.new_target(BLANK)
        while (page := self._pages.get(target_id)) is None:
            self._came.clear()
            await self._came.wait()
        try:
            await page.start(is_new=True)
        except NotAnswered:
            self._cdp.post("Target.closeTarget", targetId=target_id)
            raise
        return page

    async def new_context(self) -> BrowserContext:
        """Return a context of its own: no cookies, and gone with the connection."""
        made = await self._cdp.send("Target.createBrowserContext", disposeOnDetach=True)
        context = BrowserContext(self._cdp.root, made["browserContextId"])
        self._contexts[context.id] = context
        await self._prepare(context)
        return context

    def take_blank(self) -> Page | None:
        """Return the page that a fresh browser came with, or that keeps it open, once."""
        page = self._blank.pop() if self._blank else None
        return None if page is None or page.is_closed() else page

    async def keep_window(self, page: Page) -> None:
        """Open a blank page if `page` is the only one, and about to close.

        When its last page closes, Chromium forgets the cookies that last for a session.
        """
        if self.endpoint.fresh and not self.dead and self.pages(self.context) == [page]:
            self._blank.append(await self.new_page(self.context))

    @contextmanager
    def greeting(self, page: str, greet: Greet) -> Iterator[None]:
        """Tell `greet` of each window of a page, and of those of these, before it begins."""
        self._greeters[page] = greet
        try:
            yield
        finally:
            self._greeters = {k: v for k, v in self._greeters.items() if v is not greet}

    async def check(self) -> None:
        """Find out whether the browser still answers; `dead` tells the result."""
        if self.dead:
            return
        try:
            await self._cdp.call("Browser.getVersion", limit=CHECK_LIMIT)
        except CdpError as error:
            log.info("The connection to the browser is lost: %s", type(error).__name__)
            self.lost.set()

    def hold_tabs(self, *, on: bool) -> None:
        """Keep the tabs that a user granted for this process alone, or no more."""
        self._cdp.root.send(HOLD_TABS, on=on)

    async def is_kept_from_tabs(self) -> bool:
        """Whether granted tabs are another process's for now; raises `CdpError`."""
        return bool((await self._cdp.call(STATUS, limit=CHECK_LIMIT)).get("kept"))

    async def lead(
        self, target: VettedURL, work: Coroutine[Any, Any, Any], *, again: bool = False
    ) -> None:
        """Do `work`, one navigation to `target`, and have the browser's proxy know of it meanwhile.

        `again` tells that the page was there before. Who waits no longer, as where a dialog opens,
        ends neither the navigation nor what the proxy knows of it, once `work` has begun: both end
        with it.
        """
        task = self._tasks(self._lead(target, work, again=again))
        task.add_done_callback(lambda _: work.close())
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if getcoroutinestate(work) == CORO_CREATED:
                task.cancel()
            raise

    async def _lead(
        self, target: VettedURL, work: Coroutine[Any, Any, Any], *, again: bool
    ) -> None:
        gate = self.endpoint.gate
        async with gate.journey(target, again=again) if gate else nullcontext():
            await work

    async def aclose(self) -> None:
        """Disconnect, once; pages and browser stay."""
        if self._left:
            return
        self._left = True
        await self.traffic.aclose()
        self.lost.set()
        root = self._cdp.root
        root.off("Target.attachedToTarget", self._on_attached)
        root.off("Target.targetInfoChanged", self._on_changed)
        self._downloads.aclose()
        await self._tasks.aclose()
        if self._cdp is not self.endpoint.cdp:
            await self._cdp.aclose()

    async def _begin(self) -> None:
        root = self._cdp.root
        self._tasks(self._watch())
        await self.traffic.begin()
        if self._cdp is self.endpoint.cdp:  # which another connection may have followed before
            root.send("Target.setAutoAttach", **{**AUTO_ATTACH, "autoAttach": False})
        contexts = root.send("Target.getBrowserContexts")
        if not self.endpoint.fresh:  # others may have pages there, in contexts of theirs
            await self._learn(contexts)
        if not self.endpoint.granted:
            self._prepare(self.context)
        await root.send("Target.setAutoAttach", **AUTO_ATTACH)
        if self.endpoint.fresh:
            await self._learn(contexts)
            self._blank = [page for page in self.pages(self.context) if page.url == BLANK]
            for page in self._blank:  # nobody waits for it before a call uses the page
                self._tasks(self._warm_up(page))

    def _prepare(self, context: BrowserContext) -> "asyncio.Future[Answer]":
        if self.endpoint.own and self.endpoint.viewport:
            context.allow_copying()
        return self._downloads.allow(context.id)

    async def _learn(self, contexts: "asyncio.Future[Answer]") -> None:
        """Take note of which context is the browser's own."""
        with suppress(ProtocolError):  # some that speak for a browser have no contexts
            self._default = (await contexts).get("defaultBrowserContextId", "")

    async def _warm_up(self, page: Page) -> None:
        """Set up a blank page, and have what documents are looked at with compiled there."""
        await page.start()
        await self._terms.warm_up(page.session)

    async def _watch(self) -> None:
        await self._cdp.closed.wait()
        self.lost.set()
        for page in list(self._pages.values()):
            page.end()

    def _on_attached(self, event: "AttachedToTargetEvent") -> None:
        info, session = event["targetInfo"], self._cdp.session(event["sessionId"])
        context = self._context(info.get("browserContextId", ""))
        if info["type"] != "page" or context is None:
            pages = [known.traffic for known in self._pages.values()]
            self.traffic.let_go(info, session, pages, is_new=event["waitingForDebugger"])
            return
        opener = self._pages.get(info.get("openerId", ""))
        page = Page(info["targetId"], session, context, self._terms, url=info["url"], opener=opener)
        self.traffic.equip(page.traffic.interception)
        self._pages[page.target_id] = page
        page.on("close", lambda page: self._pages.pop(page.target_id, None))
        self._came.set()
        if opener is not None and (opener.is_started or opener.target_id in self._greeters):
            self._tasks(self._introduce(page, opener, is_new=event["waitingForDebugger"]))
        else:
            session.send("Runtime.runIfWaitingForDebugger")

    def _on_changed(self, event: "TargetInfoChangedEvent") -> None:
        """Take the address of a page that is not followed more closely."""
        page = self._pages.get(event["targetInfo"]["targetId"])
        if page is not None and not page.is_started:
            page.main_frame.url = event["targetInfo"]["url"]

    def _context(self, context_id: str) -> BrowserContext | None:
        if context_id in self._contexts:
            return self._contexts[context_id]
        return self.context if self._default in ("", context_id) or not context_id else None

    async def _introduce(self, page: Page, opener: Page, *, is_new: bool) -> None:
        """Tell of a window that a page opened, when there is something to say of it."""
        if is_new and (greet := self._greeters.get(opener.target_id)):
            self._greeters[page.target_id] = greet
            with suppress(TimeoutError):
                async with asyncio.timeout(GREET_LIMIT):
                    await greet(page.target_id)
        if not opener.is_started:  # which nobody uses over this connection
            page.session.send("Runtime.runIfWaitingForDebugger")
            return
        try:
            await page.start(is_new=is_new)
            await page.first_document(POPUP_LIMIT)
        finally:
            opener.emit("popup", page)

    def _on_download(self, frame_id: str, download: Download) -> None:
        """Tell the page, or the one that opened it: some windows are there for a download alone."""
        if page := self.page_of(frame_id):
            teller = page if page.listens_to("download") else page.opener or page
            teller.emit("download", download)
