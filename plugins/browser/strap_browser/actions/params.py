"""The fields that browser actions have in common."""

from pydantic import Field

from strap import Params
from strap_browser.settings.managed import PROFILE_NAME


class ProfileParams(Params):
    """Base of the parameters of the actions on a whole browser."""

    profile: str | None = Field(default=None, pattern=PROFILE_NAME)
    """Browser profile; left out: that of the last browser call that worked, else nebo."""


class BrowserParams(ProfileParams):
    """Base of the parameters of the actions on a page."""

    target_id: str | None = Field(default=None, max_length=32)
    """Page, as list_pages names it; left out: the current page."""
