"""Pictures of the page, at sizes that models accept, and the page as a PDF."""

import asyncio
import base64
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Image, Result, UsageError, action, record
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams, ElementParams
from strap_browser.interaction.document_body import viewed
from strap_browser.snapshot.media_types import describe_media_type

if TYPE_CHECKING:
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry


LONGEST = 1_568
"""Longest side of a picture in an answer, in pixels: above it, models scale down themselves."""
LONGEST_SAVED = 8_000
"""Longest side of a picture in a file: above it, models refuse."""
TILES = 4
"""Pictures into which a page is cut that is too long for one."""
QUALITY = 80
"""Of JPEG and WebP: small print can still be read, at a fraction of the bytes of PNG."""
FORMATS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
DRAW_LIMIT = 10.0
"""Seconds: a page of 25,000 pixels takes less than one."""
PDF_OPTIONS = {"printBackground": True, "preferCSSPageSize": True, "transferMode": "ReturnAsBase64"}


@record
class Area:
    """A rectangle of the document in CSS pixels; `density` is pixels of the picture for each."""

    x: float
    y: float
    width: float
    height: float
    density: float
    visible: bool
    """Whether all of it is in the viewport."""

    @property
    def size(self) -> str:
        """Width and height in words."""
        return f"{self.width:.0f} x {self.height:.0f}"


class Screenshot(ElementParams):
    """What to take a picture of."""

    full_page: bool = False
    """Take the whole page, scaled and in parts if it is long."""
    output: str | None = Field(default=None, max_length=1_000)
    """Save it under this name (.jpg, .png, .webp) in the output folder instead of showing it."""


@action("browser", effect="read", asks_person=True)
async def screenshot(params: Screenshot, ctx: "Context[BrowserRegistry]") -> Result:
    """Take a picture of the viewport, an element or the whole page.

    JPEG, its longest side at most 1,568 pixels; a file may have 8,000.
    """
    if params.full_page and (params.ref or params.selector):
        raise UsageError("Give ref or selector for an element, or full_page, not both.")
    path = ctx.outputs.resolve(params.output) if params.output else None
    kind = _format(path)
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        element = await interaction.find_element(state, params.ref, params.selector)
        await viewed(state)
        metrics = await state.send("Page.getLayoutMetrics")
        if element is None:
            what, area = (
                "Page" if params.full_page else "Viewport",
                _area(metrics, full=params.full_page),
            )
        else:
            area, element = await _area_of(state, element, metrics)
            what = element.name
            answer.add(element.note)
        tiles, scale = _tiles(area, single=path is not None)
        pictures = [await _capture(state, tile, scale, kind) for tile in tiles]
        answer.add(_caption(what, area, scale, len(tiles)))
        if path is None:
            images = tuple(Image(data=data, mime=f"image/{kind}") for data in pictures)
            return replace(answer.result(state.tab), images=images)
        await asyncio.to_thread(ctx.outputs.write, path, pictures[0])
        answer.add(f"Saved to {path} ({counted(len(pictures[0]), 'byte')}).")
        return answer.result(state.tab)


def _format(path: Path | None) -> str:
    if path is None:
        return "jpeg"
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"output={path.name!r} has no picture's name.", hint="End it in .jpg, .png or .webp."
        )
    return FORMATS[path.suffix.lower()]


def _area(metrics: dict[str, Any], *, full: bool) -> Area:
    viewport, density = metrics["cssVisualViewport"], _density(metrics)
    if full:
        size = metrics["cssContentSize"]
        fits = (
            size["height"] <= viewport["clientHeight"] and size["width"] <= viewport["clientWidth"]
        )
        return Area(
            x=0, y=0, width=size["width"], height=size["height"], density=density, visible=fits
        )
    return Area(
        x=viewport["pageX"],
        y=viewport["pageY"],
        width=viewport["clientWidth"],
        height=viewport["clientHeight"],
        density=density,
        visible=True,
    )


