"""Facts of what a place shows: its pages, its browser, where its agent acts."""

from collections.abc import Mapping
from dataclasses import field

from strap import record
from strap_browser.api import Tab

WORLD = "strap live"
"""The world of its own in which the live view asks a page: its scripts change nothing there."""


@record
class PageFacts:
    """A page, as far as it is known without asking it."""

    id: str
    target: str
    """The id of its target."""
    url: str
    current: bool = False
    asks_file: bool = False
    """Whether it asks for a file."""
    tab: Tab | None = None
    """The tab, where the page is one of a caller's."""


@record
class Reached:
    """Address of a browser, and the headers for it."""

    address: str
    headers: Mapping[str, str] = field(default_factory=dict)


@record
class Reach:
    """In which pages somebody acts: what tells whether two meet there."""

    pages: frozenset[str]
    """The targets, and a name of one's own: who has no page yet may open one."""
    browser: str = ""
    """The address of the browser, '' before there is one."""
    everywhere: bool = False
    """Whether all of its pages are meant, as those are that a user granted."""

    def meets(self, other: "Reach") -> bool:
        """Whether there is a page in which both act."""
        same = bool(self.browser) and self.browser == other.browser
        alike = same and (self.everywhere or other.everywhere)
        return alike or not self.pages.isdisjoint(other.pages)
