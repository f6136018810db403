"""The requests of a page, from the events of all its sessions.

A frame of another process is asked for in the session of the page, and answered in its own; the
ids of requests are the browser's, so they are one request all the same. Each redirect ends a
request and begins the next one under the same id.

Source: the domain Network of the Chrome DevTools protocol.
"""

from base64 import b64decode
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from strap import record
from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.cdp.errors import ProtocolError

if TYPE_CHECKING:
    from cdp_use.cdp.network.events import RequestWillBeSentEvent
    from cdp_use.cdp.network.types import Response as CdpResponse


KEPT = 500
"""Requests whose further header fields are waited for: they may be told after the end."""
MOST = 1_000
"""Requests followed at a time: a page that leaves more open costs no more memory."""
NOT_FOLLOWED = "not followed any more"
"""Failure of a request that made room for another one."""
EVENTS = (
    "requestWillBeSent",
    "requestWillBeSentExtraInfo",
    "responseReceived",
    "responseReceivedExtraInfo",
    "loadingFinished",
    "loadingFailed",
)
WITHOUT_COUNT = ("data:",)
"""Addresses of what is no request: nothing is sent."""
ICON = "/favicon.ico"
"""Path of the icon that the browser asks for by itself, not the page."""
DETAILS = ("timing", "protocol", "mimeType", "remoteIPAddress", "fromDiskCache")
"""Fields of `Network.Response` that recordings take."""
SHARED = "SharedWorker"
"""Type of the request for the script of a worker of several pages."""
Emit = Callable[[str, Any], None]


@record(frozen=False)
class Response:
    """The answer to a request: its head, and as long as the browser keeps it its body."""

    request: "Request"
    status: int
    status_text: str
    headers: dict[str, str]
    """Header fields, by their names in small letters."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the protocol, by their names there (`DETAILS`)."""

    async def body(self) -> bytes:
        """Return the content; raises `CdpError` where the browser keeps it no longer."""
        request = self.request
        answer = await request.session.send("Network.getResponseBody", requestId=request.id)
        content, length = _content(answer["body"], answer), self.headers.get("content-length", "0")
        is_bodiless = request.method == "HEAD" or self.status == HTTPStatus.NOT_MODIFIED
        if not content and length.strip("0") and not is_bodiless:  # as of a picture that is none
            raise ProtocolError("The browser keeps no body.")
        return content


def _content(text: str, answer: Mapping[str, Any]) -> bytes:
    return b64decode(text) if answer.get("base64Encoded") else text.encode()


@record(frozen=False)
class Request:
    """A request of the page, and what became of it."""

    id: str
    session: CdpSession
    url: str
    method: str
    resource_type: str
    """As in the protocol (`Network.ResourceType`)."""
    headers: dict[str, str]
    """Header fields, by their names in small letters."""
    posted: bytes | None
    """Body of the request, None where there is none, or where it was not told with it."""
    keeps_posted: bool
    """Whether the browser has it in that case."""
    frame_id: str
    is_navigation: bool
    """Whether a frame's document is asked for."""
    wall_time: float
    """When it began, in seconds since 1970."""
    began: float
    """The same by the browser's own clock, in seconds."""
    took: float | None = None
    """Seconds to its end, None before."""
    transferred: int = -1
    """Bytes of its answer on the wire, -1 where that is not known."""
    failure: str = ""
    """Why there is no answer, as `net::ERR_ABORTED`."""
    is_cancelled: bool = False
    """Whether the page or the browser itself gave it up."""
    blocked_reason: str = ""
    """Why it was not let through (`Network.BlockedReason`)."""
    response: Response | None = None
    extra: dict[str, str] = field(default_factory=dict)
    """Header fields of an answer that is to come, as the network saw them."""
    extra_status: int | None = None
    """Its status."""

    @property
    def status(self) -> int | None:
        """The status of the answer, also of one that brought no document, such as 204."""
        if self.response is not None:
            return self.response.status
        return self.extra_status if self.failure else None

    async def body(self) -> bytes:
        """Return what it sends; raises `CdpError` where the browser keeps it no longer."""
        if self.posted is None and self.keeps_posted:
            answer = await self.session.send("Network.getRequestPostData", requestId=self.id)
            self.posted = _content(answer["postData"], answer)
        return self.posted or b""


@record(frozen=False)
class _Chain:
    """The requests under one id: each hop of a redirect has its own head, told in two parts."""

    hops: list[Request] = field(default_factory=list)
    sent: list[dict[str, str]] = field(default_factory=list)
    received: list[tuple[dict[str, str], int | None]] = field(default_factory=list)

    def join(self) -> None:
        """Put the parts together that belong together: the n-th with the n-th."""
        for request, headers in zip(self.hops, self.sent, strict=False):
            request.headers |= headers
        for request, (headers, status) in zip(self.hops, self.received, strict=False):
            request.extra_status = status
            if request.response is None:
                request.extra = headers
            else:
                request.response.headers |= headers


