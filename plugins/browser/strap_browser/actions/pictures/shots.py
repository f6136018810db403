"""Part of the page that a picture shows, cut into pictures at a scale."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from strap import record
from strap_browser import interaction
from strap_browser.engine.frames.geometry import Box

if TYPE_CHECKING:
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState

LONGEST = 1_568
"""Longest side of a picture in an answer, in pixels: above it, models scale down themselves."""
LONGEST_SAVED = 8_000
"""Longest side of a picture in a file: above it, models refuse."""
TILES = 4
"""Pictures into which a page is cut that is too long for one."""


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


@record
class Shot:
    """A picture to take of an `area`, which lies at `offset` from the viewport's own place."""

    what: str
    area: Area
    offset: Box
    kind: str = "jpeg"
    single: bool = False
    """Whether it is one picture of up to `LONGEST_SAVED`, as files are."""

    @property
    def scale(self) -> float:
        """The scale that it is taken at."""
        return _scale(self.area, single=self.single)

    @property
    def tiles(self) -> list[Area]:
        """The parts to take, top to bottom."""
        longest = LONGEST_SAVED if self.single else LONGEST
        height = self.area.height * self.area.density * self.scale
        count = max(1, math.ceil(height / longest))
        return list(_cut(self.area, math.ceil(self.area.height / count)))

    @property
    def factor(self) -> float:
        """Pixels of the picture for each CSS pixel."""
        return self.scale * self.area.density

    @property
    def view(self) -> Box:
        """The area in CSS pixels of the viewport: left, top, width, height."""
        left, top = self.area.x - self.offset[0], self.area.y - self.offset[1]
        return left, top, self.area.width, self.area.height

    @property
    def key(self) -> tuple[str, int, int, float, str, bool]:
        """Facts that two pictures need in common to be compared."""
        size = round(self.area.width), round(self.area.height)
        return self.what, *size, self.scale, self.kind, self.single

    def in_picture(self, box: Box, tile: Area) -> Box:
        """Return where a box of the viewport is in the picture of a tile, cut off at its edges."""
        x, y = self.offset[0] - tile.x, self.offset[1] - tile.y
        left, top = max(box[0] + x, 0), max(box[1] + y, 0)
        right, bottom = min(box[0] + x + box[2], tile.width), min(box[1] + y + box[3], tile.height)
        edges = (left, top, max(right - left, 0), max(bottom - top, 0))
        return tuple(edge * self.factor for edge in edges)  # type: ignore[return-value]

    def on_page(self, box: Box, tile: Area) -> Box:
        """Return where a box in the picture of a tile is in the viewport."""
        left, top, width, height = (edge / self.factor for edge in box)
        return left + tile.x - self.offset[0], top + tile.y - self.offset[1], width, height

    @property
    def caption(self) -> str:
        """Its subject and its scale."""
        caption = f"{self.what}: {self.area.size} px"
        if not math.isclose(self.factor, 1):
            factor = self.factor
            caption += f", shown at {factor:.0%}: divide coordinates by {factor:.3g}"
        if (parts := len(self.tiles)) > 1:
            caption += f", in {parts} parts from top to bottom"
        return caption + "."


async def shot_of(
    state: "PageState", element: "Element | None", part: Box | None, *, full: bool
) -> "tuple[Shot, str]":
    """Return what to take of an element, a part of the viewport or the page, and what to add."""
    metrics = await state.send("Page.getLayoutMetrics")
    note = ""
    if element is not None:
        area, element = await _area_of(state, element, metrics)
        what, note = element.name, element.note
    else:
        area, what = _area(metrics, full=full), "Page" if full else "Viewport"
    # The command may have scrolled the page.
    shown = (await state.send("Page.getLayoutMetrics"))["cssLayoutViewport"]
    offset = shown["pageX"], shown["pageY"], shown["clientWidth"], shown["clientHeight"]
    if part is not None:
        left, top, width, height = part
        what, place = "Region", {"x": left + offset[0], "y": top + offset[1]}
        visible = left >= 0 and top >= 0
        visible = visible and left + width <= offset[2] and top + height <= offset[3]
        area = replace(area, **place, width=width, height=height, visible=visible)
    return Shot(what=what, area=area, offset=offset), note


def _area(metrics: dict[str, Any], *, full: bool) -> Area:
    viewport, density = metrics["cssVisualViewport"], _density(metrics)
    # Pictures count from the left end of the page; where it begins at the right, as from right to
    # left, only the layout viewport does so too: `pageX` of the other is zero or less.
    layout = metrics["cssLayoutViewport"]
    if full:
        size = metrics["cssContentSize"]
        fits = (
            size["height"] <= viewport["clientHeight"] and size["width"] <= viewport["clientWidth"]
        )
        return Area(
            x=0, y=0, width=size["width"], height=size["height"], density=density, visible=fits
        )
    return Area(
        x=layout["pageX"] + viewport["offsetX"],
        y=layout["pageY"] + viewport["offsetY"],
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
    viewport = (await state.send("Page.getLayoutMetrics"))["cssLayoutViewport"]
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


def _scale(area: Area, *, single: bool) -> float:
    longest = LONGEST_SAVED if single else LONGEST
    width, height = area.width * area.density, area.height * area.density
    return min(1.0, longest / width, (1 if single else TILES) * longest / height)


def _cut(area: Area, height: float) -> Iterator[Area]:
    done = 0.0
    while done < area.height:
        part = min(height, area.height - done)
        yield replace(area, y=area.y + done, height=part)
        done += part
