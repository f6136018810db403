"""Orders of a viewer with the right to control, by mouse and keyboard too."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Coroutine
from typing import Any

from strap import StrapError, with_scheme
from strap_browser.api import (
    ABORTED,
    CdpError,
    DownloadStarted,
    NavigationFailed,
    Tasks,
    WouldResend,
)
from strap_live.admission import Grant
from strap_live.control.hand import Hand
from strap_live.control.hold import Refused
from strap_live.messages import (
    Answer,
    AnswerDialog,
    Choose,
    Copy,
    Decline,
    Go,
    Handled,
    Keep,
    Key,
    Mouse,
    OfPages,
    Order,
    Reply,
    Share,
    Text,
)
from strap_live.place import Place
from strap_live.subjects.run import RunSubject
from strap_live.subjects.telling import dialog_of
from strap_live.viewer import Viewer

LINES = logging.getLogger("strap.audit")
MOST_WAITING = 200
"""Messages that wait for a page; one that takes none any more gets none late."""
DONE = {
    "pause": "paused the agent",
    "resume": "let the agent go on",
    "stop": "stopped the agent",
    "take": "took control",
    "give": "handed back",
}
"""How the timeline tells of orders."""
ARRIVAL = 5.0
"""Seconds that what was typed gets to arrive before it is handed back, as any command."""
LOOK = 0.1
"""Seconds between two looks at whether a dialog keeps the page from taking it."""
Handed = Mouse | Key | Text | Choose | Copy
SLOW = "The page does not answer."
ENDED = "Your control ended before that was done."
UNSURE = "The agent goes on. The page has not said that it took all that you did: it may come late."
MOVED = "The page has changed meanwhile: look again."


class Orders:
    """Carries out the orders of one viewer; raises `Refused` for what is not to be."""

    def __init__(self, grant: Grant, looker: Viewer, tasks: Tasks) -> None:
        self._grant = grant
        self._looker = looker
        self._tasks = tasks
        self._waiting: deque[tuple[Hand, Handed]] = deque()
        """Input of the holder, in order, with the hand for each."""
        self._work: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    def order(self, place: Place, told: Order) -> None:
        """Pause, resume, stop, take or give."""
        self._may()
        hold, key = place.hold, self._grant.key
        if told.type == "stop" and isinstance(place.subject, RunSubject):
            place.subject.run.stop("cancelled", by_person=True)
        elif told.type == "take":
            if place.holding is not hold:
                raise Refused("The pages are in a person's hands already.")
            if not hold.take(key, told.epoch):
                return
        elif told.type in ("give", "resume"):
            if self._on_the_way(place):
                self._tasks(self._give_at_last(place, told))
            else:
                self._resume(place, told)
            return
        elif told.type == "pause":
            hold.pause(told.epoch)
        else:
            hold.stop(told.epoch)
        self._note(place, told)

    def _resume(self, place: Place, told: Order) -> None:
        lasted = place.hold.lasted
        place.hold.resume(told.epoch, self._grant.key)
        self._note(place, told, lasted)

    def _note(self, place: Place, told: Order, seconds: float | None = None) -> None:
        LINES.info("live %s: place %s", told.type, place.id)
        place.timeline.person(DONE[told.type], seconds)

    def keep(self, place: Place, told: Keep) -> None:
        """Go on with a hold that is about to end by itself."""
        self._may()
        place.hold.keep(self._grant.key, told.epoch)

    def decline(self, place: Place, told: Decline) -> None:
        """Refuse what the agent asks for."""
        self._may()
        reason = f": {told.reason}" if told.reason.strip() else "."
        place.questions.answer(f"The person declined{reason}")

    def reply(self, place: Place, told: Reply) -> None:
        """Answer in words, which stay out of log and timeline."""
        self._may()
        try:
            place.questions.reply(told.text)
        except StrapError as error:
            raise Refused(str(error)) from None

    def answer(self, place: Place, told: Answer) -> None:
        """Say yes or no to what the agent is about to do."""
        self._may()
        if place.holding.holder not in ("", self._grant.key):
            raise Refused("Somebody else has control.")
        action = place.questions.say(told.number, yes=told.yes)
        said = "yes" if told.yes else "no"
        LINES.info("live %s to %s: place %s", said, action, place.id)
        place.timeline.person(f"said {said} to {action}")

    def handle(self, place: Place, told: Handled) -> None:
        """Do in the page what the holder's hands do."""
        self._may()
        place.hold.expect_holder(self._grant.key, told.epoch)
        place.hold.moved()
        match told:
            case Go():
                self._start(place, self._go(place, told))
            case OfPages():
                self._start(place, self._pages(place, told))
            case AnswerDialog():
                answering = place.steering.answer_dialog(accept=told.accept, text=told.text)
                self._start(place, answering)
            case Share():
                LINES.info("live share %s: place %s", "on" if told.on else "off", place.id)
                place.share(self._grant.key, told.epoch, on=told.on)
            case Mouse() | Key() | Text() | Choose() | Copy():
                self._queue(place, told)

    def _queue(self, place: Place, told: Handed) -> None:
        """Do it after all that came before: a press may have to wait until a list is looked for."""
        hand, capture = place.hand(self._looker), place.capture(self._looker)
        if hand is None or hand.slow or len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            raise Refused(SLOW)
        if isinstance(told, Mouse) and told.kind == "down" and told.width:
            size = told.width, told.height
            if capture is None or capture.is_stale(size, told.at / 1_000):
                raise Refused(MOVED)
        if capture is not None:
            capture.person_acted()
        self._waiting.append((hand, told))
        if self._work is None or self._work.done():
            self._work = self._start(place, self._hand_on(place))

    def _start(self, place: Place, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = place.hold.order(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def _on_the_way(self, place: Place) -> set[asyncio.Future[Any]]:
        hand = place.hand(self._looker)
        return {*self._under_way, *(hand.under_way if hand else ())}

    async def _give_at_last(self, place: Place, told: Order) -> None:
        """Hand back when what was ordered and typed before has arrived, or say that it has not."""
        arrived = await self._arrives(place)
        self._waiting.clear()
        try:
            self._resume(place, told)
        except Refused as refused:
            self.refuse(told.type, str(refused))
            return
        if not arrived:
            self.refuse(told.type, UNSURE)

    async def _arrives(self, place: Place) -> bool:
        """Wait for what is on the way; False where it takes too long.

        What opens a dialog is answered when that is closed, which the agent may do.
        """
        end = time.monotonic() + ARRIVAL
        while sent := self._on_the_way(place):
            if not self._under_way and dialog_of(place.subject) is not None:
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            await asyncio.wait(sent, timeout=min(left, LOOK))
        return True

    async def _hand_on(self, place: Place) -> None:
        while self._waiting:
            hand, told = self._waiting.popleft()
            if _late(place, told):
                continue
            match told:
                case Key():
                    await self._key(place, hand, told)
                case Text():
                    hand.text(told.text)
                case Choose():
                    hand.choose(told.index)
                case Copy():
                    text = await hand.selected()
                    if not _late(place, told):
                        self._looker.tell({"type": "copied", "text": text})
                case Mouse():
                    await self._mouse(place, hand, told)

    async def _key(self, place: Place, hand: Hand, told: Key) -> None:
        options = await hand.list_opened_by(told)
        if _late(place, told):
            return
        if options is None:
            hand.key(told)
        else:
            self._show_list(place, options)

    async def _mouse(self, place: Place, hand: Hand, told: Mouse) -> None:
        options = None
        if told.kind == "down" and told.button == 0:
            options = await hand.list_at(told.x, told.y)
        if _late(place, told):
            return
        if options is None:
            hand.mouse(told)
        else:
            self._show_list(place, options)

    def _show_list(self, place: Place, options: list[dict[str, Any]]) -> None:
        self._looker.tell({"type": "menu", "place": place.id, "options": options})

    async def _go(self, place: Place, told: Go) -> None:
        try:
            url = with_scheme(told.url) if told.url else ""
            await place.steering.go(place.seen_by(self._looker), told.to, url)
        except asyncio.CancelledError:
            self.refuse("go", ENDED)
            raise
        except (Refused, StrapError) as error:
            self.refuse("go", str(error))
        except DownloadStarted:
            return  # the page stays
        except WouldResend as failed:
            self.refuse("go", f"The page was not loaded again. {failed}")
        except NavigationFailed as failed:
            if failed.reason != ABORTED:  # as where somebody went elsewhere meanwhile
                self.refuse("go", f"The page did not get there: {failed.reason}.")
        except CdpError:
            self.refuse("go", SLOW)

    async def _pages(self, place: Place, told: OfPages) -> None:
        shown = told.page
        try:
            if told.op == "new":
                shown = await place.steering.open(place.seen_by(self._looker))
            elif told.op == "close":
                await place.steering.close(told.page)
            else:
                place.steering.turn_to(told.page)
            await place.turn(self._looker, shown)
        except asyncio.CancelledError:
            self.refuse("page", ENDED)
            raise
        except (Refused, StrapError) as error:
            self.refuse("page", str(error))
        except CdpError:
            self.refuse("page", SLOW)

    def refuse(self, what: str, why: str) -> None:
        """Tell that something is not carried out."""
        self._looker.tell({"type": "refused", "of": what, "text": why})

    def _may(self) -> None:
        if self._grant.role != "control":
            raise Refused("This link is for watching only.")


def _late(place: Place, told: Handled) -> bool:
    return told.epoch != place.hold.epoch
