"""One request with the redirects that follow from it, inside a time limit and a byte budget."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from strap import ActionError, Guard, StrapError, VettedURL
from strap_http.message.cookies import CallerCookies
from strap_http.message.redirects import as_redirect_error, redirected_request, request_for_origin
from strap_http.message.request import Request, build
from strap_http.message.response import Response
from strap_http.message.sizes import size
from strap_http.pipeline.cache import Caching
from strap_http.pipeline.client import HttpClient
from strap_http.pipeline.retry import Retries
from strap_http.pipeline.send_once import Delivery, Heard, Send

if TYPE_CHECKING:
    from protego import Protego

ROBOTS_SECONDS = 10.0
"""How long a call waits for a robots.txt."""


class Exchange:
    """Follows redirects of one call, each address vetted; `heard` is told before each body."""

    def __init__(
        self,
        *,
        guard: Guard,
        client: HttpClient,
        principal: str = "",
        jar: CallerCookies | None = None,
        heard: Heard | None = None,
    ) -> None:
        self._guard = guard
        self._client = client
        self._settings = client.settings
        self._principal = principal
        self._jar = CallerCookies() if jar is None else jar
        self._delivery = Delivery(client.transport, client.settings, heard)

    async def run(self, request: Request, *, seconds: float) -> Response:
        """Send `request`; raises `ActionError`, `PolicyDenied` and `UsageError`."""
        secrets = self._client.secrets
        secrets.check(request)
        try:
            return secrets.masked(await self._within(request, seconds))
        except StrapError as error:
            raise secrets.masked_error(error) from None

    async def robots(self, url: str) -> "Protego | None":
        """Return the rules of the origin of `url`, None if nobody knows or wants to know."""
        robots = self._client.robots
        if robots is None:
            return None
        return await robots.rules(await self._vet(url), self._robots_file)

    async def check(self, url: str) -> None:
        """Raise `PolicyDenied` where the network, or the site, forbids to fetch `url`."""
        target = await self._vet(url)
        if self._client.robots is not None:
            await self._client.robots.check(target, self._robots_file)

    async def _within(self, request: Request, seconds: float) -> Response:
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
        retries = Retries(send=self._delivery, most=self._settings.retries, deadline=deadline)
        if self._client.cache is None:
            return retries
        return Caching(send=retries, store=self._client.cache, principal=self._principal)

    async def _follow(self, request: Request, send: Send) -> Response:
        source: VettedURL | None = None
        led_by = await self._vet(request.led_by) if request.led_by else None
        seen: set[tuple[str, str, str | None]] = set()
        for _ in range(self._settings.max_redirects + 1):
            target = await self._vet(request.url, source, led_by)
            request = request_for_origin(request, source, target) if source else request
            if self._client.robots is not None:
                await self._client.robots.check(target, self._robots_file)
            cookie = self._jar.field(target)
            step = request.method, target.url, cookie
            if step in seen:
                raise ActionError(
                    f"{target.url!r} redirects in a loop.",
                    hint="Try another address, or resource=browser if it needs cookies or scripts.",
                    code="redirect",
                )
            seen.add(step)
            filled = await self._client.secrets.filled(request.with_cookie(cookie), target)
            response = await send(filled, target)
            self._jar.keep(target, response)
            if not response.location:
                return response
            request = redirected_request(request, response.status, response.location, target)
            source = target
        raise ActionError(
            f"More than {self._settings.max_redirects} redirects, the last to {request.url!r}.",
            hint="Call that url yourself to go on.",
            code="redirect",
        )

    async def _vet(
        self, url: str, source: VettedURL | None = None, led_by: VettedURL | None = None
    ) -> VettedURL:
        transport, before = self._client.transport, source or led_by
        try:
            if transport.has_proxy and transport.proxied(
                target := self._guard.check_url(url, before)
            ):
                return target
            return await self._guard.check(url, before)
        except StrapError as error:
            if source is None:
                raise
            raise as_redirect_error(error, source) from None

    async def _robots_file(self, url: str) -> Response:
        request = build("GET", url, {}, None, user_agent=self._settings.user_agent)
        client = replace(self._client, robots=None)
        exchange = Exchange(guard=self._guard, client=client, principal=self._principal)
        return await exchange.run(request, seconds=ROBOTS_SECONDS)

    def _too_slow(self, request: Request, seconds: float) -> ActionError:
        if self._delivery.answered:
            reached = f"after {size(self._delivery.received)} of the body"
        else:
            reached = "before the answer came"
        return ActionError(
            f"{request.url!r} took longer than {seconds:.3g} s; stopped {reached}.",
            hint="Give it more with timeout (seconds), of which a tenth is kept for the answer.",
            code="timeout",
            retryable=True,
        )
