"""Pictures of the page, at sizes that models accept, and the page as a PDF."""

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from strap import ActionError, Context, Image, Result, UsageError, action
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams, ElementParams
from strap_browser.actions.pictures.shots import Area, Shot, shot_of
from strap_browser.interaction.document_body import viewed
from strap_browser.snapshot.media_types import describe_media_type

if TYPE_CHECKING:
    from strap_browser.engine.frames.geometry import Box
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry


QUALITY = 80
"""Quality of JPEG and WebP: small print can still be read, at a fraction of the bytes of PNG."""
FORMATS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
REGION = "region"
SIDES = ("x", "y", "width", "height")
FAR = 20_000
"""Pixels that a region may have, and lie away: no page of ours is wider."""
WAYS = (None, "", "marks")
"""Values of a screenshot that compare it with nothing."""
DRAW_LIMIT = 10.0
"""Seconds: a page of 25,000 pixels takes less than one."""
PDF_OPTIONS = {"printBackground": True, "preferCSSPageSize": True, "transferMode": "ReturnAsBase64"}


class Screenshot(ElementParams):
    """Fields of `screenshot`."""

    value: str | None = Field(default=None, max_length=1_000)
    """`marks` numbers what can be acted on, with a legend. `region`, with x, y, width and height,
    is that part of the viewport. `changed` tells what differs from the last picture; the name of a
    picture in the output folder, what differs from that."""
    full_page: bool = False
    """Take the whole page, scaled and in parts if it is long."""
    output: str | None = Field(default=None, max_length=1_000)
    """Save it under this name (.jpg, .png, .webp) in the output folder instead of showing it."""

    @model_validator(mode="before")
    @classmethod
    def _take_region(cls, values: Any) -> Any:
        """Take x, y, width and height into `value`: as fields they would cost every definition."""
        if not isinstance(values, dict) or not any(name in values for name in SIDES):
            return values
        sides = [values.get(name) for name in SIDES]
        rest = {name: value for name, value in values.items() if name not in SIDES}
        if values.get("value") not in (None, REGION):
            raise UsageError(f"value={values['value']!r} is of the whole viewport: leave x out.")
        return rest | {"value": f"{REGION} {' '.join(map(str, sides))}"}


@action("browser", effect="read", asks_person=True)
async def screenshot(params: Screenshot, ctx: "Context[BrowserRegistry]") -> Result:
    """Take a picture of the viewport, an element or the whole page.

    JPEG, its longest side at most 1,568 pixels; a file may have 8,000.
    """
    if params.full_page and (params.ref or params.selector):
        raise UsageError("Give ref or selector for an element, or full_page, not both.")
    part, path = _region(params), ctx.outputs.resolve(params.output) if params.output else None
    other = None if part or params.value in WAYS else params.value
    kind = _format(path)
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        element = await interaction.find_element(state, params.ref, params.selector)
        await viewed(state)
        shot, note = await shot_of(state, element, part, full=params.full_page)
        shot = replace(shot, kind=kind, single=path is not None)
        answer.add(note)
        if other:
            from strap_browser.actions.pictures.changes import tell_changes

            before = None if other == "changed" else ctx.outputs.resolve(other)
            pictures = await tell_changes(state, shot, before, answer, _take)
        elif params.value == "marks":
            from strap_browser.actions.pictures.marking import marked

            pictures = await marked(state, shot, answer, _take)
        else:
            answer.add(shot.caption)
            pictures = await _take(state, shot)
        if path is None:
            shown = () if other else pictures
            images = tuple(Image(data=data, mime=f"image/{kind}") for data in shown)
            return replace(answer.result(state.tab), images=images)
        if pictures:
            await asyncio.to_thread(ctx.outputs.write, path, pictures[0])
            answer.add(f"Saved to {path} ({counted(len(pictures[0]), 'byte')}).")
        return answer.result(state.tab)


def _region(params: Screenshot) -> "Box | None":
    """Return the part of the viewport that is asked for; raises `UsageError` for half of one."""
    word, *sides = (params.value or "").split(" ")
    if word != REGION:
        return None
    if params.full_page or params.ref or params.selector:
        raise UsageError("A region is a part of the viewport: leave ref and full_page out.")
    try:
        left, top, width, height = map(float, sides)
    except ValueError:
        raise UsageError("A region needs x, y, width and height.") from None
    if not (abs(left) <= FAR and abs(top) <= FAR and 1 <= width <= FAR and 1 <= height <= FAR):
        raise UsageError(f"A region has 1 to {FAR:,} pixels.")
    return left, top, width, height


async def _take(state: "PageState", shot: Shot) -> list[bytes]:
    """Take the pictures; they are kept to be compared with the next."""
    taken = [await _capture(state, tile, shot.scale, shot.kind) for tile in shot.tiles]
    state.pictures = shot.key, taken
    return taken


def _format(path: Path | None) -> str:
    if path is None:
        return "jpeg"
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"output={path.name!r} has no picture's name.", hint="End it in .jpg, .png or .webp."
        )
    return FORMATS[path.suffix.lower()]


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


SHOWN = "document.documentElement.innerText.slice(0, 1000000)"
"""Script for the text of a page, to look for secrets: a long book has so many characters."""


class Pdf(BrowserParams):
    """Fields of `pdf`."""

    output: str = Field(max_length=1_000)
    """Name of the file in the output folder, ending in .pdf."""


@action("browser", effect="read", asks_person=True)
async def pdf(params: Pdf, ctx: "Context[BrowserRegistry]") -> Result:
    """Save the page as a PDF."""
    path = ctx.outputs.resolve(params.output)
    if path.suffix.lower() != ".pdf":
        raise UsageError(f"output={params.output!r} does not end in .pdf.", hint="End it in .pdf.")
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        if why := describe_media_type((await state.ask("info"))["kind"]):
            raise ActionError("The page is not a page to print.", hint=why, code="no_page")
        printed = await state.send("Page.printToPDF", **PDF_OPTIONS)
        content = base64.b64decode(printed["data"])
        await asyncio.to_thread(ctx.outputs.write, path, content)
        answer.add(f"Saved to {path} ({counted(len(content), 'byte')}).")
        if state.tab.secrets:
            shown = str(await state.tab.page.evaluate(SHOWN))
            for name in await asyncio.to_thread(state.tab.secrets.held_in, shown):
                answer.add(f"The file shows the value of the secret {name!r}.")
        return answer.result(state.tab)
