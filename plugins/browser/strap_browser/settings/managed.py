"""Settings of browsers that strap launches: for all of them, or one profile."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from strap import HostNames, ProxyUrl
from strap_browser.settings.pages import PageSettings

Channel = Literal["chrome", "chromium", "msedge", "chromium-headless-shell"]
"""Browsers, by Playwright's names for them."""
SHELL: Channel = "chromium-headless-shell"
PROFILE_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
"""Names of profiles and of login states: they become names of files on any system."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BROWSERS_OWN = re.compile(
    r"(?i)(sec-|proxy-).*|host|origin|referer|cookie2?|connection|keep-alive|te|trailer|upgrade"
    r"|content-length|transfer-encoding|user-agent|accept-language"
)
"""The guard relies on some of these header fields, and for others there are settings."""


def _known_zone(name: str) -> str:
    """Look the name up in the system's time zones; where it has none, only its form is checked."""
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        if zoneinfo.available_timezones() or not re.fullmatch(r"[A-Za-z0-9_+/-]+", name):
            raise ValueError("must be a time zone as IANA names it: 'Europe/Berlin'") from None
    return name


def _sendable(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise ValueError(f"{name!r} is not a header field in printable ASCII")
        if _BROWSERS_OWN.fullmatch(name):
            raise ValueError(f"{name!r} is for the browser itself to set")
    return headers


def _two_numbers(value: Any) -> Any:
    """Take `1280x720`, or `[1280, 720]`, as the environment has it, apart."""
    return re.split(r"[x,\s]+", value.lower().strip(" []")) if isinstance(value, str) else value


_Pixels = Annotated[int, Field(ge=50, le=10_000)]
Size = Annotated[tuple[_Pixels, _Pixels], BeforeValidator(_two_numbers)]


class ManagedSettings(PageSettings):
    """Settings of a launched browser, which decides on those left out."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True
    )

    channel: Channel | None = Field(default=None, json_schema_extra={"instead_of": "executable"})
    """Browser to launch: `chrome`, `chromium`, `msedge` or `chromium-headless-shell`. The last is
    Chromium without any window: it starts sooner and takes less memory, but shows no PDF."""
    proxy: ProxyUrl | None = None
    """URL of a proxy to go through, `http://[user:password@]host:port`, `https://` or `socks5://`."""
    no_proxy: HostNames | None = None
    """Hosts that are reached without the proxy, with all below them; this machine always is."""
    viewport: Size | None = None
    """Width and height of a page in CSS pixels."""
    locale: str | None = Field(default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    """Language of pages, in headers, scripts and formats, as in `de-DE`."""
    timezone: Annotated[str, AfterValidator(_known_zone)] | None = None
    """Time zone of pages by its IANA name, as in `Europe/Berlin`."""
    user_agent: str | None = Field(default=None, pattern=r"^[\x20-\x7e]+$")
    """User-Agent of the browser, in headers and scripts."""
    extra_headers: Annotated[dict[str, str], AfterValidator(_sendable)] | None = None
    """Header fields that every request of a page carries, to any site: no place for credentials."""
