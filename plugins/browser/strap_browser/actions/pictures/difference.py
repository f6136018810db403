"""Differences between two pictures of a page."""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from strap import ActionError, record
from strap_browser.actions.pictures.marks import encoded, pillow
from strap_browser.engine.frames.geometry import Box

if TYPE_CHECKING:
    from strap_browser.actions.pictures.places import Placed

CELL = 16
"""Pixels of a square in which changes are one: JPEG has colours in squares of that size."""
LEAST = 24
"""Steps of 255 in colour: a smaller difference may be noise of JPEG beside a larger one."""
FORMATS = "PNG", "JPEG", "WEBP"
"""Kinds of files that are read: pillow has a file of PostScript drawn by another program."""
Cells = dict[tuple[int, int], Box]
"""Boxes of the differences in each cell, by its column and row."""


@record
class Difference:
    """How much of a picture differs, where, and the picture that shows it."""

    share: float
    most: int
    """Largest distance of two colours at one place, of 255."""
    boxes: list[Box]
    """In pixels of the picture, the largest first."""
    picture: bytes


def difference(before: bytes, after: bytes, kind: str) -> Difference | None:
    """Compare two pictures; None where each pixel is the same.

    Raises `ActionError` for what is no picture, or one of another size.
    """
    from PIL import Image, ImageChops

    new = _opened(after)
    old = _opened(before, new.size)
    parts = ImageChops.difference(old, new).split()
    apart = ImageChops.lighter(ImageChops.lighter(parts[0], parts[1]), parts[2])
    most = max(level for level, count in enumerate(apart.histogram()) if count)
    if not most:
        return None
    mask = apart.point([0] + [255] * 255)
    cells = _cells(mask)
    if kind != "png" and most >= LEAST:
        mask, cells = _without_noise(apart, mask, cells)
    share = mask.histogram()[255] / (mask.width * mask.height)
    pale = Image.blend(new, Image.new("RGB", new.size, "white"), 0.7)
    pale.paste(new, mask=mask)
    boxes = _boxes(cells)
    _outline(pale, boxes)
    return Difference(share=share, most=most, boxes=boxes, picture=encoded(pale, kind))


def _opened(picture: bytes, size: tuple[int, int] | None = None) -> Any:
    """Return an image without transparency: what is clear is white, as paper is.

    The header tells the size: none of another size is read.
    """
    from PIL import Image

    try:
        image = pillow().open(BytesIO(picture), formats=FORMATS)
        if size not in (None, image.size):
            sizes = " and ".join("{} x {}".format(*pair) for pair in (image.size, size))
            raise ActionError(
                f"The pictures have {sizes} pixels, and cannot be compared.",
                hint="Take both with the same full_page, ref or region, in a viewport of one size.",
                code="other_size",
            )
        clear = image.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise ActionError(
            "The file is not a picture that can be read.", code="no_picture"
        ) from None
    paper = Image.new("RGBA", clear.size, "white")
    return Image.alpha_composite(paper, clear).convert("RGB")


def _outline(image: Any, boxes: Iterable[Box]) -> None:
    from PIL import ImageDraw

    pen = ImageDraw.Draw(image)
    for left, top, width, height in boxes:
        pen.rectangle((left, top, left + width, top + height), outline="#b3124f", width=2)


def _without_noise(apart: Any, mask: Any, cells: Cells) -> tuple[Any, Cells]:
    """Leave out faint differences in the cells of strong ones, and beside them."""
    strong = apart.point([0] * LEAST + [255] * (256 - LEAST))
    merged = _cells(strong)
    alone = {at: box for at, box in cells.items() if merged.keys().isdisjoint(_around_cell(at))}
    for left, top, width, height in alone.values():
        edges = int(left), int(top), int(left + width), int(top + height)
        strong.paste(mask.crop(edges), edges)
    return strong, merged | alone


def _around_cell(at: tuple[int, int]) -> Iterator[tuple[int, int]]:
    column, row = at
    return ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))


def _cells(mask: Any) -> Cells:
    """Return the boxes around what differs in each cell that has a difference."""
    across, down = -(-mask.width // CELL), -(-mask.height // CELL)
    cells = Cells()
    for row in range(down):
        strip = mask.crop((0, row * CELL, mask.width, (row + 1) * CELL))
        if strip.getbbox() is None:
            continue
        for column in range(across):
            cell = strip.crop((column * CELL, 0, (column + 1) * CELL, CELL)).getbbox()
            if cell is not None:
                left, top, right, bottom = cell
                cells[column, row] = (
                    column * CELL + left,
                    row * CELL + top,
                    right - left,
                    bottom - top,
                )
    return cells


def _boxes(cells: Cells) -> list[Box]:
    """Return the boxes around what differs: cells that touch are one, the largest boxes first."""
    cells, boxes = dict(cells), list[Box]()
    while cells:
        first = next(iter(cells))
        waiting, group = [first], [cells.pop(first)]
        while waiting:
            for cell_at in _around_cell(waiting.pop()):
                if cell_at in cells:
                    group.append(cells.pop(cell_at))
                    waiting.append(cell_at)
        boxes.append(_around(group))
    return sorted(boxes, key=lambda box: -box[2] * box[3])


def _around(boxes: Sequence[Box]) -> Box:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right = max(box[0] + box[2] for box in boxes)
    return left, top, right - left, max(box[1] + box[3] for box in boxes) - top


def nearest(box: Box, places: "Sequence[Placed]") -> "Placed | None":
    """Return the smallest element around the middle of a box, else the one that is nearest."""
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2

    def distance(place: "Placed") -> tuple[float, float]:
        left, top, width, height = place.box
        across, down = max(left - x, 0, x - left - width), max(top - y, 0, y - top - height)
        return across**2 + down**2, place.size

    return min(places, key=distance, default=None)
