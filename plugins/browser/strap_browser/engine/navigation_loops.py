"""Pages that go from one document to the next by themselves, without end."""

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from strap_browser.cdp.connection import CdpSession
from strap_browser.common.tasks import Tasks

DOCUMENTS = 10
SECONDS = 10.0
"""So many documents within so many seconds, of which the caller asked for none, are a loop."""


class NavigationLoopGuard:
    """Ends such a loop: the requests for further documents fail, and the page stays where it is.

    It may leave for what the caller asks for, and after an action for a place that the loop did
    not pass. `news` is called with what the caller should know, once the first request has failed:
    before that the page may be at its end by itself, or leave still, and a click would come to
    nothing.
    """

    def __init__(self, session: CdpSession, news: Callable[[str], None]) -> None:
        self._session = session
        self._news = news
        self._tasks = Tasks()
        self._recent: deque[tuple[float, str]] = deque(maxlen=DOCUMENTS)
        self._places: frozenset[str] = frozenset()
        self._frame = ""
        self._acted = False
        self._has_told = False
        self.holds = False
        """Whether the page is kept where it is."""
        session.on("Fetch.requestPaused", self._on_request)

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
        if len(self._recent) == DOCUMENTS and monotonic() - self._recent[0][0] < SECONDS:
            self.holds, self._acted, self._has_told = True, False, False
            self._places = frozenset(place for _, place in self._recent)
            documents = [{"resourceType": "Document"}]
            self._session.send("Fetch.enable", patterns=documents)

    async def release(self) -> None:
        """Let the page go where it likes."""
        if self.holds:
            self.holds = False
            self._recent.clear()
            await self._session.send("Fetch.disable")

    def _on_request(self, event: dict[str, Any]) -> None:
        if not self.holds:  # another one asked for it to be held
            return
        own = event["frameId"] == self._frame
        free = self._acted and _place(event["request"]["url"]) not in self._places
        self._tasks(self._answer(event["requestId"], fail=own and not free, release=own and free))

    async def _answer(self, request: str, *, fail: bool, release: bool) -> None:
        if fail:
            reason = "Aborted"
            await self._session.send("Fetch.failRequest", requestId=request, errorReason=reason)
            self._tell()
            return
        await self._session.send("Fetch.continueRequest", requestId=request)
        if release:
            await self.release()

    def _tell(self) -> None:
        if not self._has_told:
            self._has_told = True
            self._news("The page kept leaving by itself, without end: it is held here.")


def _place(url: str) -> str:
    """Return what of a URL stays the same where only its query or fragment counts on."""
    return urlsplit(url)._replace(query="", fragment="").geturl()
