"""One viewer's connection: what they ask for, and what they get."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from strap_browser.api import Tasks
from strap_live import messages
from strap_live.admission import Grant, Tickets
from strap_live.control.hold import Refused
from strap_live.history.answers import HistoryAnswers
from strap_live.history.past_runs import RunHistory
from strap_live.messages import (
    Ack,
    Answer,
    Beat,
    Close,
    CloseViews,
    Decline,
    Keep,
    Open,
    Order,
    Pace,
    PastEvents,
    PastRun,
    PastRuns,
    PastShot,
    Reply,
    Taken,
    Thumbnail,
    ViewerMessage,
)
from strap_live.orders import Orders
from strap_live.pictures.frames import THUMBNAIL
from strap_live.place import Place
from strap_live.places import Places
from strap_live.viewer import Viewer

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

NOT_ADMITTED = 4401
FLOOD = 4429
MOST_A_SECOND = 500
"""Messages of one viewer: a hand makes a tenth of it."""
LIST_PACE = 1.0
"""Seconds between two looks at which places there are."""
THUMBNAIL_PACE = 1.0
"""Seconds between two thumbnails of a place: who asks sooner gets none."""


class ViewerSession:
    """Serves one viewer from its first message on."""

    def __init__(
        self,
        socket: "ServerConnection",
        grant: Grant,
        places: Places,
        history: RunHistory,
        close_views: Callable[[Grant], None],
    ) -> None:
        """`close_views` ends everybody who sees no more than a grant."""
        self.grant = grant
        self.viewer = Viewer(socket, grant)
        self._socket = socket
        self._place: Place | None = None
        """Place that the viewer looks at."""
        self._places = places
        self._close_views = close_views
        self._listed: list[dict[str, object]] = []
        self._tasks = Tasks()
        self._orders = Orders(grant, self.viewer, self._tasks)
        self._past = HistoryAnswers(self.viewer, history, self._tasks)
        self._thumbnails: dict[str, float] = {}
        self._ended = False

    @classmethod
    async def greet(
        cls,
        socket: "ServerConnection",
        tickets: Tickets,
        places: Places,
        history: RunHistory,
        close_views: Callable[[Grant], None],
    ) -> "ViewerSession | None":
        """Take a ticket or a key; returns None where it is void. Raises `BadMessage`."""
        hello = messages.read_hello(await socket.recv())
        if hello.key is not None:
            key, grant = hello.key, tickets.open(hello.key)
        else:
            key, grant = tickets.redeem(hello.ticket or "") or ("", None)
        if grant is None:
            return None
        session = cls(socket, grant, places, history, close_views)
        session.viewer.tell(
            {"type": "welcome", "v": messages.PROTOCOL, "key": key, "role": grant.role,
             "place": grant.place}
        )  # fmt: skip
        return session

    async def serve(self) -> None:
        """Do what the viewer says until they are gone; raises `BadMessage`, `ConnectionClosed`."""
        self._tasks(self._list())
        count, second = 0, time.monotonic()
        async for text in self._socket:
            if self._ended:
                return  # what was sent before they knew
            now = time.monotonic()
            if now - second >= 1:
                count, second = 0, now
            count += 1
            if count > MOST_A_SECOND:
                self.end(FLOOD, "too many messages")
                return
            await self._take(messages.read(text))

    def end(self, code: int, reason: str) -> None:
        """Cut the viewer off, and do nothing more of what they say."""
        self._ended = True
        self.viewer.close(code, reason)

    async def aclose(self) -> None:
        """Send nothing any more, and look at nothing."""
        await self._leave()
        await self._tasks.aclose()
        await self.viewer.aclose()

    async def _take(self, message: ViewerMessage) -> None:
        match message:
            case Ack():
                self.viewer.drawn(message.seq)
            case Open():
                await self._open(message)
            case Close():
                await self._leave()
            case Pace():
                self.viewer.visible = message.visible
                if self._place is not None:
                    await self._place.reconcile()
            case Thumbnail():
                self._thumbnail(message.place)
            case PastRuns() | PastRun() | PastEvents() | PastShot():
                self._past.answer(message)
            case CloseViews():
                if self.grant.role == "control":
                    self._close_views(self.grant)
            case _:
                self._control(message)

    def _control(self, message: Taken) -> None:
        place = self._place
        if isinstance(message, Order | Keep | Decline | Reply | Answer):
            place = self._places.find(self.grant, message.place)
        if place is None:
            return
        try:
            match message:
                case Order():
                    self._orders.order(place, message)
                case Keep():
                    self._orders.keep(place, message)
                case Decline():
                    self._orders.decline(place, message)
                case Reply():
                    self._orders.reply(place, message)
                case Answer():
                    self._orders.answer(place, message)
                case Beat():
                    place.hold.beat(self.grant.key)
                case _:
                    self._orders.handle(place, message)
        except Refused as refused:
            self._orders.refuse(message.type, str(refused))

    async def _open(self, message: Open) -> None:
        place = self._places.find(self.grant, message.place)
        if place is None:
            self.viewer.tell({"type": "refused", "of": "open", "text": "It is over."})
            return
        if self._place is not place:
            await self._leave()
        self._place = place
        for entry in place.timeline.since(message.since):
            self.viewer.tell(entry)
        await place.look(self.viewer, message.page)

    async def _leave(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            place.leave(self.viewer)
            await place.reconcile()

    async def _list(self) -> None:
        while True:
            seen, key = self._places.seen_by(self.grant), self.grant.key
            listed = [{**place.summary(), "yours": place.hold.holder == key} for place in seen]
            if listed != self._listed or not self._listed:
                self._listed = listed
                self.viewer.tell({"type": "places", "places": listed})
            await asyncio.sleep(LIST_PACE)

    def _thumbnail(self, place_id: str) -> None:
        now = time.monotonic()
        if now - self._thumbnails.get(place_id, 0) < THUMBNAIL_PACE or not self.viewer.visible:
            return
        place = self._places.find(self.grant, place_id)
        if place is not None:
            self._thumbnails[place_id] = now
            self._tasks(self._send_thumbnail(place))

    async def _send_thumbnail(self, place: Place) -> None:
        frame = await place.thumbnail()
        if frame is not None:
            self.viewer.post(frame.packed(place.number, 0, kind=THUMBNAIL))
