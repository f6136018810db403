"""Requests that change something and wait until the caller has them sent or dropped."""

import asyncio
from collections.abc import Callable
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

LIMIT = 120.0
"""Seconds that a request waits; what nobody decides on is dropped."""


@record(frozen=False)
class Held:
    """A request that waits."""

    ref: str
    request: PausedRequest
    decided: "asyncio.Future[bool]"

    @property
    def told(self) -> str:
        """What it would send, in words."""
        return in_words(self.request)


class Holding:
    """The requests of one caller that are held, in all pages that follow."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` gets a sentence about each request that is held, and about each that expires."""
        self.held: dict[str, Held] = {}
        self.patterns: tuple[str, ...] = ()
        self._tell = tell
        self._numbers = count(1)
        self._pages: WeakSet[Interception] = WeakSet()
        self._interceptor = Interceptor(decide=self._decide, patterns=(), order=Order.HOLD)

    def follow(self, interception: Interception) -> None:
        """Have the requests of a further page held as well."""
        self._pages.add(interception)
        if self.patterns:
            interception.add(self._interceptor)

    async def hold(self, pattern: str) -> None:
        """Hold requests to such addresses from now on; raises `CdpError`."""
        self.patterns = tuple(dict.fromkeys((*self.patterns, pattern)))
        self._interceptor.patterns = tuple(Pattern(url=url) for url in self.patterns)
        for page in tuple(self._pages):
            await page.add(self._interceptor)

    async def end(self) -> None:
        """Drop what is held, and hold nothing more; raises `CdpError`.

        What is held is refused first: with the end of the domain Fetch it would be sent.
        """
        self.patterns = ()
        while self.held:
            for each in self.held.values():
                self.decide(each, send=False)
            await asyncio.sleep(0)
        self._interceptor.patterns = ()
        for page in tuple(self._pages):
            await page.remove(self._interceptor)

    async def refuse(self, *, on: bool = True) -> None:
        """Refuse what is held, and what would be, while the pages are about to close."""
        for page in tuple(self._pages):
            await page.refuse(on=on)

    def decide(self, held: Held, *, send: bool) -> None:
        """Send a request, or drop it."""
        if not held.decided.done():
            held.decided.set_result(send)

    async def _decide(self, request: PausedRequest) -> Decision:
        is_meant = any(fits_pattern(each, request.url) for each in self.patterns)
        if request.method in HARMLESS or not is_meant:
            return None
        if len(self.held) >= MOST:
            return REFUSED
        decided = asyncio.get_running_loop().create_future()
        held = Held(ref=f"h{next(self._numbers)}", request=request, decided=decided)
        self.held[held.ref] = held
        self._tell(f"Held {held.ref}: {held.told}. Not sent: mock value=send or value=drop.")
        try:
            async with asyncio.timeout(LIMIT):
                is_sent = await held.decided
        except TimeoutError:
            is_sent = False
            self._tell(f"{held.ref} was held for {LIMIT:g} s and is dropped: not sent.")
        except asyncio.CancelledError:
            self._tell(f"{held.ref} is dropped with its page: not sent.")
            raise
        finally:
            del self.held[held.ref]
        return None if is_sent else REFUSED
