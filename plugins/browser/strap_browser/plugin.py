"""The hooks of the browser plugin."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Action, BrowserDriver, Config, Diagnosis, Resource, hookimpl
from strap.api.action_lists import read_actions
from strap_browser.resource import browser

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_resources(config: Config) -> Iterable[Resource]:
    """The resource `browser`."""
    return [browser]


@hookimpl
def strap_register_drivers(config: Config) -> Iterable[BrowserDriver]:
    """A Chromium that strap launches, the user's own Chrome, browsers elsewhere."""
    makers = {
        "nebo": "make_managed",
        "extension": "make_extension",
        "cdp": "make_remote",
        "playwright": "make_playwright",
    }
    return [
        BrowserDriver(name=name, make=f"strap_browser.drivers.factory:{maker}")
        for name, maker in makers.items()
    ]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The actions on browsers and on pages."""
    return read_actions(__file__)


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Diagnose the browser that strap would launch, the user's own Chrome, and saved logins."""
    from strap_browser.chromium.install import diagnose
    from strap_browser.common.login_files import diagnose as diagnose_logins
    from strap_browser.recorders.video_file import VIDEO
    from strap_browser.relay.cli import diagnose as diagnose_chrome

    others = diagnose_chrome(config), diagnose_logins(config), Diagnosis.of_extra(VIDEO)
    return [*diagnose(config), *others]


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add the commands about browsers."""
    from strap_browser.chromium.install import browser as commands
    from strap_browser.relay.cli import chrome

    cli.add_command(commands)
    cli.add_command(chrome)
