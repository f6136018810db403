"""Places on the page where the elements of a snapshot are seen."""

from typing import TYPE_CHECKING

from strap import record
from strap_browser.engine.frames.geometry import Box, Place, box_around, places_on_page

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.page_state import PageState
    from strap_browser.snapshot.items import SnapshotItem
    from strap_browser.snapshot.snapshot import Snapshot

LIMIT = 5.0
"""Seconds for the document of a frame; a slower one is left out. 10,000 elements take 1 s."""
FRAMES = frozenset(("iframe", "frame", "object", "embed"))


@record
class Placed:
    """An element in its box on the page, in CSS pixels of the viewport.

    `at` is a place where a click reaches it.
    """

    item: "SnapshotItem"
    box: Box
    at: Place

    @property
    def label(self) -> str:
        """The label of the item, without the sign of a list, of which it stands alone here."""
        return self.item.label.removeprefix("- ")

    @property
    def size(self) -> float:
        """Square pixels."""
        return self.box[2] * self.box[3]


async def placed(
    state: "PageState", taken: "Snapshot", view: Box, *, hit: bool, most: int
) -> tuple[list[Placed], int]:
    """Return the smallest `most` elements seen in `view`, and how many have a place there.

    With `hit` they are those that a click reaches, which only the viewport has.
    """
    items = {item.ref: item for top in taken.items for item in top.walk() if item.ref}
    frames: dict[Frame, list[str]] = {}
    for ref in items:
        frames.setdefault(state.frame_of(ref), []).append(ref)
    places, met = list[Placed](), 0
    for frame, refs in frames.items():
        inside = frame.parent_frame is not None
        left, top, width, height = view
        edges = None if inside else [left, top, left + width, top + height]
        params = {"refs": refs, "view": edges, "hit": hit, "most": most}
        if inside:
            answer = await state.ask_within(frame, "places", LIMIT, **params)
        else:
            answer = await state.ask("places", **params)
        if answer is None:
            continue
        met += answer["met"]
        boxes = [
            (items[ref], (x, y, w, h), (px, py)) for ref, x, y, w, h, px, py in answer["places"]
        ]
        places.extend(
            await _on_page(state, frame, boxes, hit=hit)
            if inside
            else (Placed(item=item, box=box, at=at) for item, box, at in boxes)
        )
    shown = sorted(
        (place for place in places if _meets(place.box, view)), key=lambda place: place.size
    )
    return shown[:most], met


async def _on_page(
    state: "PageState", frame: "Frame", boxes: list[tuple["SnapshotItem", Box, Place]], *, hit: bool
) -> list[Placed]:
    """Return where the elements of a frame are on the page, as far as nothing lies over it."""
    if not boxes:
        return []
    corners = [
        place
        for _, (left, top, width, height), at in boxes
        for place in (
            (left, top),
            (left + width, top),
            (left + width, top + height),
            (left, top + height),
            at,
        )
    ]
    moved = await places_on_page(frame, corners)
    places = [
        Placed(item=item, box=box_around(moved[5 * n : 5 * n + 4]), at=moved[5 * n + 4])
        for n, (item, *_) in enumerate(boxes)
    ]
    if not hit:
        return places
    tags = (await state.ask("topmost", at=[place.at for place in places]))["tags"]
    return [place for place, tag in zip(places, tags, strict=True) if tag in FRAMES]


def _meets(box: Box, view: Box) -> bool:
    return (
        box[0] < view[0] + view[2]
        and box[1] < view[1] + view[3]
        and box[0] + box[2] > view[0]
        and box[1] + box[3] > view[1]
    )
