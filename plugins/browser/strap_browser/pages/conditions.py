"""What holds for all pages of a caller: rules for requests, and what pages are shown."""

from strap_browser.engine.emulation import Emulation
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.mocks import Mocks


class Conditions:
    """The rules and the emulation of one caller."""

    def __init__(self) -> None:
        self.mocks = Mocks()
        self.emulation = Emulation()

    def follow(self, page: Page) -> None:
        """Have them hold for a further page, and for the windows that it opens."""
        self.mocks.follow(page.traffic.interception)
        page.targets.share(self.emulation)
