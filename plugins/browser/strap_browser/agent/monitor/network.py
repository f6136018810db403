"""Requests of the watched pages: recorded, and stopped where the network guard forbids them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from strap import StrapError
from strap_browser.agent.monitor.initiators import Initiators
from strap_browser.agent.store.records import Event
from strap_browser.cdp.connection import CdpConnection, Params
from strap_browser.common.urls import is_web, loggable_url

Check = Callable[[str, str | None], Awaitable[None]]
"""`await check(url, page)` raises `StrapError` where a page may not ask for `url`.

`page` is None where the agent itself goes there, '' where it is not known who asks.
"""
BAD_STATUS = 400
"""HTTP status from which on a response is an error (RFC 9110, 15.5 and 15.6)."""
MAX_OPEN = 1_000
"""Requests followed at a time: a page that leaves more open costs no more memory."""


@dataclass(slots=True)
class Request:
    """A request on its way."""

    method: str
    url: str
    kind: str
    began: float
    at: float
    status: int | None = None
    blocked: str = ""


class Network:
    """Turns what Network and Fetch tell into events; requests are told apart by session and id."""

    def __init__(
        self, cdp: CdpConnection, record: Any, check: Check, initiators: Initiators
    ) -> None:
        self._cdp = cdp
        self._record = record
        self._check = check
        self._open: dict[tuple[str, str], Request] = {}
        self._refused: dict[tuple[str, str], str] = {}
        self._initiators = initiators
        self._hops: dict[str, str] = {}
        """The addresses of requests that may be redirected, by their numbers in Fetch."""
        cdp.on("Network.requestWillBeSent", self._sent)
        cdp.on("Network.responseReceived", self._answered)
        cdp.on("Network.loadingFinished", self._finished)
        cdp.on("Network.loadingFailed", self._failed)
        cdp.on("Fetch.requestPaused", self._paused)

    def listen(self, session: str) -> None:
        """Listen to a page, frame or worker, and hold its requests until they are checked."""
        self._cdp.post("Network.enable", session)
        self._cdp.post("Fetch.enable", session, patterns=[{"urlPattern": "*"}])

    def finish(self) -> None:
        """Record the requests that were never answered to the end."""
        for key in list(self._open):
            self._close(key, "never finished" if self._open[key].status is None else "")

    def _sent(self, params: Params, session: str) -> None:
        key = session, params["requestId"]
        if (redirect := params.get("redirectResponse")) and key in self._open:
            self._open[key].status = redirect["status"]
            self._close(key)
        request = params["request"]
        if is_web(request["url"]):
            if len(self._open) >= MAX_OPEN:
                self._close(next(iter(self._open)), "not followed any more")
            self._open[key] = Request(
                method=request["method"],
                url=loggable_url(request["url"]),
                kind=params.get("type", "Other"),
                began=params["timestamp"],
                at=params["wallTime"],
                blocked=self._refused.pop(key, ""),
            )

    def _answered(self, params: Params, session: str) -> None:
        if request := self._open.get((session, params["requestId"])):
            request.status = params["response"]["status"]

    def _finished(self, params: Params, session: str) -> None:
        self._close((session, params["requestId"]), took=params["timestamp"])

    def _failed(self, params: Params, session: str) -> None:
        key = session, params["requestId"]
        request = self._open.get(key)
        if request is None:
            return
        if params.get("blockedReason") == "inspector" and not request.blocked:
            request.blocked = "refused by strap"  # held up in another session: a worker's page
        # A page that leaves cancels what it was loading, and so do its own scripts.
        error = "" if params.get("canceled") and not request.blocked else params["errorText"]
        self._close(key, request.blocked or error, took=params["timestamp"])

    async def _paused(self, params: Params, session: str) -> None:
        number, url = params["requestId"], params["request"]["url"]
        try:
            if is_web(url):
                await self._check(url, self._source(params, session))
        except StrapError as denied:
            self._refuse((session, params.get("networkId", "")), denied)
            self._cdp.post(
                "Fetch.failRequest", session, requestId=number, errorReason="BlockedByClient"
            )
        else:
            self._cdp.post("Fetch.continueRequest", session, requestId=number)

    def _source(self, paused: Params, session: str) -> str | None:
        """Return where a request comes from: for one that was redirected, what led it on."""
        number, before = paused["requestId"], paused.get("redirectedRequestId", "")
        page = self._hops.pop(before, self._initiators.page(session))
        if len(self._hops) >= MAX_OPEN:
            del self._hops[next(iter(self._hops))]
        self._hops[number] = paused["request"]["url"]
        return None if self._initiators.led(paused, session) else page

    def _refuse(self, key: tuple[str, str], denied: StrapError) -> None:
        """Note why a request fails; it may be told of only afterwards."""
        reason = f"refused by strap: {denied.message}"
        if request := self._open.get(key):
            request.blocked = reason
        elif len(self._refused) < MAX_OPEN:
            self._refused[key] = reason

    def _close(self, key: tuple[str, str], error: str = "", took: float | None = None) -> None:
        request = self._open.pop(key, None)
        if request is None:
            return
        duration = None if took is None else round(max(0.0, took - request.began), 3)
        icon = request.url.endswith("/favicon.ico")
        bad = bool(error) or (request.status or 0) >= BAD_STATUS
        what = error or request.status or "cancelled"
        self._record(
            Event(
                type="network",
                summary=f"{request.method} {request.url} {what}",
                at=request.at,
                has_error=bad and not icon,
                url=request.url,
                details={
                    "method": request.method,
                    "status": request.status,
                    "duration_s": duration,
                    "error": error or None,
                    "resource": request.kind,
                    "blocked": bool(request.blocked),
                },
            )
        )
