"""Places of frames: `DOM.getFrameOwner`, and `DOM.getBoxModel` of the elements they are in."""

from typing import Any

from strap_firefox import own_world
from strap_firefox.bidi import BidiError
from strap_firefox.session import FirefoxSession
from strap_firefox.values import Value, by_value, node_number, realm_of, reference

Params = dict[str, Any]
CONTENT = """(element) => {
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  const inset = (side) => parseFloat(style[`padding${side}`]);
  const left = box.left + element.clientLeft + inset("Left");
  const top = box.top + element.clientTop + inset("Top");
  const width = element.clientWidth - inset("Left") - inset("Right");
  const height = element.clientHeight - inset("Top") - inset("Bottom");
  return [left, top, left + width, top, left + width, top + height, left, top + height];
}"""


async def owner(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`DOM.getFrameOwner`."""
    shared = await _owner_of(firefox, params["frameId"])
    return {"backendNodeId": node_number(shared["sharedId"])}


async def box_model(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`DOM.getBoxModel`: where the content of an element is on the page."""
    of = params["objectId"]
    context = firefox.worlds.context(realm_of(of))
    quad = await _quad(firefox, context, reference(of))
    left_top = await offset(firefox, context)
    return {"model": {"content": [value + left_top[i % 2] for i, value in enumerate(quad)]}}


async def offset(firefox: FirefoxSession, context: str) -> tuple[float, float]:
    """Return where a frame begins on the page, in CSS pixels; raises `BidiError`."""
    known = firefox.contexts.get(context)
    if known is None or known.parent is None:
        return 0.0, 0.0
    outer_left, outer_top = await offset(firefox, known.parent)
    left, top, *_ = await _quad(firefox, known.parent, await _owner_of(firefox, context))
    return outer_left + left, outer_top + top


async def _quad(firefox: FirefoxSession, context: str, element: Value) -> list[float]:
    quad: list[float] = by_value(await own_world.call(firefox.bidi, context, CONTENT, element))
    return quad


async def _owner_of(firefox: FirefoxSession, frame: str) -> Value:
    known = firefox.contexts.get(frame)
    if known is None or known.parent is None:
        raise BidiError("no such frame", "The frame is gone.")
    locator = {"type": "context", "value": {"context": frame}}
    answer = await firefox.bidi.send(
        "browsingContext.locateNodes", context=known.parent, locator=locator
    )
    if not answer["nodes"]:
        raise BidiError("no such frame", "The frame is gone.")
    return {"sharedId": answer["nodes"][0]["sharedId"]}


COMMANDS = {
    "DOM.getBoxModel": box_model,
    "DOM.getFrameOwner": owner,
}
