"""The WebSockets of a page, told as requests that get messages.

Source: the domain Network of the Chrome DevTools protocol, events `webSocket…`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from strap import record
from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.engine.traffic.requests import Request, Response, lower

WEB_SOCKET = "WebSocket"
"""Type of such a request."""
MOST = 200
"""Sockets followed at a time: a page that leaves more open costs no more memory."""
TEXT_FRAME = 1
"""Opcode of a message that is text (RFC 6455, section 5.2)."""
Emit = Callable[[str, Any], None]


@record
class Message:
    """A message over a WebSocket; `text` is None where it is binary."""

    request: Request
    is_sent: bool
    size: int
    """Characters of a text, or of the base64 of bytes."""
    text: str | None
    data: str
    """The text, or the base64 of bytes."""
    opcode: int
    at: float
    """When, by the browser's clock, in seconds."""


class WebSockets:
    """The open sockets of a page."""

    def __init__(self, emit: Emit) -> None:
        """`emit` gets the events of requests, and "message" (`Message`)."""
        self._emit = emit
        self._open: dict[str, Request] = {}

    def follow(self, session: CdpSession) -> None:
        """Follow the sockets of a session."""
        on = session.on
        on("Network.webSocketCreated", partial(self._on_created, session))
        on("Network.webSocketWillSendHandshakeRequest", self._on_asked)
        on("Network.webSocketHandshakeResponseReceived", self._on_answered)
        on("Network.webSocketFrameSent", partial(self._on_frame, is_sent=True))
        on("Network.webSocketFrameReceived", partial(self._on_frame, is_sent=False))
        on("Network.webSocketFrameError", self._on_error)
        on("Network.webSocketClosed", self._on_closed)

    def _on_created(self, session: CdpSession, event: Params) -> None:
        if len(self._open) >= MOST:
            del self._open[next(iter(self._open))]
        request = Request(
            id=event["requestId"],
            session=session,
            url=event["url"],
            method="GET",
            resource_type=WEB_SOCKET,
            headers={},
            posted=None,
            keeps_posted=False,
            frame_id="",
            is_navigation=False,
            wall_time=0.0,
            began=0.0,
        )
        self._open[request.id] = request
        self._emit("request", request)

    def _on_asked(self, event: Params) -> None:
        if request := self._open.get(event["requestId"]):
            request.headers |= lower(event["request"]["headers"])
            request.wall_time, request.began = event["wallTime"], event["timestamp"]

    def _on_answered(self, event: Params) -> None:
        if request := self._open.get(event["requestId"]):
            answer = event["response"]
            request.response = Response(
                request=request,
                status=answer["status"],
                status_text=answer["statusText"],
                headers=lower(answer["headers"]),
            )
            self._emit("response", request.response)

    def _on_frame(self, event: Params, *, is_sent: bool) -> None:
        if request := self._open.get(event["requestId"]):
            frame = event["response"]
            data = frame["payloadData"]
            text = data if frame["opcode"] == TEXT_FRAME else None
            message = Message(
                request=request,
                is_sent=is_sent,
                size=len(data),
                text=text,
                data=data,
                opcode=int(frame["opcode"]),
                at=event["timestamp"],
            )
            self._emit("message", message)

    def _on_error(self, event: Params) -> None:
        if request := self._open.pop(event["requestId"], None):
            request.failure = event["errorMessage"].rpartition(" ")[2]
            self._emit("requestfailed", request)

    def _on_closed(self, event: Params) -> None:
        if request := self._open.pop(event["requestId"], None):
            self._emit("requestfinished", request)
