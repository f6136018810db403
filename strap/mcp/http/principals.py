"""Whom the server serves: for each principal a router, folders and limits of its own."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from strap.config import Config
from strap.config.tables import merged
from strap.mcp.http.metrics import Metrics
from strap.mcp.http.rate import Rate
from strap.mcp.http.serve_settings import Limits, ServeSettings, TokenSettings
from strap.mcp.http.tokens import BEARER, LOCAL, Tokens, digest
from strap.mcp.http.tool import Calls, HttpTool
from strap.routing.assembly import make_router
from strap.routing.policy import Policy
from strap.routing.router import Router

NO_LIMITS = Limits(sessions=0, calls=0, calls_per_minute=0, pages=0, runs=0, memory_mb=0)
"""Of those who share the server's one token, or need none: the server's own limits are theirs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Principal:
    """Somebody who calls, by whatever many sessions."""

    name: str
    tool: HttpTool
    sessions: int
    """Most sessions; 0 is no limit."""


class Principals:
    """Everybody whom the server serves, and by which token; raises `StartupError`.

    The routers share nothing: no browser, no cache, no run, no file of one principal can be
    reached by another.
    """

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
        self._config = config
        self.metrics = Metrics() if settings.metrics else None
        self._plugins = (*plugins, *([("metrics", self.metrics)] if self.metrics else ()))
        self._prefixed = settings.replica
        named = {f"token:{name}": each for name, each in settings.tokens.items()}
        digests = {each.digest: principal for principal, each in named.items()}
        self._all = {name: self._named(name, each, settings) for name, each in named.items()}
        if token or not named:
            shared = BEARER if token else LOCAL
            self._all[shared] = self._made(shared, config, None, NO_LIMITS)
            digests |= {digest(token): shared} if token else {}
        self.tokens = Tokens(digests)

    def __getitem__(self, name: str) -> Principal:
        return self._all[name]

    def __iter__(self) -> Iterator[Principal]:
        return iter(self._all.values())

    @property
    def routers(self) -> list[Router]:
        """The routers of all."""
        return [each.tool.router for each in self]

    def gauges(self) -> Counter[str]:
        """Return the sums of what the routers tell of themselves."""
        told = Counter[str]()
        for router in self.routers:
            for span in router.lifespans.values():
                told.update(span.gauges())
        return told

    def _named(self, name: str, token: TokenSettings, settings: ServeSettings) -> Principal:
        home = self._config.home / "principals" / name.replace(":", "-")
        limits = token.limits or settings.limits
        whole = self._config
        own = replace(_limited(whole, limits), home=home, outputs=home / "outputs")
        server = Policy(allow=whole.allow, deny=whole.deny, confirm=whole.confirm)
        policy = Policy(allow=token.allow, deny=token.deny, confirm=token.confirm, within=server)
        return self._made(name, own, policy, limits)

    def _made(self, name: str, config: Config, policy: Policy | None, limits: Limits) -> Principal:
        router = make_router(config, default_network="public", extra=self._plugins, policy=policy)
        tool = HttpTool(
            router,
            calls=self.calls,
            most=limits.calls,
            rate=Rate(limits.calls_per_minute),
            replica=self._prefixed,
        )
        return Principal(name=name, tool=tool, sessions=limits.sessions)


def _limited(config: Config, limits: Limits) -> Config:
    """Return the configuration with limits on browsers, which win over what is set for all."""
    of_browser = {"max_pages": limits.pages, "max_runs": limits.runs}
    of_browser["max_memory_mb"] = limits.memory_mb
    given = {name: value for name, value in of_browser.items() if value}
    variables = {f"STRAP_BROWSER__{name.upper()}" for name in given}
    environ = {name: value for name, value in config.environ.items() if name not in variables}
    plugins = merged(config.plugins, {"browser": given}) if given else config.plugins
    return replace(config, plugins=plugins, environ=environ)
