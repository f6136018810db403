"""Settings of pages: for all profiles, or one."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from strap_browser.common.address_filters import read_filter

MOST_PATTERNS = 1_000
"""Each is compared with each request."""


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        read_filter(pattern)
    return patterns


_Login = Annotated[str, StringConstraints(pattern=r"^[^:{}]+:\{\{[A-Za-z0-9_-]+\}\}$")]


class PageSettings(BaseModel):
    """Settings of pages; a profile takes those left out from the settings for all."""

    block: (
        Annotated[tuple[str, ...], Field(max_length=MOST_PATTERNS), AfterValidator(_readable)]
        | None
    ) = None
    """Hosts and addresses that pages do not reach: `ads.example`, with all below it, or patterns of
    EasyList without options, `||ads.example/banner/*`. WebSockets are not blocked."""
    emulate: str | None = Field(default=None, max_length=1_000)
    """Emulation of pages from the beginning: words of `browser.emulate`, `iPhone 15, dark`."""
    init_scripts: tuple[Path, ...] | None = None
    """Files of JavaScript that run in each document before its own scripts."""
    basic_auth: tuple[_Login, ...] | None = None
    """User names and passwords for HTTP Basic authentication, as in `ada:{{intranet}}`: each is
    for the origins of its secret."""
