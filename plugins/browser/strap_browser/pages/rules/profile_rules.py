"""Rules of the settings for all pages of a profile."""

from pathlib import Path

from strap import Secrets, StartupError, StrapError, record
from strap_browser.drivers.base import Driver
from strap_browser.engine.traffic.interception import Interceptor
from strap_browser.engine.traffic.operator_rules import interceptors_of
from strap_browser.settings.browser import BrowserSettings, ProfileSettings
from strap_browser.settings.pages import PageSettings


@record
class ProfileRules:
    """Rules for the requests of its pages, and what each page gets."""

    interceptors: tuple[Interceptor, ...] = ()
    scripts: tuple[str, ...] = ()
    """Scripts that run in each document before its own."""
    emulate: str = ""
    """Words of `emulate` that hold from a caller's first page on."""
    hold_seconds: float = 120
    """For how long a request waits."""


def rules_of(
    everyone: BrowserSettings, profile: ProfileSettings, driver: Driver, secrets: Secrets
) -> ProfileRules:
    """Return the rules of a profile; blocks, raises `StartupError`.

    Tabs of the user get no more than the list of what is blocked.
    """
    settings: PageSettings = everyone.of(profile)
    if "user_tabs" in driver.can:
        settings = PageSettings(block=settings.block)
    try:
        if settings.emulate:
            from strap_browser.engine.emulation_words import check_words

            check_words(settings.emulate)
        interceptors = interceptors_of(settings, secrets)
    except StrapError as error:
        raise StartupError(f"Settings of plugin 'browser': {error}") from None
    return ProfileRules(
        interceptors=interceptors,
        scripts=tuple(map(_script, settings.init_scripts or ())),
        emulate=(settings.emulate or "") if "devtools" in driver.can else "",
        hold_seconds=everyone.hold_seconds,
    )


def _script(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except (OSError, ValueError) as error:
        raise StartupError(
            f"Setting 'init_scripts' of plugin 'browser': {str(path)!r} cannot be read: {error}."
        ) from None
