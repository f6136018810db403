"""Tasks of dragging: sorting lists, resizing, marking text."""

import re

from benchmarks.wire import Failed
from benchmarks.wob.episode import Episode, Lost, exact

PLACES = {"1st": 0, "2nd": 1, "3rd": 2, "4th": 3, "5th": 4}
CORNERS = {
    "top left": 0,
    "top center": 1,
    "top right": 2,
    "center left": 3,
    "center": 4,
    "center right": 5,
    "bottom left": 6,
    "bottom center": 7,
    "bottom right": 8,
}

STEPS = {"up by one": -3, "down by one": 3, "left by one": -1, "right by one": 1}


def _items(e: Episode) -> list[str]:
    return re.findall(r"^ *- (\S+)$", e.seen, re.MULTILINE)


def drag_items(e: Episode) -> None:
    """Onto the item whose place it takes: the 1st, or one up or down."""
    name, where = e.said(r"Drag (\w+) (?:to the )?(\w+)")
    names = _items(e)
    place = {**PLACES, "top": 0, "bottom": len(names) - 1}.get(where)
    if place is None:
        place = names.index(name) + (1 if where == "down" else -1)
    e.web("drag", selector=exact(name), value=exact(names[place]))


def drag_items_grid(e: Episode) -> None:
    name, where = e.said(r"Drag (\w+) (?:to the )?(.*?)\.?$")
    names = _items(e)
    place = CORNERS.get(where)
    if place is None:
        place = names.index(name) + STEPS[where]
    e.web("drag", selector=exact(name), value=exact(names[place]))


def drag_sort_numbers(e: Episode) -> None:
    """Take the lowest of what is left to where it belongs."""
    for place in range(len(_items(e))):
        numbers = [int(each) for each in _items(e)]
        lowest = place + numbers[place:].index(min(numbers[place:]))
        if lowest != place:
            e.web("drag", selector=f"li >> nth={lowest}", value=f"li >> nth={place}")
            e.look()
    e.submit()


def drag_box(e: Episode) -> None:
    e.web("drag", selector=exact("s"), value=exact("L"))
    e.submit()


def resize_textarea(e: Episode) -> None:
    """Find the handle by what is in the way at the corner."""
    width, height = e.size(ref=e.ref("textbox"))
    said = ""
    try:
        e.web("click", ref=e.ref("textbox"), x=width - 3, y=height - 3)
    except Failed as error:
        said = str(error)
    handle = re.search(r"covered by <(\w+(?:\.[\w-]+)+)>", said)
    if handle is None:
        raise Lost(said)
    by = -25 if "smaller" in e.goal else 25
    e.web("drag", selector=handle[1], value=f"{by},0" if "width" in e.goal else f"0,{by}")
    e.submit()


def highlight_text(e: Episode) -> None:
    number = re.search(r"(\d)(?:st|nd|rd|th) paragraph", e.goal)
    text = e.texts[int(number[1])] if number else e.texts[-1]
    width, height = e.size(selector=exact(text))
    e.web("drag", selector=exact(text), x=1, y=3, value=f"{width - 3:g},{height - 6:g}")
    e.submit()


TASKS = {
    "drag-items": drag_items,
    "drag-items-grid": drag_items_grid,
    "drag-sort-numbers": drag_sort_numbers,
    "drag-box": drag_box,
    "resize-textarea": resize_textarea,
    "highlight-text": highlight_text,
    "highlight-text-2": highlight_text,
}
