"""Pictures with marks: where the elements are while the picture is taken."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from strap.text import counted
from strap_browser.actions.pictures.marks import MOST, drawn, legend, pillow
from strap_browser.actions.pictures.places import Placed, placed

if TYPE_CHECKING:
    from strap_browser.actions.pictures.shots import Shot
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.snapshot.snapshot import Snapshot

Take = Callable[["PageState", "Shot"], Awaitable[list[bytes]]]
LINE_TOKENS = 14
"""Tokens of a line of the legend."""
TIMES = 3
"""How often a page that moves is taken until it stands still."""


async def marked(
    state: "PageState", shot: "Shot", answer: "ResponseBuilder", take: Take
) -> list[bytes]:
    """Take the pictures, with a number on each element that can be acted on; add the legend."""
    pillow()
    most = max(1, min(MOST, answer.left // LINE_TOKENS))
    for _ in range(TIMES):
        taken = await state.peek()
        before, met = await _places(state, taken, shot, most)
        pictures = await take(state, shot)
        fresh = {
            place.item.ref: place.box for place in (await _places(state, taken, shot, most))[0]
        }
        marks = [place for place in before if fresh.get(place.item.ref) == place.box]
        if len(marks) == len(before):
            break
    marks.sort(key=lambda place: place.item.number)
    answer.add(shot.caption)
    answer.add(*legend(state, taken, marks))
    if not before:
        answer.add("Nothing in it can be acted on.")
    if len(marks) < len(before):
        moved = counted(len(before) - len(marks), "element")
        answer.add(f"{moved} moved meanwhile and got no mark.")
    if len(before) == most < met:
        answer.add(f"The {most} smallest of {met:,} are marked: value=region shows a part.")
    answer.data["marks"] = [_as_data(state, number, place) for number, place in enumerate(marks, 1)]
    return await asyncio.to_thread(_with_numbers, pictures, shot, marks)


async def _places(
    state: "PageState", taken: "Snapshot", shot: "Shot", most: int
) -> tuple[list[Placed], int]:
    return await placed(state, taken, shot.view, hit=shot.area.visible, most=most)


def _as_data(state: "PageState", number: int, mark: Placed) -> dict[str, object]:
    box = dict(zip(("x", "y", "width", "height"), mark.box, strict=True))
    return {"number": number, "ref": state.refs.seen(mark.item.ref), **box, "at": [*mark.at]}


def _with_numbers(pictures: list[bytes], shot: "Shot", marks: list[Placed]) -> list[bytes]:
    """Draw the marks on each picture that they are in."""
    numbered = []
    for picture, tile in zip(pictures, shot.tiles, strict=True):
        boxes = [(n, shot.in_picture(place.box, tile)) for n, place in enumerate(marks, 1)]
        seen = {number: box for number, box in boxes if box[2] > 0 and box[3] > 0}
        numbered.append(drawn(picture, shot.kind, seen))
    return numbered
