"""Requests that change something and wait until the caller has them sent or dropped."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from weakref import WeakSet

from strap import record
from strap_browser.common.urls import fits_pattern
from strap_browser.engine.traffic.interception import Interception, Interceptor, Order, Pattern
from strap_browser.engine.traffic.paused_request import (
    HARMLESS,
    MOST,
    REFUSED,
    Decision,
    PausedRequest,
)
from strap_browser.engine.traffic.request_words import in_words
from strap_browser.engine.traffic.traffic import Traffic

Source = tuple[bool, Traffic | None]


@record(frozen=False)
class Held:
    """A request that waits."""

    ref: str
    request: PausedRequest
    decided: "asyncio.Future[bool]"

    @property
    def line(self) -> str:
        """The request that is held, in words."""
        return in_words(self.request)


class Holding:
    """The requests of one caller that are held, in the sessions of its pages and of the browser.

    The browser holds what shared workers ask for, and what a page sends that is gone already, but
    nothing of documents that were there before: their pages do.
    """

    def __init__(
        self, tell: Callable[[str], None], find: Callable[[PausedRequest], Source], limit: float
    ) -> None:
        """`tell` gets a sentence about each request that is held, and about each that expires.

        `find` returns whether a request is the caller's, and the traffic of its page. A request on
        which nobody decides within `limit` seconds is dropped.
        """
        self.held: dict[str, Held] = {}
        self.patterns: tuple[str, ...] = ()
        self._tell, self._find, self._limit = tell, find, limit
        self._numbers = count(1)
        self._browser: Interception | None = None
        self._pages: WeakSet[Interception] = WeakSet()
        self._sent = deque[tuple[str, str]](maxlen=MOST)
        """Requests that were let go in one of the two sessions, by id and address."""
        self._refuses = False
        self._interceptor = Interceptor(decide=self._decide, patterns=(), order=Order.HOLD)

    def follow(self, page: Interception) -> None:
        """Have the requests of a further page held as well."""
        self._pages.add(page)
        if self.patterns:
            page.add(self._interceptor)

    async def hold(self, pattern: str, browser: Interception) -> None:
        """Hold requests to such addresses from now on; raises `CdpError`."""
        if browser is not self._browser:
            self.patterns, self._browser = (), browser
        self.patterns = tuple(dict.fromkeys((*self.patterns, pattern)))
        self._interceptor.patterns = tuple(Pattern(url=url) for url in self.patterns)
        for traffic in (browser, *self._pages):
            await traffic.add(self._interceptor)

    async def end(self) -> None:
        """Drop what is held, and hold nothing more; raises `CdpError`.

        What is held is refused first: with the end of the domain Fetch it would be sent.
        """
        await self.refuse()
        browser, self._browser = self._browser, None
        self.patterns = self._interceptor.patterns = ()
        for traffic in (*self._pages, *((browser,) if browser else ())):
            await traffic.remove(self._interceptor)
        self._refuses = False

    async def refuse(self, *, on: bool = True) -> None:
        """Refuse what is held, and what would be, while the pages are about to close."""
        self._refuses = on
        while on and self.held:
            for number in self.held.values():
                self.decide(number, send=False)
            await asyncio.sleep(0)

    def decide(self, held: Held, *, send: bool) -> None:
        """Send a request, or drop it."""
        if not held.decided.done():
            held.decided.set_result(send)

    async def _decide(self, request: PausedRequest) -> Decision:
        is_meant = any(fits_pattern(pattern, request.url) for pattern in self.patterns)
        if request.method in HARMLESS or not is_meant:
            return None
        is_own, traffic = self._find(request)
        key = request.network_id, request.url
        if not is_own or key in self._sent:
            return None
        if len(self.held) >= MOST or self._refuses:
            return REFUSED
        decided = asyncio.get_running_loop().create_future()
        held = Held(ref=f"h{next(self._numbers)}", request=request, decided=decided)
        self.held[held.ref] = held
        self._tell(f"Held {held.ref}: {held.line}. Not sent: mock value=send or value=drop.")
        why = "is dropped with its page"
        try:
            with traffic.holding(request.network_id) if traffic else nullcontext():
                why = await self._dropped(held, traffic)
        finally:
            del self.held[held.ref]
            if why:
                self._tell(f"{held.ref} {why}: not sent.")
        if not held.decided.done() or not held.decided.result():
            return REFUSED
        self._sent.append(key)
        return None

    async def _dropped(self, held: Held, traffic: Traffic | None) -> str:
        """Wait, and return why a request is dropped that nobody decided on."""
        gone = asyncio.ensure_future((traffic.closed if traffic else asyncio.Event()).wait())
        try:
            async with asyncio.timeout(self._limit):
                await asyncio.wait((held.decided, gone), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            return f"was held for {self._limit:g} s and is dropped"
        finally:
            gone.cancel()
        return "" if held.decided.done() else "is dropped with its page"
