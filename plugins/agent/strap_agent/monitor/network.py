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
    SAFE_METHODS,
    CdpConnection,
    CdpError,
    Params,
    Request,
    Traffic,
    given_up,
    is_challenge,
    is_web,
    loggable_url,
    secrets_sent,
    unopened,
)

Owns = Callable[[str, str], Awaitable[bool]]
"""`await owns(frame, url)`: whether the document that a frame asks for is the run's own."""
DOCUMENTS = [{"urlPattern": "*", "resourceType": "Document"}]
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
    """Turns what the engine follows of requests into events, and answers what Fetch holds."""

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
        self._traffic = Traffic(self._ended)
        self._refused: dict[str, str] = {}
        """Why requests fail, by their ids."""
        self._initiators = initiators
        self._unsent: Callable[[], None] | None = None
        self._hops: dict[str, str] = {}
        """The addresses of requests that may be redirected, by their numbers in Fetch."""
        cdp.on("Fetch.requestPaused", self._paused)
        cdp.on("Fetch.authRequired", self._challenged)

    def listen(self, session: str) -> None:
        """Listen to a page, frame or worker, and hold its requests until they are checked."""
        self._traffic.follow(self._cdp.session(session))
        self._cdp.post("Network.enable", session)
        everything = [{"urlPattern": "*"}]
        self._cdp.post("Fetch.enable", session, patterns=everything, handleAuthRequests=True)

    async def hold_documents(self) -> None:
        """Hold the documents of the whole browser, where the run is confined to sites.

        A new window asks for its first document before anybody can listen to it. Chrome's
        extension may not do this.
        """
        if self._guard.is_confined:
            with suppress(CdpError):
                await self._cdp.call("Fetch.enable", patterns=DOCUMENTS)

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
        told = secrets_sent(
            self._guard.secrets, request.url, request.posted, is_navigation=request.is_navigation
        )
        for each in told:
            details = {
                "method": request.method, "status": None, "duration_s": None, "error": each,
                "resource": request.resource_type, "blocked": False,
            }  # fmt: skip
            self._record(
                Event(
                    type="network", summary=each, at=request.wall_time, has_error=True,
                    url=loggable_url(request.url), details=details,
                )
            )  # fmt: skip

    async def _paused(self, params: Params, session: str) -> None:
        number, url = params["requestId"], params["request"]["url"]
        if self._unsent and params["request"]["method"] not in SAFE_METHODS:
            self._cdp.post("Fetch.failRequest", session, requestId=number, errorReason="Aborted")
            self._unsent()
            return
        try:
            if is_web(url):
                await self._check(params, session)
        except StrapError as denied:
            reason = f"refused by strap: {denied.message}"
            _remember(self._refused, params.get("networkId", ""), reason)
            self._cdp.post(
                "Fetch.failRequest", session, requestId=number, errorReason="BlockedByClient"
            )
        else:
            self._cdp.post("Fetch.continueRequest", session, requestId=number)

    async def _check(self, paused: Params, session: str) -> None:
        """Raise `StrapError` for a request that may not be sent."""
        url = paused["request"]["url"]
        if not session:  # held for the whole browser, and once more in a session of the run's
            if await self._owns(paused["frameId"], url):
                self._guard.confine(url)
            return
        if paused["resourceType"] == "Document":
            self._guard.confine(url)
        await self._guard(url, self._source(paused, session))

    def _challenged(self, params: Params, session: str) -> None:
        """Give no password: the page shows what the server says to those who have none."""
        self._cdp.post(
            "Fetch.continueWithAuth",
            session,
            requestId=params["requestId"],
            authChallengeResponse=given_up(params["authChallenge"]),
        )

    def _source(self, paused: Params, session: str) -> str | None:
        """Return where a request comes from: for one that was redirected, what led it on."""
        number, before = paused["requestId"], paused.get("redirectedRequestId", "")
        page = self._hops.pop(before, self._initiators.page(session))
        _remember(self._hops, number, paused["request"]["url"])
        return None if self._initiators.led(paused, session) else page

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


def _remember(kept: dict[str, str], key: str, value: str) -> None:
    if len(kept) >= MOST:
        del kept[next(iter(kept))]
    kept[key] = value
