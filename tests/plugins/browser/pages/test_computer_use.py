"""Loops of models that see pictures and name places, as OpenAI and Anthropic have them."""

import asyncio
import base64
import json
import re
import urllib.request
from io import BytesIO

import pytest
from PIL import Image

from tests.site.server import Reply

pytestmark = pytest.mark.anyio

APP = """<!doctype html><title>Desk</title><body style="margin:0;height:3000px"><style>
button, input, div { position: absolute; width: 100px; height: 40px }</style>
<button style="left:50px;top:50px" onclick="log('click')" ondblclick="log('double')"
  oncontextmenu="log('right'); return false">A</button>
<input style="left:50px;top:150px" oninput="log('typed ' + value)"
  onkeydown="log(`key ${event.metaKey ? 'Meta+' : ''}${event.key}`)">
<div style="left:300px;top:50px;background:#ccc" onmouseenter="log('over')">Hover</div>
<div id=s style="left:300px;top:150px;overflow:auto" onscroll="log('scrolled')">
  <p style="height:900px">Long</p></div>
<div id=d style="left:50px;top:300px;width:300px" onpointerdown="from = event.clientX"
  onpointermove="if (event.buttons) log('dragged ' + (event.clientX - from))">Drag</div>
<script>let from; const done = [];
const log = (what) => { if (!done.includes(what)) done.push(what) }</script>"""
OPENAI = [
    {"type": "screenshot"},
    {"type": "move", "x": 350, "y": 70},
    {"type": "click", "button": "left", "x": 100, "y": 70},
    {"type": "double_click", "x": 100, "y": 70},
    {"type": "click", "button": "right", "x": 100, "y": 70},
    {"type": "click", "button": "left", "x": 100, "y": 170},
    {"type": "type", "text": "Ada"},
    {"type": "keypress", "keys": ["CTRL", "A"]},
    {"type": "keypress", "keys": ["BACKSPACE"]},
    {"type": "keypress", "keys": ["ENTER"]},
    {"type": "keypress", "keys": ["CMD", "ARROWLEFT"]},
    {"type": "scroll", "x": 340, "y": 170, "scroll_x": 0, "scroll_y": 100},
    {"type": "drag", "path": [{"x": 100, "y": 320}, {"x": 180, "y": 320}]},
    {"type": "wait"},
]
ANTHROPIC = [
    {"action": "screenshot"},
    {"action": "mouse_move", "coordinate": [350, 70]},
    {"action": "left_click", "coordinate": [100, 70]},
    {"action": "double_click", "coordinate": [100, 70]},
    {"action": "right_click", "coordinate": [100, 70]},
    {"action": "left_click", "coordinate": [100, 170]},
    {"action": "type", "text": "Ada"},
    {"action": "triple_click", "coordinate": [100, 170]},
    {"action": "key", "text": "BackSpace"},
    {"action": "key", "text": "Return"},
    {"action": "key", "text": "super+Left"},
    {"action": "key", "text": "Control_L"},
    {
        "action": "scroll",
        "coordinate": [340, 170],
        "scroll_direction": "down",
        "scroll_amount": 1,
    },
    {
        "action": "left_click_drag",
        "start_coordinate": [100, 320],
        "coordinate": [180, 320],
    },
    {"action": "zoom", "region": [0, 0, 200, 100]},
]
SEEN = [
    *("over", "click", "double", "right", "typed Ada", "typed ", "key Enter", "key Meta+ArrowLeft"),
    *("scrolled", "dragged 80"),
]
DOWN = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
STEP = 100
"""Pixels of a step of the wheel."""


def pointed(call):
    """The calls for what a `computer_call` does with the mouse."""
    at = {name: call[name] for name in ("x", "y") if name in call}
    if call["type"] == "scroll":
        by = {"x": call["scroll_x"], "y": call["scroll_y"]}
        return [("hover", at), ("scroll", {"text": "wheel", **by})]
    if call["type"] == "drag":
        first, *rest = call["path"]
        path = " ".join(f"{to['x'] - first['x']},{to['y'] - first['y']}" for to in rest)
        return [("drag", {**first, "value": path})]
    if call["type"] == "move":
        return [("hover", at)]
    value = call.get("button") or call["type"].partition("_")[0]
    return [("click", at if value == "left" else {**at, "value": value})]


def of_openai(call):
    """The calls that stand in the place of a `computer_call`."""
    match call["type"]:
        case "screenshot":
            return []
        case "type":
            return [("type", {"text": call["text"]})]
        case "keypress":
            return [("press", {"key": "+".join(call["keys"])})]
        case "wait":
            return [("wait", {"value": "0.1"})]
    return pointed(call)


