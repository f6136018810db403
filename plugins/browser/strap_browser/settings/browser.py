"""The settings of the browser plugin: `[plugins.browser]` in `strap.toml`."""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from strap import StartupError
from strap_browser.settings.agent import AgentSettings
from strap_browser.settings.leasing import LEASING, LeaseSettings
from strap_browser.settings.live import LiveSettings
from strap_browser.settings.managed import PROFILE_NAME, SHELL, ManagedSettings, Size
from strap_browser.settings.pages import PageSettings

DEFAULT_PROFILE = "nebo"
DRIVER = r"^[a-z][a-z0-9_]{0,63}$"
"""Names of drivers, strap's own and those of plugins."""
ATTACHED = (
    *("headers", "ephemeral", "viewport", "locale", "extra_headers"),
    *PageSettings.model_fields,
)
NO_FIREFOX = ("channel", "emulate")
"""Settings that driver `firefox` cannot carry out."""
URLS: Mapping[str, str] = {"cdp": "cdp_url", "playwright": "playwright_url"}
"""The setting that tells where the browser of a driver is."""
FITTING: Mapping[str, Collection[str]] = {
    "nebo": (*ManagedSettings.model_fields, "ephemeral"),
    "extension": (),
    "cdp": ("cdp_url", *ATTACHED, *LEASING),
    "playwright": ("playwright_url", *ATTACHED),
    "firefox": (
        "firefox_path",
        "ephemeral",
        *(name for name in ManagedSettings.model_fields if name not in NO_FIREFOX),
    ),
}
"""Settings that a profile of each driver can have."""


class ProfileSettings(LeaseSettings, ManagedSettings):
    """One profile: `[plugins.browser.profiles.NAME]`; what is left out is as for all."""

    driver: str = Field(default="nebo", pattern=DRIVER)
    """Driver of the browser: `nebo` launches one, `extension` uses the user's Chrome, `cdp`
    connects to `cdp_url`, `playwright` to `playwright_url`. `firefox` launches a Firefox
    (experimental). Plugins add others."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Table of what a plugin's driver can be told."""
    ephemeral: bool = False
    """Whether each caller begins without cookies and storage, and nothing of that is kept."""

    cdp_url: SecretStr | None = None
    """Address of a browser for driver `cdp`: `http://host:9222`, or its `ws://` address. It may
    name a secret: `wss://host/?token={{name}}`."""
    playwright_url: SecretStr | None = None
    """Address of a Playwright server: the `ws://` one that `playwright launch-server` prints. Its
    browser is Chromium, and begins without cookies."""
    firefox_path: Path | None = None
    """The Firefox that driver `firefox` launches; left out: the one that is installed."""
    headers: dict[str, SecretStr] | None = None
    """Header fields to send there, as in `Authorization = "Bearer {{name}}"`."""

    @field_validator("cdp_url")
    @classmethod
    def _endpoint(cls, value: SecretStr | None) -> SecretStr | None:
        form = "must be like 'http://host:9222' or 'ws://host:9222/devtools/…'"
        return _checked(value, ("http", "https", "ws", "wss"), form)

    @field_validator("playwright_url")
    @classmethod
    def _server(cls, value: SecretStr | None) -> SecretStr | None:
        return _checked(value, ("ws", "wss"), "must be like 'ws://host:port/path'")

    @model_validator(mode="after")
    def _fits_driver(self) -> Self:
        """Refuse settings that do not go with the driver, and a missing address."""
        options = {name for name in self.model_fields_set if getattr(self, name)} - {"driver"}
        if wrong := options - set(FITTING.get(self.driver, ("options", "ephemeral"))):
            raise ValueError(f"{min(wrong)!r} does not go with driver {self.driver!r}")
        url = URLS.get(self.driver)
        if url and getattr(self, url) is None:
            raise ValueError(f"{url!r} is missing: driver {self.driver!r} needs it")
        return self

    @model_validator(mode="after")
    def _lends(self) -> Self:
        """Refuse settings of lent browsers without a provider, or with an unfit address."""
        options = self.model_fields_set & set(LEASING) - {"provider"}
        if options and self.provider is None:
            raise ValueError(f"{min(options)!r} needs a provider")
        if self.provider is None or self.cdp_url is None:
            return self
        custom = self.lease is not None and self.lease.create is not None
        if custom != (self.provider == "custom"):
            raise ValueError("provider 'custom', and no other, has a table 'lease' with 'create'")
        kind = "ws" if self.provider == "browserless" else "http"
        if not self.cdp_url.get_secret_value().startswith(kind):
            raise ValueError(f"'cdp_url' has to begin with {kind}:// or {kind}s://")
        return self


