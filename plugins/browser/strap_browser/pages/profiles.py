"""The profiles of a process, as its settings say; none of their browsers is started."""

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

from strap import Environment
from strap_browser.drivers.base import Driver, DriverOrder
from strap_browser.drivers.factory import make_driver
from strap_browser.engine.traffic.approvals import Approvals
from strap_browser.pages.memory import MemoryLimit
from strap_browser.pages.profile import Profile
from strap_browser.pages.rules.profile_rules import rules_of
from strap_browser.pages.saved_downloads import Destination
from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings, ProfileSettings
from strap_browser.settings.leasing import Share

if TYPE_CHECKING:
    from strap_browser.chromium.spawn import PrestartedChromium
    from strap_browser.drivers.leasing.pool import Leases


def make_profiles(
    environment: Environment,
    memory: MemoryLimit,
    leases: "Leases",
    approvals: Approvals,
    take_early: "Callable[[], PrestartedChromium | None]",
) -> dict[str, Profile]:
    """Return them by name; `take_early` returns the default's browser if it was started already."""
    settings: BrowserSettings = environment.settings
    config, numbers = environment.config, count(1)

    def driver_of(name: str, profile: ProfileSettings) -> Driver:
        order = DriverOrder(
            profile=name,
            settings=profile,
            environment=environment,
            root=config.home / "profiles" / name,
            take_early=take_early if name == DEFAULT_PROFILE else None,
            leases=leases,
        )
        return make_driver(order)

    drivers = {name: driver_of(name, profile) for name, profile in settings.profiles.items()}
    return {
        name: _made(
            name,
            drivers[name],
            Destination(folder=config.outputs / "downloads", limit=settings.download_limit),
            share=profile.share if profile.provider else None,
            ephemeral=profile.ephemeral or profile.driver == "playwright",
            max_pages=settings.max_pages,
            secrets=config.secrets,
            memory=memory,
            numbers=numbers,
            approvals=approvals,
            notes_logins=config.flow != "off",
            rules=rules_of(settings, profile, drivers[name], config.secrets),
        )
        for name, profile in settings.profiles.items()
    }


def _made(name: str, driver: Driver, *more: Any, share: Share | None, **terms: Any) -> Profile:
    if share is None:
        return Profile(name, driver, *more, **terms)
    from strap_browser.drivers.leased import LeasedDriver
    from strap_browser.pages.leased_profile import LeasedProfile, LentToEach

    assert isinstance(driver, LeasedDriver)
    if share == "profile":
        return LeasedProfile(name, driver, *more, **terms)

    def make() -> LeasedProfile:
        return LeasedProfile(name, driver.another(), *more, **terms)

    return LentToEach(name, make, driver, *more, **terms)
