"""Log of a page: its last console messages and requests."""

from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from email.utils import parsedate_to_datetime
from itertools import takewhile
from time import monotonic, time

from strap import Secrets, record
from strap.evidence.redaction import without_secrets
from strap.text import counted
from strap_browser.common.redaction import READ, secrets_sent
from strap_browser.common.text import clip
from strap_browser.common.urls import origin_of
from strap_browser.engine.console import ConsoleMessage
from strap_browser.engine.errors import ABORTED
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.requests import Request
from strap_browser.engine.traffic.web_sockets import Message
from strap_browser.snapshot.media_types import NO_PAGE

MESSAGES = 200
"""Messages kept for each page, as `console` promises."""
EXCHANGES = 300
"""Requests kept for each page, as `network` promises."""
TEXT = 1_000
"""Characters of a message: pages log whole documents."""
LOOKED_AT = 100 * TEXT
"""Characters of a message that are put on one line, so that one of megabytes costs no time."""
MESSAGES_OF_SOCKET = 30
"""Messages kept for each WebSocket, the last ones: 300 of them take no more than 3 MB."""
MESSAGE = 300
"""Characters kept of each."""
SENT = ("Document", "Fetch", "XHR")
"""Types of requests by forms and scripts, as in the protocol (`Network.ResourceType`)."""
EMPTY = (204, 205)
"""Answers after which a page stays where it is (HTML, 7.4.2.3)."""
BEACON = "Ping"
"""Type of requests by `sendBeacon`: nobody waits for the answer, so they count as sent without
one."""
SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
"""Methods that change nothing at the server (RFC 9110, section 9.2.1)."""
FAILED = "Failed to load resource"
OWN = ("chrome:", "chrome-error:", "chrome-extension:", "chrome-untrusted:", "devtools:")


@record
class LoggedMessage:
    """A line of the console; `where` is the script it came from."""

    level: str
    text: str
    where: str = ""
    at: float = 0.0
    """When it came, on the monotonic clock."""


@record(frozen=False)
class LoggedRequest:
    """A request and what became of it, `messages` over a WebSocket included."""

    ref: str
    request: Request
    began: float
    ended: float | None = None
    failure: str = ""
    messages: "deque[LoggedText]" = field(
        default_factory=lambda: deque[LoggedText](maxlen=MESSAGES_OF_SOCKET)
    )
    received: int = 0
    sent: int = 0
    """How many messages there were."""

    @property
    def status(self) -> int | None:
        """The status of its answer, None until there is one."""
        return self.request.status

    @property
    def outcome(self) -> str:
        """The status, or why there is no answer; "" until one is known."""
        failure = self.failure
        if self.status and failure and self.request.is_navigation and failure in NO_DOCUMENT:
            failure = ""
        return failure.removeprefix("net::") or str(self.status or "")


NO_DOCUMENT = (ABORTED, f"net::{NO_PAGE}")
"""Failures of a navigation that was answered: with a file, with nothing, with an empty error."""


@record
class LoggedText:
    """A message over a WebSocket; `text` is what is shown of it."""

    is_sent: bool
    text: str


def is_chatter(message: ConsoleMessage) -> bool:
    """Whether Chromium speaks on its own account: hints, its icon, and its pages about errors."""
    is_hint = message.type == "verbose"
    return is_hint or message.url.endswith("/favicon.ico") or _is_own(message.url)


def _is_own(url: str) -> bool:
    """Whether something belongs to the browser, such as its viewer of PDFs, not to the page."""
    return url.startswith(OWN)


def _is_sent(exchange: LoggedRequest) -> bool:
    request = exchange.request
    if request.method in SAFE:
        return request.is_navigation and exchange.status in EMPTY
    is_done = exchange.status is not None or bool(exchange.failure)
    return request.resource_type == BEACON or (is_done and request.resource_type in SENT)


