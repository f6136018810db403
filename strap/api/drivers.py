"""Declaring drivers of the browser: `BrowserDriver`."""

from strap.records import record


@record
class BrowserDriver:
    """A way to have a browser, for profiles with `driver = NAME` in `[plugins.browser.profiles]`.

    `make` is the `package.module:name` of a function that takes a `strap_browser.api.DriverOrder`
    and returns a `strap_browser.api.Driver`; it is imported when a profile has this driver.
    What a profile sets for it is in the table `options`, which the driver itself checks.
    """

    name: str
    make: str
