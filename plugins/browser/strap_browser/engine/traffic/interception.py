"""Requests that wait for a decision before they are sent.

`Fetch` is enabled while there is an interceptor, and for its patterns alone: a page without one
pays nothing.

Source: the domain Fetch of the Chrome DevTools protocol.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import IntEnum
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from strap import record
from strap_browser.cdp.connection import CdpSession, Handler, Params
from strap_browser.common.tasks import Tasks, started
from strap_browser.common.urls import fits_pattern
from strap_browser.engine.traffic.password_challenges import given_up
from strap_browser.engine.traffic.paused_request import (
    REFUSED,
    Decision,
    Fail,
    Fulfil,
    PausedRequest,
)

log = logging.getLogger(__name__)


class Order(IntEnum):
    """Order of decisions: a rule of the caller lets nothing through that a guard refuses."""

    GUARD = 0
    SETTINGS = 1
    """The operator's."""
    FLOW = 2
    MOCK = 3
    HOLD = 4
    APPROVE = 5
    """A person, after whom nobody decides."""


@record
class Pattern:
    """Requests by their address, in which `*` stands for any text, and by their type."""

    url: str = "*"
    resource_type: str = ""

    def matches(self, request: PausedRequest) -> bool:
        """Whether the request is one of them."""
        is_type = self.resource_type in ("", request.resource_type)
        return is_type and fits_pattern(self.url, request.url)

    def params(self) -> Params:
        """Return it as the protocol writes it (`Fetch.RequestPattern`), where `?` is special."""
        url = self.url.replace("\\", "\\\\").replace("?", "\\?")
        kind = {"resourceType": self.resource_type} if self.resource_type else {}
        return {"urlPattern": url, **kind}


EVERYTHING = (Pattern(),)
DOCUMENTS = (Pattern(resource_type="Document"),)


@record(frozen=False)
class Interceptor:
    """Decides on the requests of its patterns, one by one and as long as it likes."""

    decide: Callable[[PausedRequest], Awaitable[Decision]]
    patterns: tuple[Pattern, ...] = EVERYTHING
    order: Order = Order.GUARD
    scripts: tuple[str, ...] = ()
    """Scripts for documents of its pages, against what `Fetch` does not hold."""


