"""The driver of a profile, as its settings say, and the drivers that the browser itself has."""

import logging
import os
from importlib import import_module

from strap import ActionError
from strap_browser.drivers.base import (
    CAPABILITIES,
    LAUNCH_HINT,
    Capability,
    Driver,
    DriverOrder,
    DriverStatus,
    Release,
    UnsupportedDriver,
)
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream

METHODS = ("status", "acquire", "release")
log = logging.getLogger(__name__)


class BrokenDriver:
    """A driver that cannot be used: its profile says why, and all others work."""

    upstream: Upstream | None = None
    guarded = False
    can: frozenset[Capability] = frozenset()
    browser = "browser that cannot be driven"
    start_hint = LAUNCH_HINT

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        self.problem = problem

    async def status(self) -> DriverStatus:
        """Tell what is wrong."""
        return DriverStatus(running=False, cdp_url="", facts={"problem": self.problem})

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Raise `ActionError` that tells what is wrong."""
        raise ActionError(
            self.problem,
            hint="Use another profile. `strap plugins` lists the plugins, `strap doctor` checks.",
            code="driver",
        )

    async def release(self, *, force: bool = False) -> Release:
        """Nothing to let go."""
        return "disconnected"


def make_driver(order: DriverOrder) -> Driver:
    """Return the driver, which alone is imported; nothing is started.

    One that no plugin has, that raises, or that is none is a `BrokenDriver`.
    """
    name, known = order.settings.driver, {item.name: item for item in order.environment.drivers}
    where = f"Driver {name!r} of profile {order.profile!r}"
    if name not in known:
        return BrokenDriver(name, f"{where} is unknown (valid: {', '.join(sorted(known))}).")
    try:
        module, _, function = known[name].make.partition(":")
        driver: Driver = getattr(import_module(module), function)(order)
        _check(driver)
    except Exception as error:
        log.exception("%s cannot be used", where)
        return BrokenDriver(name, f"{where} cannot be used ({type(error).__name__}: {error}).")
    return driver


def _check(driver: Driver) -> None:
    for method in METHODS:
        if not callable(getattr(driver, method, None)):
            raise TypeError(f"it has no {method}()")
    for name in ("name", "browser", "start_hint"):
        if not isinstance(getattr(driver, name, None), str):
            raise TypeError(f"it has no {name}")
    if unknown := set(driver.can) - CAPABILITIES:
        raise TypeError(f"it claims to be able to {min(unknown)!r}, which nothing is")


def make_managed(order: DriverOrder) -> Driver:
    """Return the driver of a Chromium that strap launches."""
    if os.name == "nt":
        return UnsupportedDriver()
    from strap_browser.drivers.managed import ManagedDriver

    environment = order.environment
    settings = environment.settings.of(order.settings)
    return ManagedDriver(order.root, settings, environment.guard, order.take_early)


def make_extension(order: DriverOrder) -> Driver:
    """Return the driver of the user's own Chrome."""
    from strap_browser.drivers.extension import ExtensionDriver

    config, guard = order.environment.config, order.environment.guard
    port = order.environment.settings.relay_port
    return ExtensionDriver(order.profile, config.home, port, guard)


def make_remote(order: DriverOrder) -> Driver:
    """Return the driver of a browser at `cdp_url`, or of those that a service lends there."""
    config, guard = order.environment.config, order.environment.guard
    more = config.secrets, order.root, guard
    if order.settings.provider is None:
        from strap_browser.drivers.remote import RemoteDriver

        return RemoteDriver(order.profile, order.settings, *more)
    from strap_browser.drivers.leased import LeasedDriver
    from strap_browser.drivers.leasing.recipes import recipe_of
    from strap_browser.drivers.leasing.service import Service
    from strap_browser.drivers.remote_address import RemoteAddress

    settings = order.settings
    assert settings.cdp_url is not None
    service = Service(
        RemoteAddress(settings.cdp_url, settings.headers, config.secrets),
        recipe_of(settings),
        lease_s=settings.lease_s,
        allow_hosts=guard.allow_hosts,
    )
    pool = order.leases.pool(order.profile, service, settings)
    return LeasedDriver(order.profile, settings, *more, pool)


def make_playwright(order: DriverOrder) -> Driver:
    """Return the driver of a Playwright server's Chromium."""
    from strap_browser.drivers.playwright_server import PlaywrightServerDriver

    config, guard = order.environment.config, order.environment.guard
    viewport = order.settings.viewport or order.environment.settings.viewport
    sized = order.settings.model_copy(update={"viewport": viewport})
    return PlaywrightServerDriver(order.profile, sized, config.secrets, order.root, guard)
