"""Interception of all requests of a browser's pages and workers, in the browser's own session.

What is decided on in the session of the browser itself needs no session of a page: workers that
pages share, windows that are about to open and what a page sends while it closes are all there.
Requests are held in it that their page has already let go.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap_browser.cdp.connection import CdpSession
from strap_browser.cdp.errors import CdpError, ProtocolError
from strap_browser.engine.traffic.interception import Interception, Interceptor
from strap_browser.engine.traffic.traffic import Traffic

if TYPE_CHECKING:
    from cdp_use.cdp.target.types import TargetInfo

SHARED = "shared_worker"
WORKERS = ("service_worker", SHARED)


class BrowserTraffic:
    """The interceptors of one browser; pages decide in its place where it cannot."""

    def __init__(self, root: CdpSession, interceptors: Iterable[Interceptor] = ()) -> None:
        self._root, self.interception = root, Interception.of_browser(root)
        self.contexts: dict[str, str] = {}
        """Ids of the contexts of its workers, by the ids of these."""
        self._interceptors = tuple(interceptors)
        self._by_pages = False

    async def begin(self) -> None:
        """Have the interceptors decide from now on, before there is a page; raises `CdpError`."""
        for interceptor in self._interceptors:
            try:
                await self.interception.add(interceptor)
            except ProtocolError:  # a bridge to some tabs, or to another kind of browser
                self._by_pages = True

    def equip(self, interception: Interception) -> None:
        """Have a page decide on its own requests, if the browser cannot."""
        if self._by_pages:
            for interceptor in self._interceptors:
                interception.add(interceptor)

    async def reach_workers(self) -> None:
        """Have workers that have begun ask here as well: that takes a session of each."""
        for target in tuple(self.contexts):
            try:
                session = await self._root.connection.attach(target)  # which is let go below
                await session.send("Fetch.enable")
            except CdpError:  # it is gone
                self.contexts.pop(target, None)

    def let_go(
        self,
        info: "TargetInfo",
        target: CdpSession,
        pages: Iterable[Traffic],
        *,
        is_new: bool,
    ) -> None:
        """Let what is no page begin, by itself; a worker that has begun asks here from now on.

        One of the `pages` will ask for the script of a worker that pages share.
        """
        for page in pages if info["type"] == SHARED else ():
            page.shared_workers.append(info["targetId"])
        if info["type"] in WORKERS:
            self.contexts[info["targetId"]] = info.get("browserContextId", "")
            if self.interception.is_on and not is_new:
                target.send("Fetch.enable")
        released = target.send("Runtime.runIfWaitingForDebugger")
        # A shared worker that is left before never runs.
        released.add_done_callback(lambda _: target.detach())

    async def aclose(self) -> None:
        """Refuse what waits: with the connection it would be sent."""
        await self.interception.refuse()
