"""Pages that go from one document to the next by themselves, without end."""

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from strap_browser.engine.traffic.interception import DOCUMENTS, Interception, Interceptor
from strap_browser.engine.traffic.paused_request import Decision, Fail, PausedRequest

LOOP_LENGTH = 10
SECONDS = 10.0
"""So many documents within so many seconds, of which the caller asked for none, are a loop."""


class NavigationLoopGuard:
    """Ends such a loop: the requests for further documents fail, and the page stays where it is.

    It may leave for what the caller asks for, and after an action for a place that the loop did
    not pass. `news` is called with what the caller should know, once the first request has failed:
    before that the page may be at its end by itself, or leave still, and a click would come to
    nothing.
    """

    def __init__(self, interception: Interception, news: Callable[[str], None]) -> None:
        self._interception = interception
        self._interceptor = Interceptor(decide=self._decide, patterns=DOCUMENTS)
        self._news = news
        self._recent: deque[tuple[float, str]] = deque(maxlen=LOOP_LENGTH)
        self._places: frozenset[str] = frozenset()
        self._frame = ""
        self._acted = False
        self._has_told = False
        self.holds = False
        """Whether the page is kept where it is."""

    def on_action(self) -> None:
        """Note that the caller does something: where the page goes now may be of that."""
        self._recent.clear()
        self._acted = True

    def on_commit(self, frame: dict[str, Any]) -> None:
        """Note a new document of the main frame."""
        self._frame = frame["id"]
        if self.holds:  # it was asked for before the page was held
            return
        self._recent.append((monotonic(), _place(frame["url"])))
        if len(self._recent) == LOOP_LENGTH and monotonic() - self._recent[0][0] < SECONDS:
            self.holds, self._acted, self._has_told = True, False, False
            self._places = frozenset(place for _, place in self._recent)
            self._interception.add(self._interceptor)

    async def release(self) -> None:
        """Let the page go where it likes."""
        if self.holds:
            self.holds = False
            self._recent.clear()
            await self._interception.remove(self._interceptor)

    async def _decide(self, request: PausedRequest) -> Decision:
        if not self.holds or request.frame_id != self._frame:
            return None
        if self._acted and _place(request.url) not in self._places:
            await self.release()
            return None
        self._tell()
        return Fail()

    def _tell(self) -> None:
        if not self._has_told:
            self._has_told = True
            self._news("The page kept leaving by itself, without end: it is held here.")


def _place(url: str) -> str:
    """Return what of a URL stays the same where only its query or fragment counts on."""
    return urlsplit(url)._replace(query="", fragment="").geturl()
