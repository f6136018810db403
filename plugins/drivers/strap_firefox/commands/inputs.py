"""The domain Input, by the actions of WebDriver.

Source: WebDriver (W3C), 15 (Actions), keyboard actions' table of keys.
"""

from typing import Any

from strap import ActionError
from strap_firefox.commands.drags import note
from strap_firefox.session import FirefoxSession

Params = dict[str, Any]
BUTTONS = {"left": 0, "middle": 1, "right": 2}
KEYS = {
    "Backspace": "\ue003",
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Alt": "\ue00a",
    "Escape": "\ue00c",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Insert": "\ue016",
    "Delete": "\ue017",
    **{f"F{number}": chr(0xE030 + number) for number in range(1, 13)},
    "Meta": "\ue03d",
}


async def mouse(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Input.dispatchMouseEvent`."""
    kind = params["type"]
    x, y = params["x"], params["y"]
    if kind == "mouseWheel":
        turn = {"deltaX": round(params["deltaX"]), "deltaY": round(params["deltaY"])}
        scroll = {"type": "scroll", "x": round(x), "y": round(y), **turn}
        return await firefox.input_of(page).act("wheel", [scroll])
    if kind == "mouseMoved":
        actions: list[Params] = [{"type": "pointerMove", "x": x, "y": y}]
    else:
        what = "pointerDown" if kind == "mousePressed" else "pointerUp"
        actions = [{"type": what, "button": BUTTONS[params["button"]]}]
    await firefox.input_of(page).act("pointer", actions)
    if kind == "mouseMoved":
        await note(firefox, page)
    return {}


async def key(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Input.dispatchKeyEvent`."""
    name = str(params["key"])
    value = KEYS.get(name, name)
    if len(value) != 1:
        raise ActionError(f"Firefox has no key {name!r} here.", code="unsupported")
    what = "keyUp" if params["type"] == "keyUp" else "keyDown"
    return await firefox.input_of(page).act("key", [{"type": what, "value": value}])


async def insert_text(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Input.insertText`."""
    inserted = [{"type": "insert", "text": params["text"]}]
    return await firefox.input_of(page).act("text", inserted)


COMMANDS = {
    "Input.dispatchKeyEvent": key,
    "Input.dispatchMouseEvent": mouse,
    "Input.insertText": insert_text,
}