class PageLog:
    """Log of one page: its last messages, and its last requests under refs `r1`, `r2`."""

    def __init__(
        self, secrets: Secrets, hushed: Callable[[], bool], warn: Callable[[str], None]
    ) -> None:
        """Nothing is kept while it is `hushed`; `warn` is told of secrets that go elsewhere."""
        self._secrets = secrets
        self._hushed = hushed
        self._warn = warn
        self.messages: deque[LoggedMessage] = deque(maxlen=MESSAGES)
        self.exchanges: deque[LoggedRequest] = deque(maxlen=EXCHANGES)
        self._count = 0

    def follow(self, page: Page) -> None:
        """Begin to record a page."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda text: self._add(level="error", text=text))
        page.on("request", self._on_request)
        page.on("message", self._on_message)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_failed)

    def find(self, ref: str) -> LoggedRequest | None:
        """Return the request with this ref, if it is kept."""
        return next((exchange for exchange in self.exchanges if exchange.ref == ref), None)

    def sent_since(self, began: float) -> list[LoggedRequest]:
        """Return what is told where a page shows nothing of it, in the order it was asked for.

        That are requests by no safe method that are over, and navigations without a document.
        """
        since = takewhile(lambda exchange: exchange.began >= began, reversed(self.exchanges))
        return [exchange for exchange in since if _is_sent(exchange)][::-1]

    def refused_since(self, began: float) -> list[LoggedRequest]:
        """Return the documents that were asked for since then and did not come."""
        since = takewhile(lambda exchange: exchange.began >= began, reversed(self.exchanges))
        return [item for item in since if item.request.is_navigation and item.failure][::-1]

    def clock_offset(self, origin: str) -> float | None:
        """Return by how many seconds a server's clock is ahead, by the `Date` of its answers.

        One from a cache has an earlier `Date`, so the latest counts. None where no answer has one.
        """
        offset, offsets = time() - monotonic(), list[float]()
        for entry in self.exchanges:
            response = entry.request.response
            is_its = origin_of(entry.request.url) == origin
            if response is None or not is_its or entry.ended is None or "age" in response.headers:
                continue
            with suppress(ValueError):
                date = parsedate_to_datetime(response.headers.get("date", ""))
                offsets.append(date.timestamp() - offset - entry.ended)
        return max(offsets, default=None)

    def messages_sent(self) -> Counter[str]:
        """Return how many messages the page sent so far, by the refs of its WebSockets."""
        return Counter({entry.ref: entry.sent for entry in self.exchanges if entry.sent})

    def is_about_page(self, message: ConsoleMessage, url: str) -> bool:
        """Whether it repeats the HTTP status of the page at `url` itself, which is told anyway."""
        if message.url != url or not message.text.startswith(FAILED):
            return False
        requests = (e.request for e in reversed(self.exchanges) if e.request.url == url)
        last = next(requests, None)
        return last is not None and last.is_navigation

    def _add(self, *, level: str, text: str, where: str = "") -> None:
        if self._hushed():
            return
        shown = clip(self._secrets.hide(text)[:LOOKED_AT], TEXT)
        self.messages.append(LoggedMessage(level=level, text=shown, where=where, at=monotonic()))

    def _on_console(self, message: ConsoleMessage) -> None:
        if is_chatter(message):
            return
        url = message.url
        where = f"{url.rsplit('/', 1)[-1][:80]}:{message.line + 1}" if url else ""
        self._add(level=message.type, text=message.text, where=where)

    def _on_request(self, request: Request) -> None:
        if self._hushed() or _is_own(request.url):
            return
        is_navigation = request.is_navigation
        for warning in secrets_sent(
            self._secrets, request.url, request.posted, is_navigation=is_navigation
        ):
            self._warn(warning)
        self._count += 1
        self.exchanges.append(
            LoggedRequest(ref=f"r{self._count}", request=request, began=monotonic())
        )

    def _on_message(self, message: Message) -> None:
        if self._hushed() or not (exchange := self._of(message.request)):
            return
        text = f"({counted(message.size, 'character')} of base64)"
        if message.text is not None:
            text = self._secrets.hide(message.text[:READ])
            text = clip(without_secrets(text), MESSAGE)
        exchange.messages.append(LoggedText(is_sent=message.is_sent, text=text))
        exchange.sent += message.is_sent
        exchange.received += not message.is_sent

    def _on_end(self, request: Request) -> None:
        if exchange := self._of(request):
            exchange.ended = monotonic()

    def _on_failed(self, request: Request) -> None:
        self._on_end(request)
        if exchange := self._of(request):
            exchange.failure = request.failure or "failed"

    def _of(self, request: Request) -> LoggedRequest | None:
        return next((e for e in reversed(self.exchanges) if e.request is request), None)
