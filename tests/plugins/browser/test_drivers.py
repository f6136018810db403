"""Drivers of plugins: a browser had otherwise, and what is wrong with one is said of it alone."""

import pytest

from strap import BrowserDriver, hookimpl, testing
from strap_browser.api import LAUNCH_HINT, DriverStatus
from strap_browser.chromium.executables import find_executable
from strap_spawned import plugin as spawned

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


async def test_the_example_drives_a_real_browser(tmp_path, serve_site):
    site = serve_site({"/": "<title>Form</title><input aria-label=Name>"})
    executable = str(find_executable())
    command = [executable, "--headless", "--no-sandbox"]
    profiles = {"mine": {"driver": "spawned", "options": {"command": command}}}
    settings = {"browser": {"profiles": profiles}}
    async with testing.router(spawned, home=tmp_path, plugins=settings) as web:
        await web(resource="browser", action="launch", profile="mine")
        page = await web(resource="browser", action="navigate", url=site)
        assert "Form" in page.text
        clicked = await web(resource="browser", action="snapshot")
        assert 'textbox "Name"' in clicked.text
        closed = await web(resource="browser", action="close", profile="mine")
        assert not closed.is_error
        status = await web(resource="browser", action="status", profile="mine")
        assert status.data["profiles"][0]["running"] is False
