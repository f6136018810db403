"""The hooks of the driver `firefox`."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import BrowserDriver, Config, hookimpl

if TYPE_CHECKING:
    from strap_browser.api import Driver, DriverOrder


@hookimpl
def strap_register_drivers(config: Config) -> Iterable[BrowserDriver]:
    """A Firefox that strap launches."""
    return [BrowserDriver(name="firefox", make=f"{__name__}:make_firefox")]


def make_firefox(order: "DriverOrder") -> "Driver":
    """Return the driver of a Firefox."""
    from strap_browser.api import UnsupportedDriver

    if os.name == "nt":
        return UnsupportedDriver()
    from strap_firefox.driver import FirefoxDriver

    environment, settings = order.environment, order.settings
    own = environment.settings.of(settings)
    return FirefoxDriver(order.root, own, environment.guard, settings.firefox_path)
