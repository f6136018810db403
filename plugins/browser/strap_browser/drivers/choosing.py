"""The driver of a profile, as its settings say."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from strap import Environment
from strap_browser.drivers.base import Driver, UnsupportedDriver
from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings, ProfileSettings

if TYPE_CHECKING:
    from strap_browser.chromium.spawn import PrestartedChromium
    from strap_browser.drivers.leased import LeasedDriver
    from strap_browser.drivers.leasing.pool import Leases


def make_driver(
    name: str,
    profile: ProfileSettings,
    environment: Environment,
    take_early: "Callable[[], PrestartedChromium | None]",
    leases: "Leases",
) -> Driver:
    """Return the driver, which alone is imported; nothing is started.

    `take_early` returns the browser of the default profile if it was started already.
    """
    config, guard = environment.config, environment.guard
    settings: BrowserSettings = environment.settings
    root = config.home / "profiles" / name
    if profile.driver == "extension":
        from strap_browser.drivers.extension import ExtensionDriver

        return ExtensionDriver(name, config.home, settings.relay_port, guard)
    if profile.provider is not None:
        return _leased(name, profile, environment, root, leases)
    if profile.driver == "cdp":
        from strap_browser.drivers.remote import RemoteDriver

        return RemoteDriver(name, profile, config.secrets, root, guard)
    if profile.driver == "playwright":
        from strap_browser.drivers.playwright_server import PlaywrightServerDriver

        sized = profile.model_copy(update={"viewport": profile.viewport or settings.viewport})
        return PlaywrightServerDriver(name, sized, config.secrets, root, guard)
    return _own(name, profile, environment, root, take_early)


def _own(
    name: str,
    profile: ProfileSettings,
    environment: Environment,
    root: Path,
    take_early: "Callable[[], PrestartedChromium | None]",
) -> Driver:
    """Return the driver of a browser that strap launches."""
    guard, settings = environment.guard, environment.settings
    if os.name == "nt":
        return UnsupportedDriver()

    if profile.driver == "firefox":
        from strap_browser.drivers.firefox import FirefoxDriver

        return FirefoxDriver(root, settings.of(profile), guard, profile.firefox_path)
    from strap_browser.drivers.managed import ManagedDriver

    take = take_early if name == DEFAULT_PROFILE else None
    return ManagedDriver(root, settings.of(profile), guard, take)


def _leased(
    name: str, profile: ProfileSettings, environment: Environment, root: Path, leases: "Leases"
) -> "LeasedDriver":
    from strap_browser.drivers.leased import LeasedDriver
    from strap_browser.drivers.leasing.recipes import recipe_of
    from strap_browser.drivers.leasing.service import Service
    from strap_browser.drivers.remote_address import RemoteAddress

    config, guard = environment.config, environment.guard
    assert profile.cdp_url is not None
    service = Service(
        RemoteAddress(profile.cdp_url, profile.headers, config.secrets),
        recipe_of(profile),
        lease_s=profile.lease_s,
        allow_hosts=guard.allow_hosts,
    )
    pool = leases.pool(name, service, profile)
    return LeasedDriver(name, profile, config.secrets, root, guard, pool)
