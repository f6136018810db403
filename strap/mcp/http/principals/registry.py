"""Everybody whom the server serves, and by which token."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import Response

from strap.config import Config
from strap.mcp.http.identity.access_tokens import AccessTokens, InvalidTokenError
from strap.mcp.http.identity.challenges import Challenges, unavailable
from strap.mcp.http.identity.fetching import IssuerError
from strap.mcp.http.identity.oauth_settings import OAuthSettings, host_and_port
from strap.mcp.http.identity.tokens import BEARER, LOCAL, Tokens, bearer, digest
from strap.mcp.http.metrics import Metrics
from strap.mcp.http.principals.principal import Maker, Principal
from strap.mcp.http.principals.subjects import Subjects
from strap.mcp.http.serve_settings import ServeSettings
from strap.mcp.http.tool import Calls
from strap.network import Guard
from strap.routing.policy import Policy
from strap.routing.router import Router


class Principals:
    """Everybody whom the server serves; raises `StartupError`."""

    def __init__(
        self,
        config: Config,
        settings: ServeSettings,
        *,
        token: str | None,
        max_calls: int,
        plugins: Iterable[tuple[str, Any]] = (),
    ) -> None:
        self.calls = Calls(max_calls)
        self.metrics = Metrics() if settings.metrics else None
        more = [("metrics", self.metrics)] if self.metrics else ()
        maker = Maker(config, self.calls, replica=settings.replica, plugins=(*plugins, *more))
        digests: dict[bytes, str] = {}
        self._known: dict[str, Principal] = {}
        for key, setting in settings.tokens.items():
            digests[setting.digest] = name = f"token:{key}"
            policy = Policy.of(setting)
            self._known[name] = maker.own(name, setting.limits or settings.limits, policy)
        self._oauth = settings.oauth
        self.challenges = Challenges(settings.oauth)
        if token or not (settings.tokens or settings.oauth):
            shared = BEARER if token else LOCAL
            self._known[shared] = maker.shared(shared)
            digests |= {digest(token): shared} if token else {}
        self._tokens = Tokens(digests)
        self.subjects: Subjects | None = None
        if settings.oauth is not None:
            self._access_tokens = AccessTokens(settings.oauth, _guard(config, settings.oauth))
            self.subjects = Subjects(maker, settings.oauth, settings.limits)
        self.first = next(iter(self), None) or _nobody(maker, settings)
        """One of them, or nobody whose router is like theirs."""

    def __iter__(self) -> Iterator[Principal]:
        yield from self._known.values()
        yield from self.subjects.open if self.subjects else ()

    @property
    def single(self) -> Principal | None:
        """The only one whom there can be, None where there may be several."""
        return self.first if len(self._known) == 1 and self.subjects is None else None

    async def admit(self, request: Request) -> Principal | Response:
        """Return who makes a request, or what to answer a stranger."""
        if not self._tokens.any and self._oauth is None:
            return self._known[LOCAL]
        if (refused := self.challenges.malformed(request)) is not None:
            return self._refused("token", refused)
        token = bearer(request.headers.get("authorization", ""))
        name = self._tokens.principal(token)
        if name is not None:
            return self._known[name]
        if token is None or self._oauth is None:
            return self._refused("token", self.challenges.unknown())
        return await self._subject(token, self._oauth)

    async def _subject(self, token: str, oauth: OAuthSettings) -> Principal | Response:
        assert self.subjects is not None
        try:
            identity = await self._access_tokens.identity(token)
        except InvalidTokenError as error:
            return self._refused("token", self.challenges.unknown(str(error)))
        except IssuerError:
            return self._refused("issuer", unavailable("The token's issuer cannot be asked."))
        granting = oauth.granting(identity.scopes)
        if granting is None:
            return self._refused("scope", self.challenges.insufficient())
        principal = await self.subjects.get(identity, granting)
        if principal is None:
            return self._refused("principals", unavailable("Too many others are served."))
        return principal

    def _refused(self, reason: str, answer: Response) -> Response:
        self.calls.refuse(reason)
        return answer

    @property
    def routers(self) -> list[Router]:
        """The routers of all."""
        return [principal.tool.router for principal in self]

    def gauges(self) -> Counter[str]:
        """Return the sums of what the routers tell of themselves."""
        totals = Counter[str]()
        for router in self.routers:
            for span in router.lifespans.values():
                totals.update(span.gauges())
        return totals

    def drain(self) -> None:
        """Let nobody begin a further call."""
        self.calls.draining = True

    async def watch_handles(
        self, idle_seconds: float, end: Callable[[Principal, str], Awaitable[None]]
    ) -> None:
        """End sessions that only a handle names, once idle; runs until it is cancelled."""
        while True:
            await anyio.sleep(min(idle_seconds / 4, 30))
            for principal in tuple(self):
                for handle in principal.tool.handles.forget_idle(idle_seconds):
                    await end(principal, handle)

    def end_calls(self, seconds: float) -> None:
        """End every call; each is answered, in `seconds` at the latest."""
        for router in self.routers:
            router.end_calls(seconds)

    async def aclose(self) -> None:
        """Close all that anybody has opened."""
        async with AsyncExitStack() as routers:
            routers.callback(self.calls.peers.close)
            for router in self.routers:
                routers.push_async_callback(router.aclose)


def _nobody(maker: Maker, settings: ServeSettings) -> Principal:
    """Check what scopes allow as that of a principal would be, before there is one."""
    assert settings.oauth is not None
    every = settings.oauth.patterns(tuple(settings.oauth.allow))
    return maker.own("nobody", settings.limits, Policy(allow=every))


def _guard(config: Config, oauth: OAuthSettings) -> Guard:
    """The guard of what is asked for keys: the issuers are the operator's choice."""
    hosts = (*config.allow_hosts, *map(host_and_port, oauth.issuers))
    return Guard(config.network or "public", hosts)