async def _area_of(
    state: "PageState", element: "Element", metrics: dict[str, Any]
) -> "tuple[Area, Element]":
    (left, top, width, height), element = await interaction.box_of(state, element)
    # The command may have scrolled the page.
    viewport = (await state.send("Page.getLayoutMetrics"))["cssVisualViewport"]
    inside = left >= 0 and top >= 0
    inside = inside and left + width <= viewport["clientWidth"]
    inside = inside and top + height <= viewport["clientHeight"]
    area = Area(
        x=left + viewport["pageX"],
        y=top + viewport["pageY"],
        width=width,
        height=height,
        density=_density(metrics),
        visible=inside,
    )
    return area, element


def _density(metrics: dict[str, Any]) -> float:
    """Pixels of the screen for each CSS pixel."""
    css = metrics["cssVisualViewport"]["clientWidth"]
    return metrics["visualViewport"]["clientWidth"] / css if css else 1.0


def _tiles(area: Area, *, single: bool) -> tuple[list[Area], float]:
    longest = LONGEST_SAVED if single else LONGEST
    width, height = area.width * area.density, area.height * area.density
    scale = min(1.0, longest / width, (1 if single else TILES) * longest / height)
    count = max(1, math.ceil(height * scale / longest))
    return list(_cut(area, math.ceil(area.height / count))), scale


def _cut(area: Area, height: float) -> Iterator[Area]:
    done = 0.0
    while done < area.height:
        part = min(height, area.height - done)
        yield replace(area, y=area.y + done, height=part)
        done += part


async def _capture(state: "PageState", area: Area, scale: float, kind: str) -> bytes:
    options: dict[str, Any] = {
        "format": kind,
        "optimizeForSpeed": kind == "jpeg",
        "captureBeyondViewport": not area.visible,
        "clip": {
            "x": area.x,
            "y": area.y,
            "width": area.width,
            "height": area.height,
            "scale": scale,
        },
    }
    if kind != "png":
        options["quality"] = QUALITY
    try:
        async with asyncio.timeout(DRAW_LIMIT):
            answer = await state.send("Page.captureScreenshot", **options)
    except TimeoutError:
        raise ActionError(
            f"The page was not drawn within {DRAW_LIMIT:g} s.",
            hint="It may wait for a stylesheet, as `network` tells; `snapshot` shows its text.",
            code="not_drawn",
            retryable=True,
        ) from None
    return base64.b64decode(answer["data"])


def _caption(what: str, area: Area, scale: float, parts: int) -> str:
    caption = f"{what}: {area.size} px"
    factor = scale * area.density
    if not math.isclose(factor, 1):
        caption += f", shown at {factor:.0%}: divide coordinates by {factor:.3g}"
    if parts > 1:
        caption += f", in {parts} parts from top to bottom"
    return caption + "."


SHOWN = "document.documentElement.innerText.slice(0, 1000000)"
"""What a page shows, as far as secrets are looked for: a long book has so many characters."""


class Pdf(BrowserParams):
    """Where to save it."""

    output: str = Field(max_length=1_000)
    """Name of the file in the output folder, ending in .pdf."""


@action("browser", effect="read", asks_person=True)
async def pdf(params: Pdf, ctx: "Context[BrowserRegistry]") -> Result:
    """Save the page as a PDF."""
    path = ctx.outputs.resolve(params.output)
    if path.suffix.lower() != ".pdf":
        raise UsageError(f"output={params.output!r} is no PDF's name.", hint="End it in .pdf.")
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        if told := describe_media_type((await state.ask("info"))["kind"]):
            raise ActionError("The page is no page to print.", hint=told, code="no_page")
        printed = await state.send("Page.printToPDF", **PDF_OPTIONS)
        content = base64.b64decode(printed["data"])
        await asyncio.to_thread(ctx.outputs.write, path, content)
        answer.add(f"Saved to {path} ({counted(len(content), 'byte')}).")
        if state.tab.secrets:
            shown = str(await state.tab.page.evaluate(SHOWN))
            for name in await asyncio.to_thread(state.tab.secrets.held_in, shown):
                answer.add(f"The file shows the value of the secret {name!r}.")
        return answer.result(state.tab)
