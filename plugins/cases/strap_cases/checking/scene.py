"""Scene for checks: the page of a case, its runs, the answer of the agent."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from strap import Result, record
from strap_cases.checking.matching import Matching


class Session(Protocol):
    """The calls of one attempt."""

    page: str

    async def call(self, resource: str, action: str, /, **fields: Any) -> Result:
        """Make a call; raises `StrapError`."""

    async def on_page(self, action: str, /, **fields: Any) -> Result:
        """Call an action of the browser on the page of the case; raises `StrapError`."""

    async def act(self, action: str, /, *, awaits_news: bool, **fields: Any) -> Result:
        """Act on the page of the case; raises `StrapError`.

        With `awaits_news` the page has a moment to change, where nothing came of it at once.
        """

    async def pages(self) -> list[str]:
        """Return the ids of all pages that the case has open; raises `StrapError`."""


@record
class Scene:
    """Everything that checks can look at."""

    session: Session
    base_url: str
    runs: Sequence[str] = ()
    """The runs of the agent so far, by their ids."""
    answer: str = ""
    until: float = 0
    """When what is wanted has to be there, by the clock of `time.monotonic`."""
    matching: Matching = field(default_factory=Matching)
    """Ended by whoever has made the checks."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Whether something is so, None where it cannot be known; and what was seen."""

    met: bool | None
    seen: str = ""
    instead: Callable[[], Awaitable[str]] | None = None
    """Looks for what is there instead of it, which takes longer; raises `StrapError`."""