class Interception:
    """The interceptors of some sessions: the one owner of their domain Fetch."""

    def __init__(self, *interceptors: Interceptor, cancels_logins: bool = False) -> None:
        """With `cancels_logins` servers that ask for a password get none, and nobody is asked."""
        self._logins = {"handleAuthRequests": True} if cancels_logins else {}
        self._sessions: dict[CdpSession, dict[str, Handler]] = {}
        """Event handlers of each session; that of the page is the first."""
        self._ruled: WeakKeyDictionary[CdpSession, bool] = WeakKeyDictionary()
        """Whether rules of a caller hold in a session."""
        self._interceptors = list(interceptors)
        self._scripts: WeakKeyDictionary[CdpSession, set[str]] = WeakKeyDictionary()
        """Scripts of interceptors that the documents of a session have."""
        self._tasks = Tasks()
        self._deciding: set[asyncio.Task[Any]] = set()
        self._refuses = False

    @classmethod
    def of_browser(cls, root: CdpSession) -> "Interception":
        """Return that of the session of a browser itself: there is one."""
        known: Interception | None = root.interception
        if known is None:
            known = root.interception = cls()
            known.follow(root)
        return known

    @property
    def is_on(self) -> bool:
        """Whether anybody decides."""
        return bool(self._interceptors)

    def follow(self, session: CdpSession) -> None:
        """Have what is asked for in a session decided on as well, until the session ends."""
        handlers: dict[str, Handler] = {
            "Fetch.requestPaused": partial(self._on_paused, session),
            "Fetch.authRequired": partial(self._on_challenge, session),
            "Target.detachedFromTarget": partial(self._on_detached, session),
        }
        self._sessions[session] = handlers
        for event, handler in handlers.items():
            session.on(event, handler)
        if self._interceptors:
            self._enable(session)

    async def refuse(self, *, on: bool = True) -> None:
        """Refuse what waits for the caller, and what would: a page that closes may send it."""
        self._refuses = on
        while on and self._deciding:
            for task in self._deciding:
                task.cancel()
            await asyncio.sleep(0)

    def inherit(self, other: "Interception") -> None:
        """Begin with the rules of a caller that hold for another page."""
        rules = (rule for rule in other._interceptors if rule.order > Order.SETTINGS)  # noqa: SLF001
        self._interceptors += rules

    def leave(self, session: CdpSession) -> None:
        """Follow a session no more."""
        for event, handler in self._sessions.pop(session, {}).items():
            session.off(event, handler)

    def add(self, interceptor: Interceptor) -> "asyncio.Future[Any]":
        """Have `interceptor` decide on what is sent from now on.

        The future is done when the browser holds it; it raises `CdpError`.
        """
        if all(other is not interceptor for other in self._interceptors):
            self._interceptors.append(interceptor)
        self._interceptors.sort(key=lambda rule: rule.order)  # those of one order as they came
        return self.apply()

    def remove(self, interceptor: Interceptor) -> "asyncio.Future[Any]":
        """Ask `interceptor` no more; the future is as that of `add`."""
        self._interceptors = [other for other in self._interceptors if other is not interceptor]
        return self.apply()

    @asynccontextmanager
    async def by(self, interceptor: Interceptor) -> AsyncIterator[None]:
        """Have `interceptor` decide meanwhile; raises `CdpError`."""
        try:
            await self.add(interceptor)
            yield
        finally:
            self.remove(interceptor)  # nobody waits for it: the page may be gone

    def apply(self) -> "asyncio.Future[Any]":
        """Have the browser hold what the patterns say now.

        A frame or worker that is gone meanwhile, or cannot do it, does not fail the page.
        """
        sent = [self._enable(session) for session in self._sessions]
        others = asyncio.gather(*sent[1:], return_exceptions=True)
        return started(asyncio.gather(*sent[:1], others))

    def _enable(self, session: CdpSession) -> "asyncio.Future[Any]":
        ruled = session.id != "" and any(rule.order > Order.SETTINGS for rule in self._interceptors)
        if ruled is not self._ruled.get(session, False):
            self._ruled[session] = ruled
            # What a service worker asks for is asked for in no session of the page.
            session.send("Network.setBypassServiceWorker", bypass=ruled)
        known = self._scripts.setdefault(session, set())
        for script in {text for rule in self._interceptors for text in rule.scripts} - known:
            known.add(script)
            session.send(
                "Page.addScriptToEvaluateOnNewDocument", source=script, runImmediately=True
            )
        patterns = [pattern.params() for rule in self._interceptors for pattern in rule.patterns]
        if not patterns:
            return session.send("Fetch.disable")
        return session.send("Fetch.enable", patterns=patterns, **self._logins)

    def _on_paused(self, session: CdpSession, event: Params) -> None:
        if self._interceptors:  # else it is let go with the domain
            self._tasks(self._answer(PausedRequest.of(session, event)))

    async def _answer(self, request: PausedRequest) -> None:
        send = partial(request.session.send, requestId=request.id)
        match await self._decision(request):
            case Fail(reason=reason):
                send("Fetch.failRequest", errorReason=reason)
            case Fulfil(status=status, headers=headers, body=body):
                lines = ((name, line) for name in headers for line in headers[name].split("\n"))
                fields = [{"name": name, "value": line} for name, line in lines]
                encoded = b64encode(body).decode()
                send(
                    "Fetch.fulfillRequest",
                    responseCode=status,
                    responseHeaders=fields,
                    body=encoded,
                )
            case None:
                sending = send("Fetch.continueRequest", **_changes(request))
                sending.add_done_callback(partial(_note_end, request))
                return
        request.ending.tell(sent=False)

    async def _decision(self, request: PausedRequest) -> Decision:
        """Ask one after the other; what cannot be decided is not sent."""
        try:
            for interceptor in tuple(self._interceptors):
                if any(pattern.matches(request) for pattern in interceptor.patterns):
                    decision = await self._decision_of(interceptor, request)
                    if decision is not None:
                        return decision
        except Exception:
            log.exception("A request could not be decided on")
            return REFUSED
        return None

    async def _decision_of(self, interceptor: Interceptor, request: PausedRequest) -> Decision:
        if interceptor.order < Order.HOLD:
            return await interceptor.decide(request)
        if self._refuses:
            return REFUSED
        task = asyncio.current_task()
        assert task is not None
        self._deciding.add(task)
        try:
            return await interceptor.decide(request)
        except asyncio.CancelledError:
            if not self._refuses:
                raise
            task.uncancel()
            return REFUSED
        finally:
            self._deciding.discard(task)

    def _on_challenge(self, session: CdpSession, event: Params) -> None:
        """Give no password: the page shows what the server says to those who have none."""
        session.send(
            "Fetch.continueWithAuth",
            requestId=event["requestId"],
            authChallengeResponse=given_up(event["authChallenge"]),
        )

    def _on_detached(self, session: CdpSession, event: Params) -> None:
        if event["sessionId"] == session.id:
            self._sessions.pop(session, None)


def _changes(request: PausedRequest) -> Params:
    if not request.adds:
        return {}
    fields = {**request.headers, **request.adds}
    return {"headers": [{"name": name, "value": value} for name, value in fields.items()]}


def _note_end(request: PausedRequest, done: "asyncio.Future[Any]") -> None:
    request.ending.tell(sent=not done.cancelled() and done.exception() is None)