class Requests:
    """The requests of a page."""

    def __init__(self, emit: Emit) -> None:
        """`emit` gets the events "request", "response", "requestfinished" and "requestfailed"."""
        self._emit = emit
        self._running: dict[str, Request] = {}
        self._chains: OrderedDict[str, _Chain] = OrderedDict()
        self.shared_workers = deque[str](maxlen=KEPT)
        """Workers of several pages, by the ids of the requests for their scripts.

        Who asks for a script is told the head of the answer, and no end.
        """

    def follow(self, session: CdpSession) -> None:
        """Follow what is asked and answered in a session."""
        for name in EVENTS:
            session.on(f"Network.{name}", partial(self.take, session, name))

    def running(self) -> list[Request]:
        """Return the requests that have not ended."""
        return list(self._running.values())

    def take(self, session: CdpSession, name: str, event: Any) -> None:
        """Take an event of the domain Network."""
        request = self._running.get(event["requestId"])
        if name == "requestWillBeSent":
            self._begin(session, event, request)
        elif name.endswith("ExtraInfo"):
            self._add_headers(event, received=name.startswith("response"))
        elif request is None:
            return
        elif name == "responseReceived":
            request.session = session
            self._answer(request, event["response"])
        else:
            request.is_cancelled = event.get("canceled", False)
            request.blocked_reason = event.get("blockedReason", "")
            request.transferred = int(event.get("encodedDataLength", -1))
            self._end(request, event.get("errorText", ""), event["timestamp"])

    def _begin(
        self,
        session: CdpSession,
        event: "RequestWillBeSentEvent",
        before: Request | None,
    ) -> None:
        redirect = event.get("redirectResponse")
        if before is not None:
            if redirect is None:  # told once more, in the session of another process
                return
            self._answer(before, redirect)
            self._end(before, "", event["timestamp"])
        sent = event["request"]
        if sent["url"].startswith(WITHOUT_COUNT) or sent["url"].endswith(ICON):
            return
        is_shared = event["requestId"] in self.shared_workers
        request = Request(
            id=event["requestId"],
            session=session,
            url=sent["url"] + sent.get("urlFragment", ""),
            method=sent["method"],
            resource_type=SHARED if is_shared else event.get("type", "Other"),
            headers=lower(sent["headers"]),
            posted=sent["postData"].encode() if "postData" in sent else None,
            keeps_posted=sent.get("hasPostData", False),
            frame_id=event.get("frameId", ""),
            is_navigation=event["requestId"] == event.get("loaderId"),
            wall_time=event["wallTime"],
            began=event["timestamp"],
        )
        if len(self._running) >= MOST:
            self._end(next(iter(self._running.values())), NOT_FOLLOWED)
        self._running[request.id] = request
        chain = self._chain(request.id)
        if redirect is not None and not event.get("redirectHasExtraInfo", True):
            chain.sent.append({})
            chain.received.append(({}, None))
        chain.hops.append(request)
        chain.join()
        self._emit("request", request)

    def _answer(self, request: Request, response: "CdpResponse") -> None:
        request.response = Response(
            request=request,
            status=response["status"],
            status_text=response["statusText"],
            headers=lower(response["headers"]) | request.extra,
            details={name: value for name, value in response.items() if name in DETAILS},
        )
        self._emit("response", request.response)

    def _add_headers(self, event: Params, *, received: bool) -> None:
        """Take what the network saw of a head; it may be told before the rest, or after it."""
        chain = self._chain(event["requestId"])
        headers = lower(event["headers"])
        if received:
            chain.received.append((headers, event.get("statusCode")))
        else:
            chain.sent.append(headers)
        chain.join()
        request = self._running.get(event["requestId"])
        if received and request is not None and request.resource_type == SHARED:
            answer: Any = {
                "status": event.get("statusCode", 0),
                "statusText": "",
                "headers": headers,
            }
            self._answer(request, answer)
            self._end(request, "")

    def _chain(self, request_id: str) -> _Chain:
        chain = self._chains.setdefault(request_id, _Chain())
        if len(self._chains) > KEPT:
            self._chains.popitem(last=False)
        return chain

    def _end(self, request: Request, failure: str, at: float | None = None) -> None:
        self._running.pop(request.id, None)
        request.failure = failure
        request.took = None if at is None else max(0.0, at - request.began)
        self._emit("requestfailed" if failure else "requestfinished", request)


def lower(headers: Mapping[str, object]) -> dict[str, str]:
    """Return header fields by their names in small letters."""
    return {name.lower(): str(value) for name, value in headers.items()}
