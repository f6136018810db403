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

    def order(self, place: Place, message: Order) -> None:
        """Pause, resume, stop, take or give."""
        self._may()
        hold, key = place.hold, self._grant.key
        if message.type == "stop" and isinstance(place.subject, RunSubject):
            place.subject.run.stop("cancelled", by_person=True)
        elif message.type == "take":
            if place.holding is not hold:
                raise Refused("The pages are in a person's hands already.")
            if not hold.take(key, message.epoch):
                return
        elif message.type in ("give", "resume"):
            if self._on_the_way(place):
                self._tasks(self._give_at_last(place, message))
            else:
                self._resume(place, message)
            return
        elif message.type == "pause":
            hold.pause(message.epoch)
        else:
            hold.stop(message.epoch)
        self._note(place, message)

    def _resume(self, place: Place, message: Order) -> None:
        lasted = place.hold.lasted
        place.hold.resume(message.epoch, self._grant.key)
        self._note(place, message, lasted)

    def _note(self, place: Place, message: Order, seconds: float | None = None) -> None:
        LINES.info("live %s: place %s", message.type, place.id)
        place.timeline.person(DONE[message.type], seconds)

    def keep(self, place: Place, message: Keep) -> None:
        """Go on with a hold that is about to end by itself."""
        self._may()
        place.hold.keep(self._grant.key, message.epoch)

    def decline(self, place: Place, message: Decline) -> None:
        """Refuse what the agent asks for."""
        self._may()
        reason = f": {message.reason}" if message.reason.strip() else "."
        place.questions.answer(f"The person declined{reason}")

    def reply(self, place: Place, message: Reply) -> None:
        """Answer in words, which stay out of log and timeline."""
        self._may()
        try:
            place.questions.reply(message.text)
        except StrapError as error:
            raise Refused(str(error)) from None

    def answer(self, place: Place, message: Answer) -> None:
        """Say yes or no to what the agent is about to do."""
        self._may()
        if place.holding.holder not in ("", self._grant.key):
            raise Refused("Somebody else has control.")
        action = place.questions.say(message.number, yes=message.yes)
        answer = "yes" if message.yes else "no"
        LINES.info("live %s to %s: place %s", answer, action, place.id)
        place.timeline.person(f"said {answer} to {action}")

    def handle(self, place: Place, message: Handled) -> None:
        """Do in the page what the holder's hands do."""
        self._may()
        place.hold.expect_holder(self._grant.key, message.epoch)
        place.hold.moved()
        match message:
            case Go():
                self._start(place, self._go(place, message))
            case OfPages():
                self._start(place, self._pages(place, message))
            case AnswerDialog():
                answering = place.steering.answer_dialog(accept=message.accept, text=message.text)
                self._start(place, answering)
            case Share():
                LINES.info("live share %s: place %s", "on" if message.on else "off", place.id)
                place.share(self._grant.key, message.epoch, on=message.on)
            case Mouse() | Key() | Text() | Choose() | Copy():
                self._queue(place, message)

    def _queue(self, place: Place, message: Handed) -> None:
        """Do it after all that came before: a press may have to wait until a list is looked for."""
        hand, capture = place.hand(self._looker), place.capture(self._looker)
        if hand is None or hand.slow or len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            raise Refused(SLOW)
        if isinstance(message, Mouse) and message.kind == "down" and message.width:
            size = message.width, message.height
            if capture is None or capture.is_stale(size, message.at / 1_000):
                raise Refused(MOVED)
        if capture is not None:
            capture.person_acted()
        self._waiting.append((hand, message))
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

    async def _give_at_last(self, place: Place, message: Order) -> None:
        """Hand back when what was ordered and typed before has arrived, or say that it has not."""
        arrived = await self._arrives(place)
        self._waiting.clear()
        try:
            self._resume(place, message)
        except Refused as refused:
            self.refuse(message.type, str(refused))
            return
        if not arrived:
            self.refuse(message.type, UNSURE)

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
            hand, message = self._waiting.popleft()
            if _late(place, message):
                continue
            match message:
                case Key():
                    await self._key(place, hand, message)
                case Text():
                    hand.text(message.text)
                case Choose():
                    hand.choose(message.index)
                case Copy():
                    text = await hand.selected()
                    if not _late(place, message):
                        self._looker.tell({"type": "copied", "text": text})
                case Mouse():
                    await self._mouse(place, hand, message)

    async def _key(self, place: Place, hand: Hand, message: Key) -> None:
        options = await hand.list_opened_by(message)
        if _late(place, message):
            return
        if options is None:
            hand.key(message)
        else:
            self._show_list(place, options)

    async def _mouse(self, place: Place, hand: Hand, message: Mouse) -> None:
        options = None
        if message.kind == "down" and message.button == 0:
            options = await hand.list_at(message.x, message.y)
        if _late(place, message):
            return
        if options is None:
            hand.mouse(message)
        else:
            self._show_list(place, options)

    def _show_list(self, place: Place, options: list[dict[str, Any]]) -> None:
        self._looker.tell({"type": "menu", "place": place.id, "options": options})

    async def _go(self, place: Place, message: Go) -> None:
        try:
            url = with_scheme(message.url) if message.url else ""
            await place.steering.go(place.seen_by(self._looker), message.to, url)
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

    async def _pages(self, place: Place, message: OfPages) -> None:
        shown = message.page
        try:
            if message.op == "new":
                shown = await place.steering.open(place.seen_by(self._looker))
            elif message.op == "close":
                await place.steering.close(message.page)
            else:
                place.steering.turn_to(message.page)
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


def _late(place: Place, message: Handled) -> bool:
    return message.epoch != place.hold.epoch
