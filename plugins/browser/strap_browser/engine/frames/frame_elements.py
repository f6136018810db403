"""The elements of a document that its frames are in."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from strap_browser.cdp.errors import CdpError
from strap_browser.engine.frames.frame import Frame
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.snapshot.nodes import unclaimed

FrameAnswer: TypeAlias = tuple[Frame, ScriptAnswer]
"""A frame and the outline of its document."""
FrameOf: TypeAlias = Callable[[str], Frame | None]
"""Returns the frame of a page with an id."""
FRAMES_LIMIT = 3.0
"""Seconds for which frames are waited for."""


async def place_frames(frame_of: FrameOf, answers: list[FrameAnswer]) -> None:
    """Find the elements of frames that know no number of theirs in their document.

    Those in shadow roots have none, and in Firefox those of other sites get none told.
    """
    for parent, outline in answers:
        numbers = {a["frame"] for f, a in answers if f.parent_frame == parent}
        if any(number < 0 for number in numbers):
            refs = unclaimed(outline, numbers - {-1})
            pairs = await asyncio.gather(*(_frame_in(frame_of, parent, ref) for ref in refs))
            at = {frame: ref for ref, frame in pairs}
            for frame, answer in answers:
                if frame in at:
                    answer["element"] = at[frame]


async def _frame_in(frame_of: FrameOf, parent: Frame, ref: str) -> tuple[str, Frame | None]:
    with suppress(CdpError, TimeoutError):
        async with asyncio.timeout(FRAMES_LIMIT):
            return ref, await frame_within(frame_of, parent, ref)
    return ref, None


async def frame_within(frame_of: FrameOf, parent: Frame, ref: str) -> Frame | None:
    """Return the frame that is in an element of `parent`; raises `CdpError`."""
    element = await parent.find(f".find({json.dumps({'ref': ref})})")
    if element is None:
        return None
    answer = await element.session.send("DOM.describeNode", objectId=element.object_id)
    element.release()
    return frame_of(answer["node"].get("frameId", ""))
