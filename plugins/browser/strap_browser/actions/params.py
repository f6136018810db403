"""The fields that browser actions have in common."""

from typing import Self

from pydantic import Field, model_validator

from strap import Params, UsageError
from strap_browser.settings.managed import PROFILE_NAME


class ProfileParams(Params):
    """Base of the parameters of the actions on a whole browser."""

    profile: str | None = Field(default=None, pattern=PROFILE_NAME)
    """Browser profile; left out: that of the last browser call that worked, else nebo."""


class BrowserParams(ProfileParams):
    """Base of the parameters of the actions on a page."""

    target_id: str | None = Field(default=None, max_length=32)
    """Page, as list_pages names it; left out: the current page."""


class ElementParams(BrowserParams):
    """Base of the parameters of actions on an element."""

    ref: str | None = Field(default=None, max_length=2_000)
    """Element, by ref, such as e14, or as a target: `button "Add" in row "Rake"`."""
    selector: str | None = Field(default=None, max_length=2_000)
    """Element, by a CSS selector that matches it alone."""

    @model_validator(mode="after")
    def _one_element(self) -> Self:
        if self.ref and self.selector:
            raise UsageError("Give ref or selector, not both.")
        return self
