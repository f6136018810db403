"""Numbers on the elements of a picture, and the legend that says what they are.

They are drawn on the picture, not on the page, which notices nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from strap import ActionError, install_command
from strap_browser.common.text import clip, quoted
from strap_browser.engine.frames.geometry import Box
from strap_browser.snapshot.snapshot import namer

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

    from strap_browser.actions.pictures.places import Placed
    from strap_browser.interaction.page_state import PageState
    from strap_browser.snapshot.snapshot import Snapshot

MOST = 150
"""Marks on a picture: of more, none can be read."""
NAME = 50
"""Characters of a name in the legend."""
COLOURS = ("#b3124f", "#1257a8", "#2a6b2f", "#6a1b9a", "#9c3a00", "#005f6b")
"""White text on each has a contrast of 5 or more."""
LINE = 2
"""Pixels of a frame; one of white around it shows it on dark pages."""
FONT = 13
"""Pixels: digits of that height can be read in a picture that is not scaled."""
EDGE = 64
"""Steps of 255 between a pixel and those around it: gradients and the noise of JPEG have fewer."""
INK = 5.0
"""Boxes that a tag lies on rather than on edges: they are two fifths of words, a tenth of a line.
"""
QUALITY = 80
"""Quality of JPEG and WebP."""


def pillow() -> Any:
    """Return the module `PIL.Image`; raises `ActionError` where pillow is missing."""
    try:
        from PIL import Image
    except ImportError:
        raise ActionError(
            "Pictures are drawn on and compared with pillow, which is not installed.",
            hint=f"Install it: {install_command('strap-web[agent]')}",
            code="missing_extra",
        ) from None
    return Image


def legend(state: "PageState", taken: "Snapshot", marks: "Sequence[Placed]") -> list[str]:
    """Return a line for each mark, from 1 on, with the ref of its element."""
    name = namer(taken, state.refs)
    return [
        f"{number} = {_called(mark)} {name(mark.item.ref, mark.item)}"
        for number, mark in enumerate(marks, 1)
    ]


def _called(mark: "Placed") -> str:
    words = quoted(clip(mark.item.name or mark.item.body, NAME))
    return f"{mark.label} {words}".strip()


def drawn(picture: bytes, kind: str, boxes: Mapping[int, Box]) -> bytes:
    """Return a picture with a number at each box: boxes in pixels of the picture."""
    from PIL import ImageDraw, ImageFilter, ImageFont

    image = pillow().open(BytesIO(picture)).convert("RGB")
    edges = (
        image.convert("L").filter(ImageFilter.FIND_EDGES).point([0] * EDGE + [255] * (256 - EDGE))
    )
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(FONT)
    order = sorted(boxes.items(), key=lambda mark: -mark[1][2] * mark[1][3])
    for number, box in order:  # a small one is not covered by a large one
        pen.rectangle(_around(box, LINE + 1, image.size), outline="white")
        pen.rectangle(_around(box, LINE, image.size), outline=_colour(number), width=LINE)
    taken: list[Box] = []
    for number, _ in reversed(order):  # the small ones choose their places first
        _tag(pen, font, number, boxes, taken, edges)
    return encoded(image, kind)


def _around(box: Box, by: int, size: tuple[int, int]) -> Box:
    """Return the edges of a frame around a box, so that it covers none of its text."""
    left, top, width, height = box
    right, bottom = left + width - 1 + by, top + height - 1 + by
    return max(left - by, 0), max(top - by, 0), min(right, size[0] - 1), min(bottom, size[1] - 1)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _tag(
    pen: "ImageDraw",
    font: Any,
    number: int,
    boxes: Mapping[int, Box],
    taken: list[Box],
    edges: Any,
) -> None:
    """Draw a number beside its box, or in it, on no other, and on the least of boxes and words."""
    box = boxes[number]
    width, height = pen.textlength(str(number), font=font) + 6, FONT + 4.0
    left, top, right, bottom = box[0], box[1], box[0] + box[2], box[1] + box[3]
    places = [
        *((left, top - height), (right - width, top - height), (left - width, top), (right, top)),
        *((left, bottom), (left, top), (right - width, top), (left, bottom - height)),
    ]
    room = edges.width - width, edges.height - height
    tags = [(min(max(x, 0), room[0]), min(max(y, 0), room[1]), width, height) for x, y in places]
    free = [tag for tag in tags if not _overlapped(tag, taken)] or tags
    x, y, *_ = place = min(
        free, key=lambda tag: _overlapped(tag, boxes.values()) + INK * _ink(tag, edges)
    )
    taken.append(place)
    pen.rectangle((x, y, x + width, y + height), fill=_colour(number), outline="white")
    pen.text((x + 3, y + 1), str(number), fill="white", font=font)


def _overlapped(box: Box, others: Iterable[Box]) -> int:
    left, top, width, height = box
    return sum(
        left < x + w and x < left + width and top < y + h and y < top + height
        for x, y, w, h in others
    )


def _ink(box: Box, edges: Any) -> float:
    """Return the share of a place that edges have, as of words and lines."""
    left, top, width, height = box
    place = edges.crop((int(left), int(top), int(left + width), int(top + height)))
    counts: list[int] = place.histogram()
    return round(20 * counts[255] / sum(counts)) / 20  # a pixel moves no tag in a list


def encoded(image: Any, kind: str) -> bytes:
    """Return the file of an image."""
    file = BytesIO()
    image.save(file, kind, **({} if kind == "png" else {"quality": QUALITY}))
    return file.getvalue()
