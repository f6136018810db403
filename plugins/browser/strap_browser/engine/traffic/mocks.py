"""Rules of a caller for requests of its pages: answers in place of a server's, delays, failures."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from weakref import WeakSet

from strap import StrapError, record
from strap.evidence.redaction import without_secrets
from strap_browser.common.text import clip
from strap_browser.common.urls import fits_pattern
from strap_browser.engine.traffic.har_answers import HarAnswers
from strap_browser.engine.traffic.interception import Interception, Interceptor, Order, Pattern
from strap_browser.engine.traffic.paused_request import REFUSED, Decision, PausedRequest
from strap_browser.engine.traffic.requests import ICON

MOST = 100
"""Rules of a caller: each is compared with each request."""
MARKED = 1_000
"""Requests that are known to be mocked: more than are kept of 3 pages."""
NAMED = 10
"""Requests of a rule that are named when they are refused; `mock` tells how many there were."""
SHOWN = 200
"""Characters of an address that are shown."""
Check = Callable[[str], Awaitable[object]]


@record(frozen=False)
class Mock:
    """A rule; `decision` None lets a request through after its delay."""

    url: str
    effect: str
    """Effect as the caller wrote it."""
    decision: Decision = None
    delay: float = 0.0
    """Seconds."""
    answers: HarAnswers | None = None
    """Recorded answers, to each request its own."""
    hits: int = 0
    misses: int = 0
    """Requests that `answers` has nothing for, and that are refused."""


class Mocks:
    """The rules of one caller, in all pages that follow them; the newest that matches decides."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` gets a sentence about each request that a HAR has no answer for."""
        self._tell = tell
        self.rules: dict[str, Mock] = {}
        self._check: Check | None = None
        self._pages: WeakSet[Interception] = WeakSet()
        self._marked: dict[str, None] = {}
        self._interceptor = Interceptor(decide=self._decide, patterns=(), order=Order.MOCK)

    def follow(self, interception: Interception) -> None:
        """Have the rules decide on the requests of a further page."""
        self._pages.add(interception)
        if self.rules:
            interception.add(self._interceptor)

    async def add(self, rule: Mock, check: Check) -> None:
        """Add a rule, in place of the one for the same address; raises `CdpError`.

        `check` raises `StrapError` for an address that the caller may not go to: a rule makes no
        answer from there.
        """
        self._check = check
        self.rules.pop(rule.url, None)
        self.rules[rule.url] = rule
        await self._apply()

    async def clear(self, urls: Iterable[str]) -> None:
        """Drop the rules for these addresses; raises `CdpError`."""
        for url in tuple(urls):
            self.rules.pop(url, None)
        await self._apply()

    def has_answered(self, request_id: str) -> bool:
        """Whether a rule decided on a request."""
        return request_id in self._marked

    async def _apply(self) -> None:
        self._interceptor.patterns = tuple(Pattern(url=url) for url in self.rules)
        for page in tuple(self._pages):
            await (page.add if self.rules else page.remove)(self._interceptor)

    async def _decide(self, request: PausedRequest) -> Decision:
        rules = [rule for rule in self.rules.values() if fits_pattern(rule.url, request.url)]
        if not rules or not await self._may_answer(request.url):
            return None
        rule = rules[-1]
        rule.hits += 1
        self._marked[request.network_id] = None
        if len(self._marked) > MARKED:
            del self._marked[next(iter(self._marked))]
        if rule.answers is not None:
            return self._answered(rule, rule.answers, request)
        await asyncio.sleep(rule.delay)
        return rule.decision

    def _answered(self, rule: Mock, answers: HarAnswers, request: PausedRequest) -> Decision:
        """Return the answer of a HAR; what it has none for is refused, and named."""
        decision = answers.answer(request)
        if decision is not None:
            return decision
        rule.hits -= 1
        if request.url.endswith(ICON):
            return REFUSED
        rule.misses += 1
        if rule.misses <= NAMED:
            url = without_secrets(clip(request.url, SHOWN))
            self._tell(f"Refused, not in {answers.name}: {request.method} {url}.")
        return REFUSED

    async def _may_answer(self, url: str) -> bool:
        """Whether the caller may go there; what it may not is refused on its way."""
        try:
            if self._check is not None:
                await self._check(url)
        except StrapError as error:
            return error.code == "dns"  # it leads nowhere, so nothing is let through
        return True
