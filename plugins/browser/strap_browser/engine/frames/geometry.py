"""Places in frames as places on the page.

Each frame has coordinates of its own; the element that it is in may lie anywhere, scaled or
turned. The browser tells the four corners of what is inside that element (`DOM.getBoxModel`).
"""

import json
from collections.abc import Iterable, Sequence

from strap_browser.engine.frames.frame import Frame
from strap_browser.page_script.bundle import question

Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, width and height."""


async def places_on_page(frame: Frame, places: Sequence[Place]) -> list[Place]:
    """Return where places in a frame's viewport are in that of the page; raises `CdpError`."""
    shown = list(places)
    while (owner := await frame.owner()) is not None:
        view = json.loads(await frame.ask(question("view", {})))
        model = await owner.session.send("DOM.getBoxModel", objectId=owner.object_id)
        owner.release()
        shown = [_within(model["model"]["content"], view["view"], place) for place in shown]
        assert frame.parent_frame is not None
        frame = frame.parent_frame.local_root  # what the corners are told in
    return shown


async def box_on_page(frame: Frame, box: Box) -> Box:
    """Return the box around what a box in a frame is on the page; raises `CdpError`."""
    left, top, width, height = box
    right, bottom = left + width, top + height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return box_around(await places_on_page(frame, corners))


def box_around(places: Iterable[Place]) -> Box:
    """Return the box around some places."""
    across, down = zip(*places, strict=True)
    return min(across), min(down), max(across) - min(across), max(down) - min(down)


def _within(quad: Sequence[float], size: Sequence[float], place: Place) -> Place:
    """Return where a place of a frame of this size is between the corners that it has."""
    part_x = place[0] / size[0] if size[0] else 0.0
    part_y = place[1] / size[1] if size[1] else 0.0
    x = quad[0] + part_x * (quad[2] - quad[0]) + part_y * (quad[6] - quad[0])
    y = quad[1] + part_x * (quad[3] - quad[1]) + part_y * (quad[7] - quad[1])
    return x, y
