"""Differences between a picture and the one before it, with the nearest elements."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from strap import ActionError, UsageError
from strap.text import counted
from strap_browser.actions.pictures.difference import LEAST, difference, nearest
from strap_browser.actions.pictures.marks import pillow
from strap_browser.actions.pictures.places import Placed, placed
from strap_browser.interaction.element import called
from strap_browser.snapshot.snapshot import namer

if TYPE_CHECKING:
    from strap_browser.actions.pictures.marking import Take
    from strap_browser.actions.pictures.shots import Shot
    from strap_browser.engine.frames.geometry import Box
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder

KINDS = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
MOST_BYTES = 100_000_000
"""Bytes of a file: PNG has at most four a pixel that `screenshot` saves, and mostly one."""
MOST_BOXES = 8
"""Places that are told."""
MOST_PLACES = 2_000
"""Elements among which the nearest is looked for."""


async def tell_changes(
    state: "PageState", shot: "Shot", file: Path | None, answer: "ResponseBuilder", take: "Take"
) -> list[bytes]:
    """Say what differs from the last picture, or from a file; return a picture of that."""
    pillow()
    if file is None:
        key, before = state.pictures or (None, [])
        shown = replace(shot, kind=key[4], single=key[5]) if key else replace(shot, single=False)
        if key != shown.key:
            await take(state, shown)
            answer.add(f"There is no earlier picture of that; this one is kept. {shown.caption}")
            return []
    else:
        before = [await asyncio.to_thread(_read, file)]
        shown = replace(shot, kind=KINDS[file.suffix.lower()], single=True)
    after = await take(state, shown)
    pairs = zip(before, after, strict=True)
    differences = [await asyncio.to_thread(difference, *pair, shot.kind) for pair in pairs]
    differing = [
        (tile, diff)
        for tile, diff in zip(shown.tiles, differences, strict=True)
        if diff is not None
    ]
    if not differing:
        answer.add("Same picture.")
        return []
    boxes = [shown.on_page(box, tile) for tile, change in differing for box in change.boxes]
    share = sum(change.share for _, change in differing) / len(differences)
    faint = max(change.most for _, change in differing)
    by = f" by at most {faint} of 255" if faint < LEAST else ""
    await _tell(state, shown, share, boxes, by, answer)
    return [change.picture for _, change in differing]


async def _tell(
    state: "PageState",
    shot: "Shot",
    share: float,
    boxes: "list[Box]",
    by: str,
    answer: "ResponseBuilder",
) -> None:
    """Add the share of what differs, and where that is."""
    taken = await state.peek()
    places, _ = await placed(state, taken, shot.view, hit=False, most=MOST_PLACES)
    name = namer(taken, state.refs)

    def near(box: "Box") -> str:
        place: Placed | None = nearest(box, places)
        if place is None:
            return ""
        ref = name(place.item.ref, place.item)
        return f" near {called(place.item.role, place.item.name, ref)}"

    percent = f"{share:.1%}" if share >= 0.001 else "Less than 0.1%"
    answer.add(f"{percent} of the picture differs{by}, in {counted(len(boxes), 'place')}:")
    for left, top, width, height in boxes[:MOST_BOXES]:
        size = f"{width:.0f} x {height:.0f} px at {left:.0f}, {top:.0f}"
        answer.add(size + near((left, top, width, height)))
    if len(boxes) > MOST_BOXES:
        answer.add(f"and {len(boxes) - MOST_BOXES:,} smaller places.")


def _read(path: Path) -> bytes:
    """Return a picture's file; raises `UsageError` and `ActionError`."""
    if path.suffix.lower() not in KINDS:
        raise UsageError(
            f"value={path.name!r} is not a valid way to take a picture.",
            hint="Valid: marks, region, changed, or a file ending in .png, .jpg or .webp.",
        )
    try:
        if path.is_file():  # a pipe would never end
            if path.stat().st_size > MOST_BYTES:
                raise ActionError(f"{str(path)!r} is too large to be compared.", code="too_large")
            return path.read_bytes()
    except OSError:
        pass
    raise ActionError(
        f"{str(path)!r} cannot be read.",
        hint="Take it first: screenshot with output.",
        code="no_picture",
    )
