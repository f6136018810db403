"""Decisions on requests of pages that hold data from the model, before they are sent."""

from collections.abc import Callable, Iterable
from weakref import WeakSet

from strap import Flow, PolicyDenied
from strap_browser.common.urls import origin_of
from strap_browser.engine.traffic.interception import Interception, Interceptor, Order
from strap_browser.engine.traffic.paused_request import REFUSED, Decision, PausedRequest
from strap_browser.page_script.bundle import preloaded

PASSIVE = ("Image", "Stylesheet", "Font", "Media", "Script", "Manifest", "Prefetch")
"""Types of requests about which no person is asked: a page makes hundreds."""


class FlowGate:
    """The requests of those pages of one caller that hold what the model made.

    Windows that they open hold it as well: an interceptor is inherited.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._flow: Flow | None = None
        self._scripted = False
        """Whether a script of the model's ran in a private page: what it took cannot be told."""
        self.proxied = True
        """Whether its browser sends all through strap's proxy: else a new window begins before
        anybody follows it, and WebSockets are not held."""
        self._pages: WeakSet[Interception] = WeakSet()
        self._interceptor = Interceptor(decide=self._decide, order=Order.FLOW)

    @property
    def is_on(self) -> bool:
        """Whether a page holds what the model made."""
        return self._flow is not None

    async def touch(
        self, flow: Flow, page: Interception, addresses: Iterable[str], *, scripted: bool = False
    ) -> None:
        """Decide on what a page asks for from now on; raises `CdpError`.

        `scripted`: a script of the model's has what the page shows.
        """
        if not flow.concerned:
            return
        flow.write(*addresses)
        self._flow = flow
        self._scripted |= scripted
        if not self.proxied:
            names = ("one_window", "own_sockets") if flow.strict else ("one_window",)
            self._interceptor.scripts = tuple(map(preloaded, names))
        if page not in self._pages:
            self._pages.add(page)
            await page.add(self._interceptor)

    def follow(self, flow: Flow) -> None:
        """Have decisions made within the call that acts now, in which a person can be asked."""
        if self._flow is not None:
            self._flow = flow

    def check(self, url: str) -> None:
        """Raise `PolicyDenied` for a server that strict rules keep all pages from."""
        if self._flow is not None and self._flow.strict:
            self._flow.check_led(url)

    async def _decide(self, request: PausedRequest) -> Decision:
        assert self._flow is not None
        body, unseen = (request.posted or b"").decode("utf-8", "replace"), request.keeps_posted
        is_foreign = request.header("origin") != origin_of(request.url)
        opaque = unseen and request.posted is None and is_foreign
        passive = request.resource_type in PASSIVE
        try:
            await self._flow.requested(
                request.url, body, opaque=opaque, passive=passive, scripted=self._scripted
            )
        except PolicyDenied as error:
            if not passive:
                self._tell(f"A request of the page was refused. {error}")
            return REFUSED
        return None
