"""What holds for all pages of a caller: rules for requests, and what pages are shown."""

from typing import Any, Protocol

from strap_browser.engine.emulation import Emulation
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.holding import Holding
from strap_browser.engine.traffic.mocks import Mocks


class Owner(Protocol):
    """Whose pages they are."""

    current: Any
    """The tab of the last call."""


class Conditions:
    """The rules and the emulation of one caller."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.holding = Holding(self._tell)
        self.mocks = Mocks()
        self.emulation = Emulation()

    def follow(self, page: Page) -> None:
        """Have them hold for a further page, and for the windows that it opens."""
        self.mocks.follow(page.traffic.interception)
        self.holding.follow(page.traffic.interception)
        page.targets.share(self.emulation)

    def _tell(self, text: str) -> None:
        """Have the next answer tell it, with no value of a secret."""
        tab = self._owner.current
        if tab is not None:
            tab.note(tab.secrets.hide(text))
