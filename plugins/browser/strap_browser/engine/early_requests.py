"""What a page asks and says before Playwright is there: as much of Playwright's classes as is used.

Source: the domains Network, Runtime and Log of the Chrome DevTools protocol.
"""

from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]
Send = Callable[[str, Fields], Awaitable[Fields]]
STACK = "\n    at "


@dataclass(frozen=True, slots=True)
class EarlyFrame:
    """A frame, by its id in the DevTools protocol."""

    id: str


@dataclass(kw_only=True, eq=False, slots=True)
class EarlyResponse:
    """The answer to a request, as in Playwright's `Response`."""

    request: "EarlyRequest"
    status: int
    status_text: str
    headers: dict[str, str]

    async def all_headers(self) -> dict[str, str]:
        """Return the header fields, by their names in small letters."""
        return self.headers

    async def body(self) -> bytes:
        """Return the content; raises `Error` where the browser keeps it no longer."""
        told = await self.request.send("Network.getResponseBody", {"requestId": self.request.id})
        body = str(told["body"])
        return b64decode(body) if told["base64Encoded"] else body.encode()


@dataclass(kw_only=True, eq=False, slots=True)
class EarlyRequest:
    """A request of the page, as in Playwright's `Request`."""

    id: str
    send: Send
    url: str
    method: str
    resource_type: str
    headers: dict[str, str]
    post_data_buffer: bytes | None
    frame: EarlyFrame
    navigates: bool
    failure: str | None = None
    answer: EarlyResponse | None = None
    extra_headers: dict[str, str] = field(default_factory=dict)
    """Those of an answer that is to come."""

    def is_navigation_request(self) -> bool:
        """Whether a frame's document is asked for."""
        return self.navigates

    async def all_headers(self) -> dict[str, str]:
        """Return the header fields, by their names in small letters."""
        return self.headers

    async def response(self) -> EarlyResponse | None:
        """Return the answer, None if there is none so far."""
        return self.answer


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlyMessage:
    """A line of the console, as in Playwright's `ConsoleMessage`."""

    type: str
    text: str
    location: dict[str, Any]
    args: tuple[str, ...] = ()


class EarlyTraffic:
    """The requests of a page, from the events of its session."""

    EVENTS = (
        "requestWillBeSent",
        "requestWillBeSentExtraInfo",
        "responseReceived",
        "responseReceivedExtraInfo",
        "loadingFinished",
        "loadingFailed",
    )

    def __init__(self, send: Send, emit: Callable[[str, Any], None]) -> None:
        """`emit` gets the events "request", "response", "requestfinished" and "requestfailed"."""
        self._send = send
        self._emit = emit
        self._running: dict[str, EarlyRequest] = {}
        self.retired = False
        """Whether requests that begin now are told by others."""

    def take(self, name: str, event: Fields) -> None:
        """Take an event of the domain Network."""
        if name == "requestWillBeSent":
            self._begin(event)
        elif request := self._running.get(event.get("requestId", "")):
            if name == "requestWillBeSentExtraInfo":
                request.headers |= _lower(event["headers"])
            elif name == "responseReceived":
                self._answer(request, event["response"])
            elif name == "responseReceivedExtraInfo":
                self._add_headers(request, _lower(event["headers"]))
            elif name in ("loadingFinished", "loadingFailed"):
                self._end(request, event.get("errorText"))

    def _begin(self, event: Fields) -> None:
        asked = event["request"]
        if before := self._running.get(event["requestId"]):
            self._answer(before, event.get("redirectResponse") or {})
            self._end(before, None)
        if self.retired or asked["url"].startswith("data:"):
            return
        if asked["url"].endswith("/favicon.ico"):  # the browser's own, not the page's
            return
        request = EarlyRequest(
            id=event["requestId"],
            send=self._send,
            url=asked["url"] + asked.get("urlFragment", ""),
            method=asked["method"],
            resource_type=event.get("type", "Other").lower(),
            headers=_lower(asked["headers"]),
            post_data_buffer=asked["postData"].encode() if "postData" in asked else None,
            frame=EarlyFrame(event.get("frameId", "")),
            navigates=event["requestId"] == event.get("loaderId"),
        )
        self._running[request.id] = request
        self._emit("request", request)

    def _answer(self, request: EarlyRequest, told: Fields) -> None:
        if not told:
            return
        request.answer = EarlyResponse(
            request=request,
            status=told["status"],
            status_text=told["statusText"],
            headers=_lower(told["headers"]) | request.extra_headers,
        )
        request.extra_headers = {}
        self._emit("response", request.answer)

    def _add_headers(self, request: EarlyRequest, headers: dict[str, str]) -> None:
        """Take what the network saw of the head of an answer, which may be told before it."""
        if request.answer is None:
            request.extra_headers = headers
        else:
            request.answer.headers |= headers

    def _end(self, request: EarlyRequest, failure: str | None) -> None:
        self._running.pop(request.id, None)
        request.failure = failure
        self._emit("requestfailed" if failure else "requestfinished", request)


def spoken(event: Fields) -> EarlyMessage:
    """Return the message of `Runtime.consoleAPICalled`."""
    calls = event.get("stackTrace", {}).get("callFrames") or [{}]
    args = tuple(map(_shown, event["args"]))
    return EarlyMessage(
        type=event["type"],
        text=" ".join(args),
        args=args,
        location=_location(calls[0].get("url", ""), calls[0].get("lineNumber", 0)),
    )


def logged(entry: Fields) -> EarlyMessage:
    """Return the message of `Log.entryAdded`."""
    location = _location(entry.get("url", ""), entry.get("lineNumber", 0))
    return EarlyMessage(type=entry["level"], text=entry["text"], location=location)


def thrown(event: Fields) -> str:
    """Return the message of `Runtime.exceptionThrown`, without the error's name and stack."""
    details = event["exceptionDetails"]
    error = details.get("exception", {})
    text = str(error.get("description") or error.get("value") or details.get("text", ""))
    name, colon, message = text.partition(STACK)[0].partition(": ")
    return message if colon else name


def _location(url: str, line: int) -> dict[str, Any]:
    return {"url": url, "lineNumber": line}


def _shown(value: Fields) -> str:
    """Return an argument of a call of the console as text."""
    if "value" in value:
        plain = value["value"]
        return str(plain).lower() if isinstance(plain, bool) else _text(plain)
    if preview := value.get("preview"):
        if preview.get("subtype") == "array":
            return f"[{', '.join(_properties(preview, named=False))}]"
        if value.get("description") == "Object":
            return f"{{{', '.join(_properties(preview, named=True))}}}"
    return str(value.get("unserializableValue") or value.get("description") or value["type"])


def _text(plain: object) -> str:
    if plain is None:
        return "null"
    is_whole = isinstance(plain, float) and plain.is_integer()
    return str(int(plain)) if is_whole and isinstance(plain, float) else str(plain)


def _properties(preview: Fields, *, named: bool) -> Iterator[str]:
    for each in preview.get("properties", ()):
        yield f"{each['name']}: {each.get('value', '')}" if named else each.get("value", "")


def _lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
