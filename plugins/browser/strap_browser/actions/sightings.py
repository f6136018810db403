"""Whether a text is to be seen on a page, in whatever frame."""

import asyncio
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.cdp.errors import CdpError

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.page_state import PageState

ANSWER_LIMIT = 1.0
"""Seconds in which a document has to answer; it is asked again."""
LOOK_MS = 800
"""Milliseconds for which a document looks for a text; the page stands still meanwhile."""


async def is_drawn(state: "PageState", text: str) -> bool | None:
    """Whether the text is drawn in any frame of the page; None where it did not say in time."""
    return await with_text(state, text, gone=False)


async def with_text(state: "PageState", text: str, *, gone: bool) -> bool | None:
    """Tell whether the text is to be seen in any frame, or with `gone` in none.

    Of a frame that does not answer nobody knows that the text is gone.
    """
    page = state.tab.page
    frames = (page.main_frame, *page.inner_frames)
    found = await asyncio.gather(*(_has(state, frame, text) for frame in frames))
    if any(found):
        return not gone
    return None if None in (found if gone else found[:1]) else gone


async def _has(state: "PageState", frame: "Frame", text: str) -> bool | None:
    main = frame == state.tab.page.main_frame
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            found = (await state.ask_in(frame, "has", text=text, most_ms=LOOK_MS))["found"]
            return await frame.is_shown() if found else found
    except (CdpError, ActionError, TimeoutError):
        if main and not state.tab.alive:
            raise
        return None
