"""Somebody whom the server serves: a router, folders and limits of their own."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_types import Tool

from strap.config import Config
from strap.config.tables import merged
from strap.mcp.http.missed import MissedAnswers
from strap.mcp.http.rate import Rate
from strap.mcp.http.serve_settings import Limits
from strap.mcp.http.tool import Calls, HttpTool
from strap.routing.assembly import make_router
from strap.routing.policy import Policy

NO_LIMITS = Limits(sessions=0, calls=0, calls_per_minute=0, pages=0, runs=0, memory_mb=0)
"""Limits of callers with the shared token, or with none: only the server's own apply."""

REQUESTS = 4
"""Requests for each call that may be made: clients open sessions and ask for signs of life."""

BURST, LEAST = 2.0, 20
"""Seconds' worth of requests that may come at once, and how many in any case."""


@dataclass(kw_only=True, slots=True, eq=False)
class Principal:
    """Somebody who calls, by whatever many sessions."""

    name: str
    tool: HttpTool
    listed: list[Tool]
    """Answer to `tools/list`."""
    sessions: int
    """Most sessions; 0 is no limit."""
    rate: Rate
    """Rate of requests of any kind."""
    requests: int = 0
    """Requests that are answered now."""
    idle_since: float = field(default_factory=time.monotonic)
    missed: MissedAnswers = field(default_factory=MissedAnswers)

    @property
    def busy(self) -> bool:
        """Whether a request or a call is under way."""
        return bool(self.requests or self.tool.running)


class Maker:
    """Makes principals out of the configuration of the server; they share nothing of a router.

    No browser, no cache, no run, no file of one principal can be reached by another.
    """

    def __init__(
        self, config: Config, calls: Calls, *, replica: str, plugins: Iterable[tuple[str, Any]]
    ) -> None:
        self.config = config
        self.calls = calls
        self._replica = replica
        self._plugins = tuple(plugins)

    def shared(self, name: str) -> Principal:
        """Return a principal by the server's own rules, in its own folders."""
        return self._made(name, self.config, None, NO_LIMITS)

    def own(self, name: str, limits: Limits, policy: Policy) -> Principal:
        """Return a principal with a folder of its own, and a policy that only takes away.

        Raises `StartupError` for a pattern that is about nothing.
        """
        whole = self.config
        home = whole.home / "principals" / name.replace(":", "-")
        server = Policy.of(whole)
        config = replace(_limited(whole, limits), home=home, outputs=home / "outputs")
        return self._made(name, config, replace(policy, within=server), limits)

    def _made(self, name: str, config: Config, policy: Policy | None, limits: Limits) -> Principal:
        router = make_router(config, default_network="public", extra=self._plugins, policy=policy)
        tool = HttpTool(
            router,
            calls=self.calls,
            most=limits.calls,
            rate=Rate(limits.calls_per_minute),
            replica=self._replica,
        )
        listed = [Tool.model_validate(tool.definition)]
        return Principal(
            name=name,
            tool=tool,
            listed=listed,
            sessions=limits.sessions,
            rate=Rate(REQUESTS * limits.calls_per_minute, burst=BURST, least=LEAST),
        )


def _limited(config: Config, limits: Limits) -> Config:
    """Return the configuration with limits on browsers, which win over what is set for all."""
    of_browser = {"max_pages": limits.pages, "max_runs": limits.runs}
    of_browser["max_memory_mb"] = limits.memory_mb
    options = {name: value for name, value in of_browser.items() if value}
    variables = {f"STRAP_BROWSER__{name.upper()}" for name in options}
    environ = {name: value for name, value in config.environ.items() if name not in variables}
    plugins = merged(config.plugins, {"browser": options}) if options else config.plugins
    return replace(config, plugins=plugins, environ=environ)
