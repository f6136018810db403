"""The screencast of a granted tab, for all clients that wish one: there is one in Chrome."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Protocol

from strap_browser.relay.outbox import Message

START, STOP, ACK = (
    f"Page.{verb}" for verb in ("startScreencast", "stopScreencast", "screencastFrameAck")
)
FRAME = "Page.screencastFrame"
Params = Mapping[str, Any]
Send = Callable[[str, Params, Callable[[Message], None]], None]


class Viewer(Protocol):
    """A client that sees the tab."""

    def event(self, method: str, params: Params) -> None:
        """Tell the client of an event."""

    def reply(self, number: Any, answer: Message) -> None:
        """Answer the client's command `number`."""


class Cast:
    """Runs as the client with the largest wish has it, while there is one.

    The quickest of several clients sets the pace: Chrome draws on when the first has a frame.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._wishes: dict[Viewer, Params] = {}
        self._runs = False
        self._owed = 0
        """Frames that nobody has acknowledged."""

    def run(self, view: Viewer, number: Any, method: str, params: Params) -> None:
        """Carry out a client's command."""
        if method == ACK:
            self._acknowledge(params)
            view.reply(number, {"result": {}})
        elif method == STOP:
            self.leave(view)
            view.reply(number, {"result": {}})
        else:
            self._wishes[view] = params
            self._begin(lambda answer: self._begun(view, number, answer))

    def frame(self, params: Params) -> None:
        """Pass a frame on to who wishes it."""
        self._owed += 1
        for view in list(self._wishes):
            view.event(FRAME, params)

    def leave(self, view: Viewer) -> None:
        """A client wishes no cast any more."""
        if self._wishes.pop(view, None) is None:
            return
        if self._wishes:
            self._begin(_ignore)
        else:
            self._runs = False
            self._send(STOP, {}, _ignore)

    def _begin(self, then: Callable[[Message], None]) -> None:
        if self._runs:  # Chrome starts none beside it
            self._send(STOP, {}, _ignore)
        self._runs, self._owed = True, 0
        self._send(START, max(self._wishes.values(), key=_sides), then)

    def _begun(self, view: Viewer, number: Any, answer: Message) -> None:
        if "error" in answer:
            self.leave(view)
        view.reply(number, answer)

    def _acknowledge(self, params: Params) -> None:
        if self._owed:
            self._owed -= 1
            self._send(ACK, params, _ignore)


def _sides(wish: Params) -> list[float]:
    """Return how large the pictures may be, in pixels, the shorter side first.

    Chrome refuses what are no numbers.
    """
    sides = [wish.get(side, inf) for side in ("maxWidth", "maxHeight")]
    return sorted(side if isinstance(side, int | float) else inf for side in sides)


def _ignore(_: Message) -> None:
    """Nobody needs the answer."""
