"""The driver of a profile, as its settings say."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from strap import Environment
from strap_browser.drivers.base import Driver, UnsupportedDriver
from strap_browser.drivers.extension import ExtensionDriver
from strap_browser.drivers.playwright_server import PlaywrightServerDriver
from strap_browser.drivers.remote import RemoteDriver
from strap_browser.settings.browser import BrowserSettings, ProfileSettings

if TYPE_CHECKING:
    from strap_browser.chromium.spawn import PrestartedChromium


def make_driver(
    name: str,
    profile: ProfileSettings,
    environment: Environment,
    take_early: "Callable[[], PrestartedChromium | None] | None",
) -> Driver:
    """Return the driver; nothing is started. `take_early` returns what was started already."""
    config, guard = environment.config, environment.guard
    settings: BrowserSettings = environment.settings
    root = config.home / "profiles" / name
    if profile.driver == "extension":
        return ExtensionDriver(name, config.home, settings.relay_port, guard)
    if profile.driver == "cdp":
        return RemoteDriver(name, profile, config.secrets, root, guard)
    if profile.driver == "playwright":
        return PlaywrightServerDriver(name, profile, config.secrets, root, guard)
    if os.name == "nt":
        return UnsupportedDriver()
    from strap_browser.drivers.managed import ManagedDriver

    return ManagedDriver(root, settings.of(profile), guard, take_early)
