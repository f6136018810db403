"""One request with the redirects that follow from it, inside a time limit and a byte budget."""

import asyncio

import httpx2

from strap import ActionError, Guard, StrapError, Target
from strap_http.cachestore import CacheStore
from strap_http.caching import Caching
from strap_http.delivery import Delivery, Send
from strap_http.redirects import crossing, following, rephrased
from strap_http.requests import Request
from strap_http.responses import Response
from strap_http.retrying import Retries
from strap_http.settings import HttpSettings
from strap_http.sizes import size
from strap_http.transport import Transport


class Exchange:
    """Follows redirects by hand, each address vetted; for one call only."""

    def __init__(
        self,
        *,
        guard: Guard,
        transport: Transport,
        settings: HttpSettings,
        cache: CacheStore | None = None,
        principal: str = "",
    ) -> None:
        self._guard = guard
        self._cache = cache
        self._principal = principal
        self._settings = settings
        self._cookies = httpx2.Cookies()
        self._delivery = Delivery(transport, settings)

    async def run(self, request: Request, *, seconds: float) -> Response:
        """Send `request`; raises `ActionError`, `PolicyDenied` and `UsageError`."""
        deadline = asyncio.get_running_loop().time() + seconds
        send = self._sender(deadline)
        try:
            async with asyncio.timeout_at(deadline) as scope:
                return await self._follow(request, send)
        except TimeoutError:
            if not scope.expired():
                raise
            events = self._delivery.events
            if events is None:
                raise self._too_slow(request, seconds) from None
            return events

    def _sender(self, deadline: float) -> Send:
        """What sends a request of this call: from the cache, else again and again, else once."""
        retries = Retries(send=self._delivery, most=self._settings.retries, deadline=deadline)
        if self._cache is None:
            return retries
        return Caching(send=retries, store=self._cache, principal=self._principal)

    async def _follow(self, request: Request, send: Send) -> Response:
        source: Target | None = None
        seen: set[tuple[str, str, str | None]] = set()
        for _ in range(self._settings.max_redirects + 1):
            target = await self._vet(request.url, source)
            request = crossing(request, source, target) if source else request
            cookie = self._cookie_for(target)
            step = request.method, target.url, cookie
            if step in seen:
                raise ActionError(
                    f"{target.url!r} redirects in a loop.",
                    hint="Try another address, or resource=browser if it needs cookies or scripts.",
                    code="redirect",
                )
            seen.add(step)
            response = await send(request.with_cookie(cookie), target)
            if not response.location:
                return response
            self._keep_cookies(target, response)
            request = following(request, response.status, response.location, target)
            source = target
        raise ActionError(
            f"More than {self._settings.max_redirects} redirects, the last to {request.url!r}.",
            hint="Call that url yourself to go on.",
            code="redirect",
        )

    async def _vet(self, url: str, source: Target | None) -> Target:
        try:
            return await self._guard.check(url, source)
        except StrapError as error:
            if source is None:
                raise
            raise rephrased(error, source) from None

    def _cookie_for(self, target: Target) -> str | None:
        """The cookies that redirects of this call have set; they live no longer than the call."""
        if not self._cookies:
            return None
        request = httpx2.Request("GET", target.url)
        self._cookies.set_cookie_header(request)
        return request.headers.get("cookie")

    def _keep_cookies(self, target: Target, response: Response) -> None:
        request = httpx2.Request("GET", target.url)
        answer = httpx2.Response(response.status, headers=response.headers, request=request)
        self._cookies.extract_cookies(answer)

    def _too_slow(self, request: Request, seconds: float) -> ActionError:
        if self._delivery.answered:
            reached = f"after {size(self._delivery.received)} of the body"
        else:
            reached = "before the answer came"
        return ActionError(
            f"{request.url!r} took longer than {seconds:.3g} s; stopped {reached}.",
            hint="Give it more with timeout (seconds).",
            code="timeout",
            retryable=True,
        )
