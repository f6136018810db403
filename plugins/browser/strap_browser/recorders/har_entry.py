"""One request of a page as an entry of a HAR."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from strap import record
from strap.evidence.har import HTTP, UNKNOWN, Masking, as_date
from strap_browser.engine.traffic.requests import Request
from strap_browser.engine.traffic.web_sockets import Message

VERSIONS = {"http/1.0": "HTTP/1.0", "h2": "HTTP/2.0", "h3": "HTTP/3.0"}
PHASES = (
    ("dns", "dnsStart", "dnsEnd"),
    ("connect", "connectStart", "connectEnd"),
    ("ssl", "sslStart", "sslEnd"),
    ("send", "sendStart", "sendEnd"),
)
"""Phases of a request, and where each begins and ends in `Network.ResourceTiming`."""


@record
class Exchange:
    """A request that is over, with its bodies."""

    request: Request
    page: str
    """The handle of its page."""
    sent: bytes | None = None
    received: bytes | None = None
    why: str = ""
    """Why there is no body of the answer."""
    messages: Sequence[Message] = ()


def entry_of(exchange: Exchange, masking: Masking) -> dict[str, Any]:
    """Return the entry; to be called in a thread."""
    request, response = exchange.request, exchange.request.response
    details = response.details if response else {}
    version = VERSIONS.get(str(details.get("protocol", "")).lower(), HTTP)
    timings = timings_of(request, details.get("timing"))
    entry: dict[str, Any] = {
        "pageref": exchange.page,
        "startedDateTime": as_date(request.wall_time),
        "time": sum(seconds for name, seconds in timings.items() if seconds > 0 and name != "ssl"),
        "request": masking.request(
            request.method, request.url, request.headers.items(), exchange.sent or b"", version
        ),
        "response": _response(exchange, version, masking),
        "cache": {},
        "timings": timings,
        "_resourceType": request.resource_type.lower(),
    }
    if address := details.get("remoteIPAddress"):
        entry["serverIPAddress"] = address.strip("[]")
    if exchange.messages or request.resource_type == "WebSocket":
        entry["_webSocketMessages"] = [_message(message, masking) for message in exchange.messages]
    return entry


def _response(exchange: Exchange, version: str, masking: Masking) -> dict[str, Any]:
    request, response = exchange.request, exchange.request.response
    headers = response.headers if response else {}
    mime = (
        headers.get("content-type") or str(response.details.get("mimeType", "")) if response else ""
    )
    content = masking.content(exchange.received, mime, exchange.why)
    entry = masking.response(request.status or 0, headers.items(), content, version)
    entry |= {
        "statusText": response.status_text if response else "",
        "bodySize": request.transferred,
    }
    if request.failure:
        entry["_error"] = request.failure
    return entry


def _message(message: Message, masking: Masking) -> dict[str, Any]:
    request = message.request
    return {
        "type": "send" if message.is_sent else "receive",
        "time": request.wall_time + message.at - request.began,
        "opcode": message.opcode,
        "data": masking.text(message.data)
        if message.text is not None
        else _bytes(message, masking),
    }


def _bytes(message: Message, masking: Masking) -> str:
    """Return the base64 of a binary message without secrets."""
    return b64encode(masking.secrets.hide_bytes(b64decode(message.data))).decode()


def timings_of(request: Request, timing: Mapping[str, float] | None) -> dict[str, float]:
    """Return the phases of a request in milliseconds, as HAR names them."""
    took = (request.took or 0.0) * 1000
    if not timing:
        unknown = dict.fromkeys(("blocked", "dns", "connect", "ssl"), UNKNOWN)
        return {**unknown, "send": 0, "wait": took, "receive": 0}
    phases = {
        name: timing[end] - timing[begin] if timing.get(begin, UNKNOWN) >= 0 else UNKNOWN
        for name, begin, end in PHASES
    }
    first = min(
        (timing[begin] for _, begin, _ in PHASES if timing.get(begin, UNKNOWN) >= 0), default=0
    )
    before = max(0.0, (timing["requestTime"] - request.began) * 1000)
    answered = timing.get("receiveHeadersEnd", 0)
    waited = max(0.0, answered - max(0.0, timing.get("sendEnd", 0)))
    received = max(0.0, took - before - answered)
    return {"blocked": before + first, **phases, "wait": waited, "receive": received}
