"""State of a Firefox that strap drives, and the events that it tells."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

from strap_browser.api import Tasks, WebSocket
from strap_firefox.bidi import BidiConnection
from strap_firefox.downloads import Running
from strap_firefox.input_queue import InputQueue
from strap_firefox.navigations import Histories, Navigations
from strap_firefox.tables import BrowsingContext, BrowsingContexts, Worlds

Params = dict[str, Any]


class FirefoxSession:
    """A session of WebDriver BiDi, and what its events told."""

    def __init__(self, socket: WebSocket) -> None:
        self.bidi = BidiConnection(socket)
        self.contexts = BrowsingContexts()
        self.worlds = Worlds()
        self.histories = Histories()
        self.navigations = Navigations()
        self.downloads = Running()
        self.answers: dict[str, Params] = {}
        """Heads of answers, by the ids of their requests."""
        self.streams: dict[str, Params] = {}
        """Contents of documents that are to be read (answers to `IO.read`)."""
        self.prompts: dict[str, str] = {}
        """The frame whose dialog holds a page."""
        self.intercepts: dict[str, tuple[str, bool]] = {}
        """Per page, what holds its requests, and whether only those for documents."""
        self.drags: dict[str, str] = {}
        """Per page that may begin a drag now, the frame in which it did, "" before."""
        self.product = "Firefox"
        self.world = ""
        """The sandbox of the engine's script, in each document."""
        self.take: Callable[[bytes | str], None] = _nobody
        """Takes what is told, as messages of the DevTools protocol."""
        self._inputs: dict[str, InputQueue] = {}
        self._ids = count(1)
        self.start = Tasks()
        """Starts work that ends with the session."""

    def tell(self, session: str, method: str, /, **params: Any) -> None:
        """Tell of an event in a session, "" for the browser's own."""
        message: Params = {"method": method, "params": params}
        if session:
            message["sessionId"] = session
        self.take(json.dumps(message))

    def input_of(self, page: str) -> InputQueue:
        """Return what carries out what is asked of the mouse and keyboard of a page."""
        if page not in self._inputs:
            self._inputs[page] = InputQueue(self.bidi, self.prompts, page, self.world)
        return self._inputs[page]

    def forget(self, page: BrowsingContext) -> None:
        """Forget a page that is gone."""
        self._inputs.pop(page.id, None)
        self.drags.pop(page.id, None)
        self.intercepts.pop(page.id, None)
        self.prompts.pop(page.id, None)
        self.histories.forget(page.id)

    def new_id(self) -> str:
        """Return an id that was never given before."""
        return f"strap-{next(self._ids)}"


def _nobody(_: bytes | str) -> None:
    """Take nothing: nobody listens yet."""
