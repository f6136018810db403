"""Whether a text is to be seen on a page, in whatever frame."""

import asyncio
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.cdp.errors import CdpError

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.page_state import PageState

FIRST_LOOK, LONGEST_LOOK = 0.8, 3.0
"""Seconds for which a document looks for a text, at first and at most; it stands still for them."""
ANSWER = 1.5
"""Times as long as it looks a document may take to answer."""
REST = 0.25
"""Times as long as it has looked a document is left alone before it looks for longer."""


async def is_drawn(state: "PageState", text: str) -> bool | None:
    """Return whether the text is to be seen in any frame of the page, None where that is open."""
    return await Sight(state, text).look()


class Sight:
    """A text that is looked for on a page until it is to be seen in any frame, or `gone` from all.

    A page that is not looked through in the time for that is looked at for twice as long the next
    time, no longer than `until`, in seconds of the monotonic clock.
    """

    def __init__(
        self, state: "PageState", text: str, *, gone: bool = False, until: float = inf
    ) -> None:
        self._state = state
        self._text = text
        self._gone = gone
        self._until = until
        self._longest = FIRST_LOOK
        self._cut = self.is_cut = False
        """Whether the last look that was answered ended before all of the page was looked at."""
        self.rest = 0.0
        """Seconds for which the page is to be left alone now."""

    async def look(self) -> bool | None:
        """Return whether it is so, None where that is not known.

        Of a frame that does not answer nobody knows that the text is gone.
        """
        page = self._state.tab.page
        frames = (page.main_frame, *page.inner_frames)
        limit = max(0.0, min(self._longest, self._until - monotonic()))
        self._cut = False
        answers = await asyncio.gather(*(self._has(frame, limit) for frame in frames))
        self.is_cut = self._cut
        self.rest = limit * REST if self.is_cut else 0.0
        if self.is_cut:
            self._longest = min(2 * self._longest, LONGEST_LOOK)
        if any(answers):
            return not self._gone
        return None if None in (answers if self._gone else answers[:1]) else self._gone

    async def _has(self, frame: "Frame", limit: float) -> bool | None:
        state = self._state
        params = {"text": self._text, "most_ms": limit * 1000}
        try:
            async with asyncio.timeout(max(limit, FIRST_LOOK) * ANSWER):
                answer = (await state.ask_in(frame, "has", **params))["found"]
                self._cut |= answer is None
                return await frame.is_shown() if answer else answer
        except (CdpError, ActionError, TimeoutError):
            if frame == state.tab.page.main_frame and not state.tab.alive:
                raise
            return None


def too_large(name: str) -> ActionError:
    """Return the error of a page on which the text of that name is neither found nor ruled out."""
    return ActionError(
        f"The page is too large to be looked through for {name} in that time.",
        hint="Give a longer timeout, or a selector.",
        code="page_busy",
        retryable=True,
    )
