"""Drag and drop of HTML (6.11), which Firefox hands to the desktop, out of all reach.

So the beginning of such a drag is kept from Firefox, and the page is told what a browser tells of
one: events that are not trusted, with one `DataTransfer` from the beginning to the end.
"""

from typing import Any

from strap_browser.api import script_module
from strap_firefox import own_world
from strap_firefox.bidi import BidiError
from strap_firefox.commands.frames import offset
from strap_firefox.session import FirefoxSession
from strap_firefox.values import by_value

Params = dict[str, Any]
HAS = '() => !!globalThis[Symbol.for("drags")]?.has()'
MOVE = '(x, y) => globalThis[Symbol.for("drags")]?.move(x, y)'
END = '(x, y, drop) => globalThis[Symbol.for("drags")]?.end(x, y, drop)'


async def intercept(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Input.setInterceptDrags`."""
    firefox.drags.pop(page, None)
    if params["enabled"]:
        firefox.drags[page] = ""
    watch = f"(on) => {script_module('preload/native_drag.js')}.watch(on)"
    for context in list(firefox.contexts.within(page)):
        await _quietly(firefox, context, watch, params["enabled"])
    return {}


async def note(firefox: FirefoxSession, page: str) -> None:
    """Tell of a drag that a movement of the mouse began."""
    if firefox.drags.get(page) != "":
        return
    for context in list(firefox.contexts.within(page)):
        if await _quietly(firefox, context, HAS):
            firefox.drags[page] = context
            firefox.tell(page, "Input.dragIntercepted", data={})
            return


async def dispatch(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Input.dispatchDragEvent`: within the frame in which the drag began."""
    context = firefox.drags.get(page)
    if not context:
        return {}
    left, top = await offset(firefox, context)
    place = params["x"] - left, params["y"] - top
    if params["type"] in ("dragEnter", "dragOver"):
        await own_world.ask(firefox.bidi, context, MOVE, *place)
        return {}
    await own_world.ask(firefox.bidi, context, END, *place, params["type"] == "drop")
    firefox.drags[page] = ""
    await firefox.input_of(page).act("pointer", [{"type": "pointerUp", "button": 0}])
    return {}


async def _quietly(firefox: FirefoxSession, context: str, function: str, *arguments: Any) -> Any:
    try:
        return by_value(await own_world.ask(firefox.bidi, context, function, *arguments))
    except BidiError:
        return None


COMMANDS = {
    "Input.dispatchDragEvent": dispatch,
    "Input.setInterceptDrags": intercept,
}