def of_anthropic(call):
    """The calls that stand in the place of a `tool_use` of the tool `computer`."""
    x, y = call.get("coordinate", (0, 0))
    match call["action"]:
        case "scroll":
            by = [STEP * call["scroll_amount"] * to for to in DOWN[call["scroll_direction"]]]
            shape = {"type": "scroll", "scroll_x": by[0], "scroll_y": by[1]}
        case "left_click_drag":
            start = call["start_coordinate"]
            shape = {"type": "drag", "path": [{"x": start[0], "y": start[1]}, {"x": x, "y": y}]}
        case "key":
            shape = {"type": "keypress", "keys": call["text"].split("+")}
        case "zoom":
            left, top, right, bottom = call["region"]
            size = {"width": right - left, "height": bottom - top}
            return [("screenshot", {"value": "region", "x": left, "y": top, **size})]
        case "left_click" | "right_click" | "triple_click" as kind:
            shape = {"type": "click", "button": kind.split("_")[0]}
        case "mouse_move":
            shape = {"type": "move"}
        case other:
            shape = {"type": other, "text": call.get("text")}
    return of_openai({"x": x, "y": y, **shape} if shape["type"] != "drag" else shape)


def scaled(said, factor):
    """Places in a call, on a picture of another size than the page."""
    if isinstance(said, list):
        return [scaled(each, factor) for each in said]
    if isinstance(said, dict):
        places = ("x", "y", "path", "coordinate", "start_coordinate", "region")
        return {key: scaled(each, factor) if key in places else each for key, each in said.items()}
    return said * factor


def scripted(calls, wrap, width):
    """A model that looks at each picture that it is sent, and says the next call."""
    script, sizes = iter(calls), []

    def answer(request):
        body = json.loads(request.body)
        picture = Image.open(BytesIO(base64.b64decode(body["picture"])))
        sizes.append(picture.size)
        call = next(script, None)
        return Reply(
            body=json.dumps(wrap(scaled(call, picture.width / width)) if call else {"done": True}),
            headers={"Content-Type": "application/json"},
        )

    return answer, sizes


SHAPES = {
    "openai": (
        OPENAI,
        of_openai,
        lambda call: {"output": [{"type": "computer_call", "action": call}]},
    ),
    "anthropic": (
        ANTHROPIC,
        of_anthropic,
        lambda call: {"content": [{"type": "tool_use", "name": "computer", "input": call}]},
    ),
}


@pytest.mark.parametrize("size", [(1024, 768), (2000, 1500)])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_loop_does_what_the_model_says(page, serve_site, shape, size):
    calls, mapped, wrap = SHAPES[shape]
    answer, sizes = scripted(calls, wrap, size[0])
    model, app = serve_site({"/": answer}), serve_site({"/": APP})
    await page("resize", width=size[0], height=size[1])
    await page("navigate", url=app)
    while True:
        result = await page.result("screenshot")
        divisor = re.search(r"divide coordinates by ([\d.]+\d)", result.text)
        body = json.dumps({"picture": base64.b64encode(result.images[0].data).decode()}).encode()
        request = urllib.request.Request(str(model), data=body, method="POST")
        with await asyncio.to_thread(urllib.request.urlopen, request) as response:
            said = json.load(response)
        if said.get("done"):
            break
        [item] = said.get("output") or said["content"]
        call = scaled(item.get("action") or item["input"], 1 / float(divisor[1]) if divisor else 1)
        for action, fields in mapped(call):
            await page(action, **fields)
    assert [what for what in await page.run("done") if what in SEEN] == SEEN
    assert set(sizes) == {size if size[0] == 1024 else (1568, 1176)}
    assert await page.run("[scrollY, s.scrollTop]") == [0, STEP]


async def test_help_maps_a_loop_and_names_calls_that_there_are(page):
    text = await page("help", value="computer")
    actions = set(re.findall(r"\| (\w+)[^|]*\|$", text, re.MULTILINE))
    known = await page("help")
    assert {"click", "hover", "drag", "type", "press", "screenshot"} <= actions
    for action in actions - {"web"}:
        assert f"- {action} " in known


async def test_the_wheel_and_the_mouse_at_places_that_are_none(page):
    await page.open("form.html")
    assert "outside the viewport" in str(await page.fails("hover", x=-1, y=5))
    assert "needs x and y, both" in str(await page.fails("hover", x=5))
    assert "where the mouse is" in str(await page.fails("scroll", text="wheel", ref="e1"))
