"""Roles and states that custom elements give to assistive technology alone, read by DevTools.

Their scripts say it by `ElementInternals`, which no other script can read: boxes to tick, radio
buttons and tabs of Fluent's and Material's web components have no role in the document.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Literal

from strap_browser.cdp.errors import CdpError
from strap_browser.engine.frames.frame import Frame
from strap_browser.page_script.bundle import NAME, ScriptAnswer

TIMES = 2
"""A look is taken again so often: once for what changed, and once for what is new in it."""
STATES = ("checked", "disabled", "expanded", "invalid", "level", "pressed", "selected", "valuetext")
"""Values of `AXPropertyName` that have an ARIA attribute of the same name."""
MEANINGLESS = {"", "generic", "none"}
BARRED = {
    *("activeFullscreenElement", "activeModalDialog", "activeAriaModalDialog"),
    *("ariaHiddenElement", "ariaHiddenSubtree", "inertElement", "inertSubtree"),
}
"""Values of `AXPropertyName` that say why an element is left out for now."""
LABELS = {"attribute", "relatedElement"}
"""Values of `AXValueSourceType` for names by a label."""
LONGEST = 1000
"""Characters of a text that an element gives."""
TELL = f"(first, told, ...others) => {NAME}.internals.tell(told, first, ...others)"


async def with_internals(frame: Frame, ask: Callable[..., Awaitable[ScriptAnswer]]) -> ScriptAnswer:
    """Return the answer of the frame's script to `ask`, with what its elements say by now."""
    answer = await ask()
    for _ in range(TIMES):
        if not answer.pop("unasked", False):
            break
        with suppress(CdpError):  # what is asked of the frame next will tell
            await _learn(frame)
        answer = await ask(learned=True)
    return answer


async def _learn(frame: Frame) -> None:
    elements = await frame.find_all(".internals.wanted()")
    try:
        names = await asyncio.gather(*(_semantics(frame, item.object_id) for item in elements))
        if elements:
            await elements[0].call(TELL, names, *elements[1:])
    finally:
        for element in elements:
            element.release()


async def _semantics(frame: Frame, element: str) -> dict[str, str] | Literal[False] | None:
    """Return what an element says of itself, as attributes.

    That is None for nothing, and False where it is not told for now.
    """
    answer = await frame.session.send(
        "Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False
    )
    node: dict[str, Any] = answer["nodes"][0] if answer["nodes"] else {}
    if node.get("ignored"):
        reasons = {reason["name"] for reason in node.get("ignoredReasons", ())}
        return False if reasons & BARRED else None
    role = node.get("role", {}).get("value", "")
    if role in MEANINGLESS:
        return None
    held = {prop["name"]: prop["value"].get("value") for prop in node.get("properties", ())}
    attributes = {f"aria-{name}": _text(held[name]) for name in STATES if name in held}
    if (value := node.get("value", {}).get("value")) is not None:
        attributes["aria-valuenow"] = _text(value)
    return {"role": role, "name": _given_name(node.get("name", {})), **attributes}


def _given_name(name: dict[str, Any]) -> str:
    """Return the name that an element has by a label or of its own script, not by what is in it."""
    used = [source["type"] for source in name.get("sources", ()) if source.get("value")]
    return _text(name["value"]) if used and used[0] in LABELS else ""


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)[:LONGEST]
