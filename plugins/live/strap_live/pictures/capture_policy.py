"""Choice of screencast or stills for a page, so that to watch the agent does not slow it.

A screencast costs nothing while a page rests, and a whole core while it moves, whatever its pace:
the agent's clicks took two to ten times as long. A still costs 40 ms. So stills are taken while the
agent is at work and of pages that move by themselves; the screencast runs while the agent does
nothing, and while a person holds the page.
"""

from collections import deque
from math import inf

from strap import record

AT_WORK = 2.0
"""Seconds after an action in which the next one is likely to come."""
WORK_STILLS = 0.5
"""Seconds between two stills while an action of the agent goes on."""
BUSY_STILLS = 1.0
"""Seconds between two stills while actions follow one another: not one in twenty meets a still."""
AFTERWARDS = 0.08
"""Seconds after an action until what came of it is shown: one that follows at once comes first."""
CLOSEST = 0.25
"""Seconds between two stills at least while the agent is at work."""
MOVING_STILLS = 0.2
"""Seconds between two stills of a page that moves by itself."""
RESTLESS = (6, 0.5)
"""So many frames in so many seconds, without anybody's input, and a page counts as moving."""
QUIET_STILLS = 3
"""Stills with the same bytes after which a page counts as at rest again."""
SHARP_AFTER = 0.8
"""Seconds without a change after which a page is shown so that small print can be read."""
SHARP = 85
"""JPEG quality of that."""


@record
class Plan:
    """Whether the screencast is to run, when the next still is due, and when to plan anew."""

    cast: bool
    still_at: float = inf
    sharp: bool = False
    again_at: float = inf


class CapturePolicy:
    """Decides for one page; all times are seconds of the caller's clock."""

    def __init__(self) -> None:
        self.held = False
        """Whether a person has the page in hand."""
        self.moving = False
        self.castless = False
        """Whether no screencast is to be had: not every remote browser has one."""
        self._acting = 0
        self._acted = -inf
        self._owed = True
        self._anew = False
        self._last_still = -inf
        self._changed = -inf
        self._sharp = False
        self._input = -inf
        self._same = 0
        self._frames: deque[float] = deque(maxlen=RESTLESS[0])

    def action_began(self) -> None:
        """The agent begins to act."""
        self._acting += 1

    def action_ended(self, now: float) -> None:
        """The agent has acted: the page is to be shown as it is now."""
        self._acting = max(0, self._acting - 1)
        self._acted, self._owed = now, True

    def person_acted(self, now: float) -> None:
        """A person moved, pressed or typed: what moves then does not move by itself."""
        self._input = now

    def look_anew(self) -> None:
        """Somebody may see the page who might not before, and it need not change for that."""
        self._anew = True

    def took_frame(self, now: float) -> None:
        """The screencast brought a picture."""
        self._changed, self._sharp, self._owed, self._anew = now, False, False, False
        if now - self._input < RESTLESS[1]:
            self._frames.clear()
            return
        self._frames.append(now)
        if len(self._frames) == RESTLESS[0] and now - self._frames[0] <= RESTLESS[1]:
            self.moving, self._same = True, 0
            self._frames.clear()

    def took_still(self, now: float, *, changed: bool, sharp: bool) -> None:
        """A still was taken."""
        self._last_still, self._owed, self._anew = now, False, False
        if sharp:
            self._sharp = True
            return
        self._same = 0 if changed else self._same + 1
        if changed:
            self._changed, self._sharp = now, False
        elif self._same >= QUIET_STILLS:
            self.moving = False

    def plan(self, now: float) -> Plan:
        """Return what to do."""
        if self.castless:
            pace = MOVING_STILLS if self.held else WORK_STILLS
            return Plan(cast=False, still_at=self._last_still + pace)
        if self.held:
            return self._cast()
        if self._acting or now - self._acted < AT_WORK:
            long = max(self._last_still, self._acted) + WORK_STILLS
            due = max(self._last_still + WORK_STILLS, min(self._last_still + BUSY_STILLS, long))
            if self._owed and not self._acting:
                due = max(self._acted + AFTERWARDS, self._last_still + CLOSEST)
            return Plan(cast=False, still_at=due, again_at=self._acted + AT_WORK)
        if self.moving:
            return Plan(cast=False, still_at=self._last_still + MOVING_STILLS)
        return self._cast()

    def _cast(self) -> Plan:
        if self._anew:
            return Plan(cast=True, still_at=self._last_still + CLOSEST)
        due = inf if self._sharp else self._changed + SHARP_AFTER
        return Plan(cast=True, still_at=due if self._changed > -inf else inf, sharp=True)
