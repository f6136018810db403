"""Put a router together: configuration, plugins, catalog, guard."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from strap import config as configuration
from strap.api.calls import Caller
from strap.api.prestarted import Prestarted
from strap.config import Config
from strap.errors import StartupError, UsageError
from strap.network import Guard, Mode, Resolver, SharedPorts
from strap.routing.builtin import audit, spans
from strap.routing.builtin.guard import PolicyGuard
from strap.routing.builtin.help import help_actions
from strap.routing.catalog import Catalog, build
from strap.routing.plugins import loader
from strap.routing.policy import Policy
from strap.routing.router import LOCAL, Router
from strap.runtime_folder import runtime_folder


def make_router(
    config: Config,
    *,
    default_network: Mode = "local",
    extra: Iterable[tuple[str, Any]] = (),
    resolver: Resolver | None = None,
    helpers: Mapping[str, Prestarted] | None = None,
    policy: Policy | None = None,
    caller: Caller = LOCAL,
) -> Router:
    """Load the plugins and return a router; nothing is opened yet.

    `default_network` applies where the configuration names no mode. `extra` are further plugins
    as pairs of name and plugin, `resolver` looks names up instead of the system, `helpers` are
    what was started already, by resource, `policy` applies instead of `allow`, `deny`
    and what needs a yes, `caller` is who calls where nobody else is named.
    Raises `StartupError` naming what is wrong.
    """
    policy = policy or Policy.of(config)
    checking = PolicyGuard(policy)
    own = (("guard", checking), ("spans", spans), ("audit", audit))
    plugins = loader.load(own, config, extra=_pairs(extra))
    catalog = _build(plugins, config, policy)
    checking.actions = catalog.actions
    ports = SharedPorts(runtime_folder())
    guard = Guard(config.network or default_network, config.allow_hosts, resolver, ports)
    return Router(
        catalog=catalog,
        plugins=plugins,
        config=config,
        guard=guard,
        helpers=helpers,
        caller=caller,
    )


def _pairs(extra: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    is_list = isinstance(extra, Iterable) and not isinstance(extra, Mapping | str)
    pairs: list[Any] = list(extra) if is_list else [extra]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise StartupError(
            "'plugins' are pairs of a name and a plugin.",
            hint="Their settings are given as config=strap.Config.load(plugins={…}).",
        )
    return pairs


def _build(plugins: loader.Plugins, config: Config, policy: Policy) -> Catalog:
    built: list[Catalog] = []

    def own(resources: list[str]) -> list[Any]:
        return help_actions(resources, lambda: built[0])

    built.append(build(plugins, config, policy, own))
    return built[0]


@asynccontextmanager
async def open_router(
    *,
    plugins: Iterable[tuple[str, Any]] = (),
    config: Config | None = None,
    caller: Caller = LOCAL,
    **flags: Any,
) -> AsyncIterator[Router]:
    """Open a router for Python callers: `async with strap.open_router() as web: …`.

    `flags` are fields of `strap.Config` (`home`, `network`, `allow`, …), or `file`, and win over
    the environment and the configuration file; with a `config` nothing of these is read. `plugins`
    are further plugins as pairs of name and plugin; a `caller` with `confirm` asks a person
    where the setting `confirm` says so. On leaving, everything that was opened is
    closed: no browser is left behind.
    """
    if config is not None and flags:
        raise UsageError(f"config is whole: {min(flags)!r} does not go with it.")
    config = config or configuration.load(**flags)
    async with make_router(config, extra=plugins, caller=caller) as router:
        router.plugins.report()
        yield router
