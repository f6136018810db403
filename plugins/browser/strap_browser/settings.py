"""The settings of the browser plugin: `[plugins.browser]` in `strap.toml`."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from strap_browser.params import PROFILE_NAME
from strap_browser.runs.settings import AgentSettings

Driver = Literal["nebo", "extension"]


class ProfileSettings(BaseModel):
    """One further profile: `[plugins.browser.profiles.NAME]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    driver: Driver = "nebo"
    """Who runs the browser: `nebo` is strap itself, `extension` the user and their Chrome."""


class BrowserSettings(AgentSettings):
    """The settings of the `browser` resource."""

    executable: Path | None = Field(default=None, json_schema_extra={"env": "STRAP_BROWSER_PATH"})
    """The browser to launch; left out: the first of Chrome, Chromium, Edge, Playwright's own."""
    headless: bool | None = Field(default=None, json_schema_extra={"env": "STRAP_HEADLESS"})
    """Whether to launch without a window; left out: only where there is no display."""
    sandbox: bool | None = None
    """Whether to use Chromium's sandbox; left out: unless the system cannot provide it."""
    port: int = Field(default=9222, ge=0, le=65535)
    """Preferred debugging port on loopback; another one is taken where it is in use."""
    relay_port: int = Field(default=27895, ge=1, le=65535)
    """Port on loopback to which the extension in the user's own Chrome connects."""
    viewport: tuple[int, int] = (1280, 720)
    """Width and height of a page in CSS pixels."""
    args: tuple[str, ...] = ()
    """Further command line switches for the browser."""
    download_limit: int = Field(default=1_000_000_000, gt=0)
    """Largest download in bytes; a larger one is stopped."""
    uploads: tuple[Path, ...] = ()
    """Folders, beside the output folder, from which files may be uploaded."""
    profiles: dict[str, ProfileSettings] = Field(default_factory=dict)
    """Profiles beside the built-in `nebo` and `chrome`."""

    @field_validator("profiles")
    @classmethod
    def _names(cls, value: dict[str, ProfileSettings]) -> dict[str, ProfileSettings]:
        import re

        for name in value:
            if not re.fullmatch(PROFILE_NAME, name):
                raise ValueError(f"profile name {name!r}: letters, digits, '-' and '_' only")
        return value
