"""Requests that change something on certain hosts: each waits until a person has said yes."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import field
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from strap import (
    Consent,
    Environment,
    HostPattern,
    PolicyDenied,
    Question,
    Secrets,
    place_of,
    record,
)
from strap.evidence.redaction import without_secrets
from strap_browser.common.tasks import Tasks
from strap_browser.common.urls import is_web
from strap_browser.engine.traffic.interception import Interceptor, Order, Pattern
from strap_browser.engine.traffic.paused_request import (
    HARMLESS,
    MOST,
    REFUSED,
    Decision,
    PausedRequest,
)
from strap_browser.engine.traffic.request_words import in_words, lines
from strap_browser.engine.traffic.traffic import Traffic

NOBODY = "nobody can be asked here"
REPEATED = "a person said no to it before"
MOST_NOES = 5
"""Requests that a person declines in one call; then the others of its pages are dropped unasked."""


def _ignore(text: str) -> None:
    del text


@record
class RequestSource:
    """Source of a request: `key` is the caller's, "" where nobody knows."""

    key: str = ""
    tell: Callable[[str], None] = _ignore
    """Gets a sentence for the next answer."""
    traffic: Traffic | None = None
    """That of its page, where that is known."""


@record(frozen=False)
class _Present:
    """A call through which a person may be asked."""

    consent: Consent
    context: Context
    """That of its task: its limits of time stand still while somebody is asked."""
    is_over: bool = False
    declined: set[tuple[str, str, bytes | None]] = field(default_factory=set)


class Approvals:
    """Asks the persons before all callers about requests of their pages, one after the other."""

    def __init__(self, hosts: Sequence[HostPattern], limit: float, secrets: Secrets) -> None:
        """`limit`: seconds that a request waits."""
        self.hosts = hosts
        self._limit = limit
        self._secrets = secrets
        self._patterns = tuple(Pattern(url=f"*{host.host}*") for host in hosts)
        self.calls: dict[str, _Present] = {}
        """The calls through which persons are asked, by callers; the last one is at the end."""
        self._came = asyncio.Event()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._waiting = 0
        self._tasks = Tasks()

    @classmethod
    def of(cls, environment: Environment, limit: float) -> "Approvals":
        """Return those that the policy wants."""
        return cls(environment.confirm_requests, limit, environment.config.secrets)

    def interceptors(
        self, source: Callable[[PausedRequest], Awaitable[RequestSource]]
    ) -> tuple[Interceptor, ...]:
        """Return what decides, nothing where no request needs a yes."""
        decide = partial(self._decide, source)
        made = Interceptor(decide=decide, patterns=self._patterns, order=Order.APPROVE)
        return (made,) if self.hosts else ()

    @contextmanager
    def present(self, key: str, consent: Consent) -> Iterator[None]:
        """Ask through this call of a caller while it runs, and after it until the next one."""
        if not self.hosts:
            yield
            return
        call = _Present(consent=consent, context=copy_context())
        before = self.calls.pop(key, None)
        self.calls[key] = call
        self._pulse()
        try:
            yield
        finally:
            call.is_over = True
            if before is not None and not before.is_over and self.calls.get(key) is call:
                self.calls[key] = before  # which made this call
            self._pulse()

    def _pulse(self) -> None:
        """Have those look again who wait for a call."""
        self._came.set()
        self._came = asyncio.Event()

    def _means(self, request: PausedRequest) -> bool:
        if request.method in HARMLESS or not is_web(request.url):
            return False
        place = place_of(request.url)
        return place is None or any(host.matches(place) for host in self.hosts)

    async def _decide(
        self, find: Callable[[PausedRequest], Awaitable[RequestSource]], request: PausedRequest
    ) -> Decision:
        if not self._means(request):
            return None
        if self._waiting >= MOST:
            return REFUSED
        self._waiting += 1
        source, words = RequestSource(), in_words(request)
        try:
            source = await find(request)
            why = await self._while_there(source, self._verdict(source.key, request))
        except asyncio.CancelledError:
            source.tell(f"Not sent, as its page is gone: {words}.")
            raise
        finally:
            self._waiting -= 1
        if why:
            source.tell(f"Not sent, as {why}: {words}.")
            return REFUSED
        self._tasks(_tell_end(request, source, words))
        return None

    async def _while_there(self, source: RequestSource, verdict: Coroutine[Any, Any, str]) -> str:
        """Return the verdict, which a page that is gone does not get; its calls wait for it."""
        if source.traffic is None:
            return await verdict
        asking, gone = self._tasks(verdict), self._tasks(source.traffic.closed.wait())
        try:
            with source.traffic.asked_about():
                await asyncio.wait((asking, gone), return_when=asyncio.FIRST_COMPLETED)
            return "its page is gone" if source.traffic.closed.is_set() else asking.result()
        finally:
            asking.cancel()
            gone.cancel()

    async def _verdict(self, key: str, request: PausedRequest) -> str:
        """Return why a request is not sent, "" after a yes."""
        turn = self._turns.setdefault(key, asyncio.Lock())
        try:
            async with asyncio.timeout(self._limit), turn:
                return await self._confirm(key, request)
        except TimeoutError:
            return f"nobody answered within {self._limit:g} s"

    async def _confirm(self, key: str, request: PausedRequest) -> str:
        same = request.method, request.url, request.posted
        while True:
            call = self._call(key)
            if call is None or not call.consent.reaches:
                return NOBODY
            if same in call.declined or len(call.declined) >= MOST_NOES:
                return REPEATED
            try:
                await self._put(key, call, self._question(request))
            except PolicyDenied as denied:
                if denied.code == "declined":
                    call.declined.add(same)
                    return "a person said no"
                if not call.is_over:
                    return NOBODY if denied.code == "needs_confirmation" else "nobody answered"
                await self._next(key, call)  # before whom a person may be
            except _Later:
                continue
            else:
                return ""

    def _call(self, key: str) -> _Present | None:
        known = self.calls.get(key)
        if known is None and not key and self.calls:
            known = next(reversed(self.calls.values()))
        return known

    async def _put(self, key: str, call: _Present, question: Question) -> None:
        """Ask through a call; raises `_Later` where there is a newer one."""
        asking = asyncio.create_task(_put(call.consent, question), context=call.context.copy())
        newer = asyncio.create_task(self._next(key, call))
        try:
            await asyncio.wait((asking, newer), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise _Later
            asking.result()
        finally:
            for task in (asking, newer):
                task.cancel()
            await asyncio.wait((asking, newer))

    async def _next(self, key: str, call: _Present) -> None:
        """Return when another call has come, and this one is over."""
        while not call.is_over or self._call(key) is call:
            await self._came.wait()

    def _question(self, request: PausedRequest) -> Question:
        hide = self._secrets.hide
        fields = {"Method": request.method, "Sends": hide(lines(request))}
        return Question(
            action="browser.request",
            url=hide(without_secrets(request.url)),
            fields=fields,
            wish="A page wants to send a request that changes something.",
        )


class _Later(Exception):
    """A newer call is there to ask through."""


async def _put(consent: Consent, question: Question) -> None:
    await consent.put(question, quiet=True)


async def _tell_end(request: PausedRequest, source: RequestSource, words: str) -> None:
    sent = await request.ending.sent()
    source.tell(f"Sent after a person's yes: {words}." if sent else f"Not sent: {words}.")
