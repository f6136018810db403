"""What a place shows, as far as a place needs to know."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from strap import record
from strap_agent.person.pause import Person
from strap_browser.api import Box, CdpSession, Tab

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
    """Where a browser is reached."""

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


class Subject(Protocol):
    """What a place shows."""

    kind: str
    title: str
    profile: str
    owner: str
    """The caller key of a session; of a run, who may see it."""
    run_id: str
    """The id under which it is kept; '' where nothing is."""

    @property
    def over(self) -> bool:
        """Whether there is nothing to see any more."""

    def pages(self) -> list[PageFacts]:
        """Return its pages."""

    def reach(self) -> Reach:
        """Return where its agent acts."""

    def reached(self) -> Reached | None:
        """Return where its browser is reached, None while there is none."""

    def hide(self, text: str) -> str:
        """Return a text without what nobody is to see."""

    def doing(self) -> Mapping[str, Any]:
        """Return what the agent does: its `step`, and since when it is `thinking`."""

    def pointer(self) -> tuple[float, float] | None:
        """Return where the agent's mouse is, if it is known."""

    async def aim(self, session: CdpSession) -> Box | None:
        """Return where the agent acts; see `Aiming`."""

    def hush(self, *, hushed: bool) -> None:
        """Keep nothing of what the pages say, as long as a person types there."""

    def keep(self, picture: bytes, at: float) -> None:
        """Keep how the current page looked `at`, where that is kept at all."""

    def tell_agent(self, text: str) -> None:
        """Have the agent told with its next answer."""

    def goes_on(self, seconds: float) -> str:
        """Return what a run is told that waited for so many seconds, as its pages were in hand."""

    def watched(self, person: Person) -> None:
        """Take note that somebody watches who may be asked."""

    async def go(self, page: PageFacts, session: CdpSession, to: str, url: str) -> None:
        """Have a page go to `url`, "back", "forward" or "reload"; `session` is one with it.

        Raises `PolicyDenied` where it may not go, `CdpError`.
        """

    async def open_page(self, session: CdpSession) -> str:
        """Open a page, and return its id; `session` is one with the page that is seen.

        Raises `ActionError` where there are too many, `CdpError`.
        """

    async def close_page(self, page: PageFacts) -> None:
        """Close a page; raises `CdpError`."""

    def turn_to(self, page: PageFacts) -> None:
        """Have the agent go on there, where that is not the agent's own affair."""
