"""Plain elements that listen to the mouse or the keyboard, as DevTools tells.

Their own document cannot be asked: what a script listens to is seen by no other script.
"""

import asyncio
from collections.abc import Iterable
from itertools import chain
from typing import Any

from strap_browser.cdp.errors import CdpError
from strap_browser.engine.errors import ScriptFailed
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.handles import ElementHandle
from strap_browser.interaction.page_state import PageState
from strap_browser.page_script.bundle import NAME

MOST = 50
"""Elements that are marked: of each DevTools has to be asked by itself."""
MOST_FRAMES = 20
"""Frames whose documents are asked where they listen."""
TYPES = frozenset(
    (
        *("auxclick", "click", "contextmenu", "dblclick", "keydown", "keypress", "keyup"),
        *("mousedown", "mouseup", "pointerdown", "pointerup", "touchend", "touchstart"),
    )
)
"""Events of somebody who uses an element; `mousemove` and the like reach everything."""
ALL_BELOW = -1
MARK = f"(...found) => {NAME}.hear(...found)"


async def hear(state: PageState, *, below: bool) -> bool:
    """Mark the elements that listen, where the last look said to; return whether any are new.

    With `below` all that is inside is asked about too.
    """
    page = state.tab.page
    frames = [page.main_frame, *page.inner_frames][:MOST_FRAMES]
    return any(await asyncio.gather(*(_mark(frame, below=below) for frame in frames)))


async def _mark(frame: Frame, *, below: bool) -> bool:
    handles: list[ElementHandle] = []
    try:
        handles += await frame.find_all(".scope()")
        answers = await asyncio.gather(
            *(listeners_of(frame, item, below=below) for item in handles)
        )
        nodes = _listening(chain.from_iterable(answers))
        elements = await asyncio.gather(*map(frame.resolve, nodes))
        handles += elements
        return bool(elements and await elements[0].call(MARK, *elements[1:]))
    except (CdpError, ScriptFailed):  # it went elsewhere: what is asked of it next will tell
        return False
    finally:
        for handle in handles:
            handle.release()


async def listeners_of(
    frame: Frame, element: ElementHandle, *, below: bool
) -> list[dict[str, Any]]:
    """Return the listeners of an element, in the world of the page: it is asked there."""
    own = await element.in_world(frame.main_world)
    options = {"objectId": own.object_id, "depth": ALL_BELOW if below else 1}
    try:
        answer = await frame.session.send("DOMDebugger.getEventListeners", **options)
    finally:
        own.release()
    listeners: list[dict[str, Any]] = answer["listeners"]
    return listeners


def _listening(listeners: Iterable[dict[str, Any]]) -> list[int]:
    useful = (item for item in listeners if item["type"] in TYPES and "backendNodeId" in item)
    return list(dict.fromkeys(item["backendNodeId"] for item in useful))[:MOST]
