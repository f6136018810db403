"""One request with the redirects that follow from it, inside a time limit and a byte budget."""

import asyncio
from dataclasses import dataclass

import httpx2

from strap import ActionError, Guard, StrapError, Target
from strap_http import failures
from strap_http.body import EVENT_STREAM, Body, media_type
from strap_http.redirects import STATUSES, crossing, following, rephrased
from strap_http.requests import Request
from strap_http.settings import HttpSettings
from strap_http.sizes import size
from strap_http.transport import Transport


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """The last answer: `url` is where it came from, `body` is decompressed.

    `complete` is False for a stream of events that was left at one of the limits.
    """

    status: int
    url: str
    headers: httpx2.Headers
    body: bytes = b""
    complete: bool = True

    @property
    def media_type(self) -> str:
        """The Content-Type without parameters in lower case, empty if there is none."""
        return media_type(self.headers)


class Exchange:
    """Follows redirects by hand, each address vetted; for one call only."""

    def __init__(self, *, guard: Guard, transport: Transport, settings: HttpSettings) -> None:
        self._guard = guard
        self._transport = transport
        self._settings = settings
        self._cookies = httpx2.Cookies()
        self._answer: tuple[Target, httpx2.Response] | None = None
        self._body = Body(settings.max_bytes)

    async def run(self, request: Request, *, seconds: float) -> Response:
        """Send `request`; raises `ActionError`, `PolicyDenied` and `UsageError`."""
        try:
            async with asyncio.timeout(seconds) as scope:
                await self._follow(request)
        except TimeoutError:
            if not scope.expired():
                raise
            if self._answer is None or media_type(self._answer[1].headers) != EVENT_STREAM:
                raise self._too_slow(request, seconds) from None
        assert self._answer is not None
        target, answer = self._answer
        return Response(
            status=answer.status_code,
            url=target.url,
            headers=answer.headers,
            body=self._body.content,
            complete=self._body.complete or request.method == "HEAD",
        )

    async def _follow(self, request: Request) -> None:
        source: Target | None = None
        seen: set[tuple[str, str, str | None]] = set()
        for _ in range(self._settings.max_redirects + 1):
            target = await self._vet(request.url, source)
            request = crossing(request, source, target) if source else request
            step = request.method, target.url, self._cookie_for(target)
            if step in seen:
                raise ActionError(f"{target.url!r} redirects in a loop.", code="redirect")
            seen.add(step)
            redirected = await self._send(request, target, step[-1])
            if redirected is None:
                return
            request, source = redirected, target
        raise ActionError(
            f"More than {self._settings.max_redirects} redirects, the last to {request.url!r}.",
            code="redirect",
        )

    async def _vet(self, url: str, source: Target | None) -> Target:
        try:
            return await self._guard.check(url, source)
        except StrapError as error:
            if source is None:
                raise
            raise rephrased(error, source) from None

    async def _send(self, request: Request, target: Target, cookie: str | None) -> Request | None:
        """Send one request: return the one that it redirects to, or None when the body is read."""
        try:
            async with self._transport.send(request, target, cookie) as response:
                location = response.headers.get("location")
                if response.status_code in STATUSES and location:
                    self._keep_cookies(target, response)
                    return following(request, response.status_code, location, target)
                self._answer = target, response
                if request.method != "HEAD":
                    await self._body.read(response, target.url)
        except failures.ERRORS as error:
            raise failures.explain(error, target, self._body.received) from None
        except failures.DECODING:
            raise failures.not_decodable(target) from None
        return None

    def _cookie_for(self, target: Target) -> str | None:
        """The cookies that redirects of this call have set; they live no longer than the call."""
        if not self._cookies:
            return None
        request = httpx2.Request("GET", target.url)
        self._cookies.set_cookie_header(request)
        return request.headers.get("cookie")

    def _keep_cookies(self, target: Target, response: httpx2.Response) -> None:
        response.request = httpx2.Request("GET", target.url)
        self._cookies.extract_cookies(response)

    def _too_slow(self, request: Request, seconds: float) -> ActionError:
        if self._answer is None:
            reached = "before the answer came"
        else:
            reached = f"after {size(self._body.received)} of the body"
        return ActionError(
            f"{request.url!r} took longer than {seconds:.3g} s; stopped {reached}.",
            hint="Give it more with timeout (seconds).",
            code="timeout",
            retryable=True,
        )