class BrowserSettings(AgentSettings, ManagedSettings):
    """The settings of the `browser` resource."""

    executable: Path | None = Field(
        default=None, json_schema_extra={"env": "STRAP_BROWSER_PATH", "instead_of": "channel"}
    )
    """The browser to launch; left out: the first of Chrome, Chromium, Edge, Playwright's own."""
    headless: bool | None = Field(default=None, json_schema_extra={"env": "STRAP_HEADLESS"})
    """Whether to launch without a window; left out: only where there is no display."""
    sandbox: bool | None = None
    """Whether to use Chromium's sandbox; left out: unless the system cannot provide it."""
    auto_launch: bool = False
    """Whether `navigate` and `new_page` launch the browser; else that takes a `launch`."""
    port: int = Field(default=9222, ge=0, le=65535)
    """Preferred debugging port on loopback; another one is taken where it is in use."""
    relay_port: int = Field(default=27895, ge=1, le=65535)
    """Port on loopback to which the extension in the user's own Chrome connects."""
    viewport: Size = (1280, 720)
    """Width and height of a page in CSS pixels."""
    webmcp: bool = False
    """Whether pages may register tools (WebMCP), which `tools` lists and calls."""
    args: tuple[str, ...] = ()
    """Further command line switches for the browser."""
    max_pages: int = Field(default=200, gt=0)
    """Pages that all callers of a profile have open together; a further one fails with `busy`."""
    max_memory_mb: int = Field(default=0, ge=0)
    """Memory in MB of all browsers that strap launched (on Linux; 0: no limit). Above it no page is
    opened, and from nine tenths on the pages are closed that were not used for longest."""
    hold_seconds: float = Field(default=120, gt=0, le=120)
    """Seconds that a request waits for a yes or for `mock value=send`; then it is dropped."""
    download_limit: int = Field(default=1_000_000_000, gt=0)
    """Largest download in bytes; a larger one is stopped."""
    record_credentials: bool = False
    """Whether `record value=har+credentials` may keep cookies and authorization."""
    uploads: tuple[Path, ...] = ()
    """Folders, beside the output folder, from which files may be uploaded."""
    live: LiveSettings = Field(default_factory=LiveSettings)
    """Table `[plugins.browser.live]`: who may watch the browser, and how."""
    profiles: dict[str, ProfileSettings] = Field(default_factory=dict, validate_default=True)
    """Tables `[plugins.browser.profiles.NAME]` of further profiles, or of `nebo` and `chrome`."""

    @field_validator("profiles", mode="before")
    @classmethod
    def _built_in(cls, value: Any) -> Any:
        """Add the profiles that are always there."""
        if not isinstance(value, Mapping):
            return value
        chrome = value.get("chrome", {})
        if isinstance(chrome, Mapping):
            chrome = {"driver": "extension"} | dict(chrome)
        return {"nebo": {}, "chrome": {}} | dict(value) | {"chrome": chrome}

    @field_validator("profiles")
    @classmethod
    def _names(cls, value: dict[str, ProfileSettings]) -> dict[str, ProfileSettings]:
        for name in value:
            if not re.fullmatch(PROFILE_NAME, name):
                raise ValueError(f"profile name {name!r}: letters, digits, '-' and '_' only")
        return value

    @model_validator(mode="after")
    def _one_browser(self) -> Self:
        if self.channel is not None and self.executable is not None:
            raise ValueError("'executable' and 'channel' both say which browser: set one of them")
        if self.channel == SHELL and self.headless is False:
            raise ValueError(f"channel {SHELL!r} has no window: leave 'headless' out")
        return self

    def check_drivers(self, known: Iterable[str]) -> None:
        """Raise `StartupError` for a profile whose driver no plugin has."""
        names = sorted(known)
        for name, profile in self.profiles.items():
            if profile.driver not in names:
                raise StartupError(
                    f"Setting 'profiles.{name}.driver' of plugin 'browser': no plugin has a driver"
                    f" {profile.driver!r}.",
                    hint=f"Valid drivers: {', '.join(names)}.",
                )

    def of(self, profile: ProfileSettings) -> Self:
        """Return the settings of a browser of strap's own: the profile's, else those of all."""
        own = {name: getattr(profile, name) for name in ManagedSettings.model_fields}
        values = {name: value for name, value in own.items() if value is not None}
        if profile.channel is not None:
            values["executable"] = None
        if profile.channel == SHELL:
            values["headless"] = None
        return self.model_copy(update=values)


def _checked(value: SecretStr | None, schemes: Collection[str], form: str) -> SecretStr | None:
    """Say what is wrong with an address without showing it: it may hold a token."""
    parts = None if value is None else urlsplit(value.get_secret_value())
    if parts and (parts.scheme not in schemes or not parts.hostname):
        raise ValueError(form)
    if parts and not 0 < (parts.port or 1) < 65_536:
        raise ValueError("has no valid port")
    return value
