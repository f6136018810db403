"""How large pages are, and what they look like: of the domains Page and Emulation."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from strap_firefox import own_world
from strap_firefox.bidi import BidiError
from strap_firefox.session import FirefoxSession
from strap_firefox.values import by_value

Params = dict[str, Any]
FRAME, TOOLBARS = 40, 200
"""Pixels that a window of Firefox takes beside and above its page, at most."""
METRICS = """() => {
  const root = document.documentElement, page = document.scrollingElement || root;
  const view = { pageX: scrollX, pageY: scrollY };
  const [width, height] = [page.clientWidth || innerWidth, page.clientHeight || innerHeight];
  return {
    view: { ...view, clientWidth: width, clientHeight: height },
    content: { x: 0, y: 0, width: page.scrollWidth, height: page.scrollHeight },
    scale: visualViewport ? visualViewport.scale : 1,
    density: devicePixelRatio,
  };
}"""


async def metrics(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Page.getLayoutMetrics`."""
    answer = by_value(await own_world.ask(firefox.bidi, page, METRICS))
    visual = answer["view"] | {"offsetX": 0, "offsetY": 0, "scale": answer["scale"], "zoom": 1}
    device = {"clientWidth": visual["clientWidth"] * answer["density"]}
    return {
        "visualViewport": visual | device,
        "cssLayoutViewport": answer["view"],
        "cssVisualViewport": visual,
        "cssContentSize": answer["content"],
    }


async def screenshot(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.captureScreenshot`."""
    kind: Params = {"type": f"image/{params.get('format', 'png')}"}
    if "quality" in params:
        kind["quality"] = params["quality"] / 100
    box = params.get("clip")
    clip = {"clip": {"type": "box", **{key: box[key] for key in BOX}}} if box else {}
    where = {"origin": "document" if box else "viewport", **clip}
    scale = box.get("scale", 1) if box else 1
    async with _scaled(firefox, page, scale):
        answer = await firefox.bidi.send(
            "browsingContext.captureScreenshot", context=page, format=kind, **where
        )
    return {"data": answer["data"]}


@asynccontextmanager
async def _scaled(firefox: FirefoxSession, page: str, scale: float) -> AsyncIterator[None]:
    """Have the page drawn in as many pixels as a picture of that scale has."""
    if scale == 1:
        yield
        return
    set_density = partial(firefox.bidi.send, "browsingContext.setViewport", context=page)
    await set_density(devicePixelRatio=scale)
    try:
        yield
    finally:
        set_density(devicePixelRatio=None)


BOX = ("x", "y", "width", "height")


async def print_page(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.printToPDF`."""
    background = params.get("printBackground", False)
    answer = await firefox.bidi.send("browsingContext.print", context=page, background=background)
    return {"data": answer["data"]}


async def resize(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Emulation.setDeviceMetricsOverride`."""
    width, height = params["width"], params["height"]
    known = firefox.contexts.get(page)
    if known and known.window:  # what lies beyond the edge of its window no mouse reaches
        outer = {"width": width + FRAME, "height": height + TOOLBARS}
        with suppress(BidiError):
            await firefox.bidi.send(
                "browser.setClientWindowState", clientWindow=known.window, state="normal", **outer
            )
    size = {"width": width, "height": height}
    await firefox.bidi.send("browsingContext.setViewport", context=page, viewport=size)
    return {}


COMMANDS = {
    "Emulation.setDeviceMetricsOverride": resize,
    "Page.captureScreenshot": screenshot,
    "Page.getLayoutMetrics": metrics,
    "Page.printToPDF": print_page,
}
