"""Requests of the watched pages: recorded, and stopped where the network guard forbids them."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from strap import StrapError
from strap_agent.monitor.initiators import Initiators
from strap_agent.monitor.request_guard import RequestGuard
from strap_agent.store.records import Event
from strap_browser.api import (
    DOCUMENTS,
    SAFE_METHODS,
    CdpConnection,
    CdpError,
    Decision,
    Fail,
    Interception,
    Interceptor,
    PausedRequest,
    Request,
    Traffic,
    is_challenge,
    is_web,
    loggable_url,
    secrets_sent,
    unopened,
)

Owns = Callable[[str, str], Awaitable[bool]]
"""`await owns(frame, url)`: whether the document that a frame asks for is the run's own."""
BAD_STATUS = 400
"""HTTP status from which on a response is an error (RFC 9110, 15.5 and 15.6)."""
REDIRECTS = (301, 302, 303, 307, 308)
"""HTTP status of an answer that leads on (RFC 9110, 15.4)."""
NO_PAGE = (204, 205, *REDIRECTS)
"""HTTP status of answers after which the page before stays (RFC 9110, 15.3.5 and 15.3.6)."""
ASKED = "(the server asks for a user name and a password, which a run cannot give)"
MOST = 1_000
"""Refusals and redirects that are remembered at a time."""


class Network:
    """Turns what the engine follows of requests into events, and decides on each."""

    def __init__(
        self,
        cdp: CdpConnection,
        record: Any,
        guard: RequestGuard,
        initiators: Initiators,
        owns: Owns,
        refused: Callable[[str], None],
    ) -> None:
        """`refused` is told why a document was not gone to."""
        self._cdp = cdp
        self._record = record
        self._guard = guard
        self._owns = owns
        self._tell_refused = refused
        checks = Interceptor(decide=self._decide)
        self.interception = Interception(checks, cancels_logins=True)
        self._traffic = Traffic(self._ended, self.interception)
        self._refused: dict[str, str] = {}
        """Why requests fail, by their ids."""
        self._initiators = initiators
        self._unsent: Callable[[], None] | None = None
        self._hops: dict[str, str] = {}
        """The addresses of requests that may be redirected, by their numbers in Fetch."""

    def listen(self, session: str) -> None:
        """Listen to a page, frame or worker, and hold its requests until they are checked."""
        self._traffic.follow(self._cdp.session(session))

    async def hold_documents(self) -> None:
        """Hold the documents of the whole browser, where the run is confined to sites.

        A new window asks for its first document before anybody can listen to it. Chrome's
        extension may not do this.
        """
        if self._guard.is_confined:
            checks = Interceptor(decide=self._decide_window, patterns=DOCUMENTS)
            with suppress(CdpError):
                await Interception.of_browser(self._cdp.root).add(checks)

    def hold_forms(self, refused: Callable[[], None]) -> None:
        """Send no form from now on: a page is loaded again. `refused` is told of each."""
        self._unsent = refused

    def finish(self) -> None:
        """Record the requests that were never answered to the end."""
        for request in self._traffic.running():
            self._tell(request, "" if request.response else "never finished")

    def _ended(self, event: str, request: Any) -> None:
        if event == "request":
            self._tell_secrets(request)
        elif event in ("requestfinished", "requestfailed") and (why := _led_out(request)):
            self._tell(request, f"redirect refused: {why}", is_refused=True)
            if request.is_navigation:
                self._tell_refused(f"The page was not opened, as it redirects: {why}")
        elif event == "requestfinished":
            self._tell(request)
        elif event == "requestfailed":
            refused = self._refused.pop(request.id, "")
            if request.blocked_reason == "inspector" and not refused:
                refused = "refused by strap"  # held up in another session: a worker's page
            # A page that leaves cancels what it was loading, and so do its own scripts.
            error = "" if request.is_cancelled else request.failure
            self._tell(request, refused or error, is_refused=bool(refused))

    def _tell_secrets(self, request: Request) -> None:
        """Record that the page sends a secret where it does not belong."""
        messages = secrets_sent(
            self._guard.secrets, request.url, request.posted, is_navigation=request.is_navigation
        )
        for message in messages:
            details = {
                "method": request.method, "status": None, "duration_s": None, "error": message,
                "resource": request.resource_type, "blocked": False,
            }  # fmt: skip
            self._record(
                Event(
                    type="network", summary=message, at=request.wall_time, has_error=True,
                    url=loggable_url(request.url), details=details,
                )
            )  # fmt: skip

    async def _decide(self, request: PausedRequest) -> Decision:
        if self._unsent and request.method not in SAFE_METHODS:
            self._unsent()
            return Fail()
        if not is_web(request.url):
            return None
        try:
            if request.resource_type == "Document":
                self._guard.confine(request.url)
            await self._guard(request.url, self._source(request))
        except StrapError as denied:
            return self._refuse(request, denied)
        return None

    async def _decide_window(self, request: PausedRequest) -> Decision:
        """Decide on a document; a page of the run asks for it once more in its own session."""
        try:
            if is_web(request.url) and await self._owns(request.frame_id, request.url):
                self._guard.confine(request.url)
        except StrapError as denied:
            return self._refuse(request, denied)
        return None

    def _refuse(self, request: PausedRequest, denied: StrapError) -> Fail:
        _remember(self._refused, request.network_id, f"refused by strap: {denied.message}")
        return Fail(reason="BlockedByClient")

    def _source(self, request: PausedRequest) -> str | None:
        page = self._initiators.page(request.session.id)
        page = self._hops.pop(request.redirected_id, page)
        _remember(self._hops, request.id, request.url)
        return None if self._initiators.led(request) else page

    def _tell(self, request: Request, error: str = "", *, is_refused: bool = False) -> None:
        if not is_web(request.url):
            return
        url = loggable_url(request.url)
        status = request.response.status if request.response else None
        duration = None if request.took is None else round(request.took, 3)
        if not error and is_challenge(request.response):
            error = f"{status} {ASKED}"
        what = error or status or "cancelled"
        self._record(
            Event(
                type="network",
                summary=f"{request.method} {url} {what}",
                at=request.wall_time,
                has_error=bool(error) or (status or 0) >= BAD_STATUS,
                url=url,
                details={
                    "method": request.method,
                    "status": status,
                    "duration_s": duration,
                    "error": error or None,
                    "resource": request.resource_type,
                    "blocked": is_refused,
                    **({"document": _document(request)} if request.is_navigation else {}),
                },
            )
        )


def _document(request: Request) -> str:
    """Return the frame that shows what answered, empty where that is no document: a download."""
    answer = request.response
    no_page = answer is None or answer.status in NO_PAGE or request.is_cancelled or request.failure
    return "" if no_page else request.frame_id


def _led_out(request: Request) -> str:
    """Return why the browser does not follow the redirect that answers a request, if it does not.

    Chromium refuses by itself, and tells it as an error of the network or as no page at all. A
    script may ask for a redirect's answer alone, which then is no failure.
    """
    answer = request.response
    if answer is not None and not (request.is_navigation and answer.status in REDIRECTS):
        return ""
    location = (answer.headers if answer else request.extra).get("location", "")
    try:
        return unopened(urljoin(request.url, location)) if location else ""
    except ValueError:  # no address at all
        return ""


def _remember(values: dict[str, str], key: str, value: str) -> None:
    if len(values) >= MOST:
        del values[next(iter(values))]
    values[key] = value
