"""Admission to the relay, for the paired extension and strap itself."""

import re
import time
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from strap_browser.relay.access.addresses import CDP, EXTENSION, IDENTITY
from strap_browser.relay.access.pairing import constant_time_equal, prove

if TYPE_CHECKING:
    from websockets.http11 import Request

MOST_REFUSED = 60
"""Refusals a minute that are looked at and logged; more are refused without a word."""
MOST_ADMITTED = 600
"""Connections a minute: strap makes a few, and a program that loops makes thousands."""
MINUTE = 60.0
OWN_SITES = ("none", "same-origin")
"""Values of Sec-Fetch-Site (Fetch Metadata) for requests that no other site made."""
_NONCE = re.compile(r"nonce=([0-9a-f]{32})")
Role = Literal["cdp", "extension", "identity"]


class Refused(Exception):
    """The request is refused; `status` is the HTTP status, the text is for the log."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class RateLimiter:
    """Counts events of the last minute."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._times: deque[float] = deque(maxlen=most)

    @property
    def exceeded(self) -> bool:
        """Whether the last minute is full."""
        return len(self._times) == self._most and self._clock() - self._times[0] < MINUTE

    def count(self) -> None:
        """Count one event now."""
        self._times.append(self._clock())


class Admission:
    """Judges the HTTP request that begins a connection.

    A page can make a browser connect to any port of this machine, and choose a name that resolves
    to it (DNS rebinding): so Host must be loopback by address or as `localhost`, and Origin, which
    no page can forge or leave out of a WebSocket's handshake (RFC 6455, 4.1), must be the
    extension's, or absent where strap itself connects.
    """

    def __init__(self, extension: str) -> None:
        self._origin = f"chrome-extension://{extension}"
        self._refused = RateLimiter(MOST_REFUSED)
        self._admitted = RateLimiter(MOST_ADMITTED)

    @property
    def silent(self) -> bool:
        """Whether so many were refused of late that a further refusal is not logged."""
        return self._refused.exceeded

    def judge(self, request: "Request", port: int, secret: str | None) -> tuple[Role, str]:
        """Return the role of who connects, and for `identity` the answer; raises `Refused`."""
        try:
            role, answer = self._judge(request, port, secret)
        except Refused:
            self._refused.count()
            raise
        if role == "identity":  # no limit: anybody may ask, and strap would be kept out with them
            return role, answer
        if self._admitted.exceeded:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many connections a minute")
        self._admitted.count()
        return role, answer

    def _judge(self, request: "Request", port: int, secret: str | None) -> tuple[Role, str]:
        headers = request.headers
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if hosts not in ([f"127.0.0.1:{port}"], [f"localhost:{port}"], [f"[::1]:{port}"]):
            raise Refused(HTTPStatus.FORBIDDEN, f"Host {_shown(hosts)}")
        path, _, query = request.path.partition("?")
        allowed = [self._origin] if path == EXTENSION else []
        if origins != allowed:
            raise Refused(HTTPStatus.FORBIDDEN, f"Origin {_shown(origins)}")
        sites = [site for site in headers.get_all("Sec-Fetch-Site") if site not in OWN_SITES]
        if sites and path != EXTENSION:
            raise Refused(HTTPStatus.FORBIDDEN, f"Sec-Fetch-Site {_shown(sites)}")
        if secret is None:
            raise Refused(HTTPStatus.FORBIDDEN, "not paired")
        if path == EXTENSION:
            return "extension", ""
        if path == IDENTITY and (nonce := _NONCE.fullmatch(query)):
            return "identity", prove(secret, "identity", nonce[1])
        if path != CDP:
            raise Refused(HTTPStatus.NOT_FOUND, "no such path")
        tokens = headers.get_all("Authorization")
        if len(tokens) != 1 or not constant_time_equal(tokens[0], f"Bearer {secret}"):
            raise Refused(HTTPStatus.FORBIDDEN, "missing or wrong token")
        return "cdp", ""


def _shown(values: list[str]) -> str:
    return ", ".join(repr(value[:100]) for value in values[:3]) or "missing"
