"""A profile, as far as its pages ask it."""

from typing import Protocol

from strap import Secrets
from strap_browser.pages.memory import MemoryLimit
from strap_browser.pages.rules.profile_rules import ProfileRules


class ProfileFacts(Protocol):
    """A profile, as far as its pages ask it."""

    private: bool

    @property
    def name(self) -> str:
        """The name that calls give."""

    @property
    def secrets(self) -> Secrets:
        """Secrets that no answer may show."""

    @property
    def rules(self) -> ProfileRules:
        """Rules of the settings for its pages."""

    @property
    def memory(self) -> MemoryLimit:
        """Limit on the browsers' memory."""

    def next_id(self) -> str:
        """Return a tab handle that no page had."""

    def check_room(self) -> None:
        """Raise `ActionError` where no other page may be opened."""
