"""Drivers of plugins: a browser had otherwise, and what is wrong with one is said of it alone."""

import pytest

from strap import BrowserDriver, hookimpl, testing
from strap_browser.api import LAUNCH_HINT, DriverStatus

pytestmark = pytest.mark.anyio


class Closet:
    """A driver that never has a browser."""

    name = "closet"
    browser = "Chromium"
    upstream = None
    guarded = False
    can = frozenset({"launch"})
    start_hint = LAUNCH_HINT

    def __init__(self, order):
        self.shelf = order.settings.options.get("shelf", "top")

    async def status(self):
        return DriverStatus(running=False, cdp_url="", facts={"shelf": self.shelf})

    async def acquire(self, *, launch):
        return None

    async def release(self, *, force=False):
        return "disconnected"


class Lying(Closet):
    can = frozenset({"fly"})


class Half:
    name = "half"

    def __init__(self, order):
        pass


def fail(order):
    raise OSError("no closet here")


class Plugin:
    def __init__(self, **makers):
        self.makers = makers

    @hookimpl
    def strap_register_drivers(self, config):
        return [
            BrowserDriver(name=name, make=f"{__name__}:{maker}")
            for name, maker in self.makers.items()
        ]


def opened(home, driver, **makers):
    profiles = {"other": {"driver": driver, "options": {"shelf": "low"}}}
    return testing.router(Plugin(**makers), home=home, plugins={"browser": {"profiles": profiles}})


async def test_a_profile_has_the_driver_of_a_plugin_with_its_options(tmp_path):
    async with opened(tmp_path, "closet", closet="Closet") as web:
        status = await web(resource="browser", action="status", profile="other")
        assert status.data["profiles"][0]["shelf"] == "low"
        error = await web.fails(resource="browser", action="snapshot", profile="other")
        assert error.code == "not_running"
        assert 'action: launch, profile: "other"' in error.hint


@pytest.mark.parametrize(
    ("driver", "makers", "problem"),
    [
        ("closet", {}, "Driver 'closet' of profile 'other' is unknown (valid: cdp, "),
        ("closet", {"closet": "fail"}, "cannot be used (OSError: no closet here)"),
        ("closet", {"closet": "Half"}, "cannot be used (TypeError: it has no status())"),
        ("closet", {"closet": "Lying"}, "it claims to be able to 'fly', which nothing is"),
        ("closet", {"closet": "nothing"}, "cannot be used (AttributeError"),
    ],
)
async def test_what_is_wrong_with_a_driver_is_said_of_its_profile_alone(
    tmp_path, driver, makers, problem
):
    async with opened(tmp_path, driver, **makers) as web:
        error = await web.fails(resource="browser", action="launch", profile="other")
        assert problem in str(error)
        assert error.code == "driver"
        status = await web(resource="browser", action="status")
        assert problem in str(status.data)
        error = await web.fails(resource="browser", action="snapshot", profile="nebo")
        assert error.code == "not_running"
