"""Holder of a place: the agent, nobody, or one viewer; and what waits meanwhile."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

from strap import ActionError
from strap.api.time_limits import time_is_over
from strap_browser.api import Tasks
from strap_live.control.actors import Actors

State = Literal["agent", "pausing", "paused", "held", "stopped"]
PATIENT = 0.8
"""The part of its time in which a call waits for a person."""
IN_FLIGHT = 4.5
"""Seconds that an action under way gets to end before it is broken off."""
LAST = 0.5
"""Seconds that it gets then: a run cannot be made to let go of the page."""
AWAY = 15.0
"""Seconds without a sign of the holder after which others may take over."""
IDLE = 600.0
"""Seconds without any input of the holder after which the agent goes on."""
WARNED = 30.0
"""Seconds before a hold ends by itself in which the person is asked whether to keep it."""
TOLD = 5.0
"""Seconds between two reports to a caller that waits."""
LOOK = 0.5
"""Seconds between two looks at the limits of a hold."""
ASK_USER = "Ask the user before going on."
WAIT = "Wait, then call again; `live` tells when it is handed back."
Report = Callable[[str], Awaitable[None]]


class Refused(Exception):
    """An order that is not carried out; the text says why."""


class Hold:
    """The state of one place; every change of it has a new `epoch`."""

    def __init__(
        self, actors: Actors, changed: Callable[[], None], *, hold_s: float, away_s: float
    ) -> None:
        """`changed` is called after each change of the state."""
        self.state: State = "agent"
        self.epoch = 0
        self.holder = ""
        """The key of the viewer that has it in hand, or is about to."""
        self.shared = False
        """Whether the holder lets others see the pages."""
        self.since = time.monotonic()
        self.ended: Callable[[float], None] = _nothing
        """Told when a hold is over, and how long it was."""
        self._actors = actors
        self._parked = True
        self._changed = changed
        self._hold_s, self._away_s = hold_s, away_s
        self._free = asyncio.Event()
        self._free.set()
        self._ordered = Tasks()
        """Orders of the holder that have not reached the page."""
        self._began = 0.0
        self._extended = False
        """Whether somebody has kept it beyond its time, which goes once."""
        self._beat = self._input = 0.0
        self._watch: asyncio.Task[None] | None = None

    @property
    def shut(self) -> bool:
        """Whether the agent may not act."""
        return not self._free.is_set()

    @property
    def private(self) -> bool:
        """Whether a person has it in hand, so that nobody else sees it and nothing is kept."""
        return bool(self.holder)

    @property
    def seconds(self) -> float:
        """How long the present state has lasted."""
        return time.monotonic() - self.since

    @property
    def lasted(self) -> float:
        """How long the agent has been kept, all in all."""
        return time.monotonic() - self._began

    @property
    def ends(self) -> float | None:
        """When it ends by itself, in seconds since 1970, None where that is not soon."""
        left = self._left
        return round(time.time() + left) if left is not None and left < WARNED else None

    @property
    def _left(self) -> float | None:
        if not self.shut:
            return None
        now, twice = time.monotonic(), 1 + self._extended
        over = self._began + self._hold_s * twice - now
        return min(over, self._input + IDLE - now) if self.holder else over

    def keep(self, key: str, epoch: int) -> None:
        """Go on with it, for its whole time once more, which goes once; raises `Refused`."""
        self._expect(epoch, "paused", "held")
        if self.holder not in ("", key):
            raise Refused("Somebody else has control.")
        self.moved()
        self._extended = True

    def pause(self, epoch: int) -> None:
        """Let no further action begin; raises `Refused`."""
        self._expect(epoch, "agent")
        self._shut("")

    def take(self, key: str, epoch: int) -> bool:
        """Give it to a viewer as soon as what is under way has ended; raises `Refused`.

        Returns False where that viewer has it already.
        """
        if self.holder == key and self.state in ("held", "pausing"):
            self._beat = time.monotonic()  # the same viewer, back again
            return False
        if self.holder and time.monotonic() - self._beat < AWAY:
            raise Refused("Somebody else has control.")
        self._expect(epoch, "agent", "paused", "held", "pausing", "stopped")
        self._beat = self._input = time.monotonic()
        self._shut(key)
        return True

    def resume(self, epoch: int, key: str = "") -> None:
        """Let the agent go on; raises `Refused`."""
        self._expect(epoch, "paused", "held", "pausing", "stopped")
        if self.holder and self.holder != key:
            raise Refused("Somebody else has control.")
        self.release()

    def stop(self, epoch: int) -> None:
        """Refuse what the agent asks for until somebody resumes; raises `Refused`."""
        self._expect(epoch, "agent", "pausing", "paused")
        self._actors.stop(_stopped("Broken off: "))
        if self.state == "agent":
            self._began = time.monotonic()
        self.holder = ""  # whoever was about to take control does not get it
        self._free.set()
        self._become("stopped")

    def beat(self, key: str) -> None:
        """Take note that the holder is there."""
        if key == self.holder:
            self._beat = time.monotonic()

    def moved(self) -> None:
        """Take note of the holder's input."""
        self._input = self._beat = time.monotonic()

    def expect_holder(self, key: str, epoch: int) -> None:
        """Raise `Refused` unless the viewer has it in hand, now."""
        if self.state != "held" or key != self.holder:
            raise Refused("You do not have control.")
        if epoch != self.epoch:
            raise Refused("That came too late.")

    def share(self, key: str, epoch: int, *, on: bool) -> None:
        """Let others see what the holder does, or nobody again; raises `Refused`."""
        self.expect_holder(key, epoch)
        self.shared = on
        self._changed()

    def release(self) -> None:
        """Let the agent go on, whoever has it in hand."""
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        self._watch = None
        had, lasted = self.holder, self.lasted
        self.holder, self.shared = "", False
        self._become("agent")
        if had:
            self.ended(lasted)
        self._free.set()
        self._actors.unpark(lasted)

    def order(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do in the pages what the holder wants, as far as that begins while they hold them."""
        return self._ordered(work)

    async def passes(self, limit: float, report: Report) -> None:
        """Return as soon as the agent may act.

        Raises `ActionError`: "in_use" where a person keeps it for too long; "stopped_by_person".
        """
        try:
            await self._wait(limit * PATIENT, report)
        except asyncio.CancelledError:
            if not time_is_over():
                raise
            raise self._in_use() from None  # a busy machine let all of its time pass at once
        if self.state == "stopped":
            raise _stopped()

    async def aclose(self) -> None:
        """End it: nobody waits any more."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch})
        await self._ordered.aclose()
        self.ended = _nothing
        self._free.set()
        self._actors.unpark(0)

    async def _wait(self, limit: float, report: Report) -> None:
        end = time.monotonic() + limit
        while self.shut:
            left = end - time.monotonic()
            if left <= 0:
                raise self._in_use()
            try:
                async with asyncio.timeout(min(left, TOLD)):
                    await self._free.wait()
            except TimeoutError:
                await report(f"waiting for a person in the live view ({self.seconds:.0f} s)")

    def _in_use(self, how: str = "") -> ActionError:
        did = "has control of" if self.holder else "paused"
        text = f"{how}A person {did} this browser in the live view (for {self.seconds:.0f} s)."
        return ActionError(text, hint=WAIT, code="in_use", retryable=True)

    def _expect(self, epoch: int, *states: State) -> None:
        if epoch != self.epoch:
            raise Refused("That came too late.")
        if self.state not in states:
            raise Refused("Not now.")

    def _shut(self, key: str) -> None:
        """Close the gate; it is in hand when nothing of the agent is under way."""
        if not self.shut or not self._began or self.state == "agent":
            self._began, self._extended = time.monotonic(), False
        self._free.clear()
        self.holder, self.shared = key, False
        self._become("pausing")
        self._parked = self._actors.park(self._agent_parked)
        self._settle()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._look(), name="watch a hold")

    def _agent_parked(self) -> None:
        self._parked = True
        self._settle()

    def _settle(self) -> None:
        if self.state == "pausing" and self._parked:
            self._become("held" if self.holder else "paused")

    def _become(self, state: State) -> None:
        self._ordered.cancel()
        self.state, self.since = state, time.monotonic()
        self.epoch += 1
        self._changed()

    async def _look(self) -> None:
        """Break off what does not end, and end a hold that was forgotten."""
        while self.shut:
            await asyncio.sleep(LOOK)
            now = time.monotonic()
            if self.state == "pausing" and self.seconds > IN_FLIGHT:
                epoch = self.epoch
                self._actors.break_off(self._in_use("Broken off: "))
                await asyncio.sleep(LAST)
                if epoch == self.epoch:
                    self._agent_parked()
            away = self.holder and now - self._beat > AWAY + self._away_s
            if self._left is not None and (away or self._left < 0):
                self.release()


def _nothing(_: float) -> None:
    """Tell nobody."""


def _stopped(how: str = "") -> ActionError:
    text = f"{how}A person stopped the agent in the live view."
    return ActionError(text, hint=ASK_USER, code="stopped_by_person")
