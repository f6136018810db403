"""Occlusion on a page: elements drawn opaque, and backdrops over the whole window.

browser-use leaves out what lies below something opaque, and takes for that the whole box of an
element: also the part that a scroll container cuts off, also where a parent is transparent, and
whatever background it has that is not wholly transparent. The agent would not be told a text that
everybody sees. What a modal dims is covered by its backdrop, though it is seen through: nobody can
use it before the modal is closed.

What is known of an element are its box and the styles that browser-use asks for. A parent with a
`transform`, `filter` or `contain`, `clip-path`, and what is put into a slot are not reckoned with:
what they cut off, or let through, still covers. Coordinates are those of the DevTools protocol's
`DOMSnapshot`: CSS pixels of the document.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

OPAQUE = 0.8
"""Least opacity that covers; browser-use's own figure, for `opacity` alone."""
DIM = 0.2
"""Least opacity of a backdrop over the window: backdrops have 0.3 to 0.8."""
ALPHA = re.compile(r"(?:rgba\(.*,|/) *([\d.e-]+)\)$")
"""How opaque a computed color is, if written: `rgba(0, 0, 0, 0.5)`, `lab(0 0 0 / 0.5)`."""
DOCUMENT = "#document"
ROOTS = ("html", "body")
"""Elements whose `overflow` clips at the window, and not at their box."""


class Inside(NamedTuple):
    """Boxes that clip the children of an element."""

    clip: Any = None
    """The box outside of which none is drawn, None: anywhere."""
    outer: Any = None
    """The same for those that are placed absolutely."""
    opacity: float = 1.0


def install() -> None:
    """Have browser-use reckon with what is drawn."""
    from browser_use.dom.serializer import serializer
    from browser_use.dom.serializer.paint_order import PaintOrderRemover

    base: Any = PaintOrderRemover

    class Covering(base):  # type: ignore[misc]
        def calculate_paint_order(self) -> None:
            _leave_out_covered(self.root, self._document_context)

    serializer.PaintOrderRemover = Covering


def _leave_out_covered(root: Any, document_of: Any) -> None:
    from browser_use.dom.serializer.paint_order import RectUnionPure

    layers = defaultdict(list)
    for node in _nodes(root):
        drawn = node.original_node.snapshot_node
        if drawn and drawn.bounds and drawn.paint_order is not None:
            layers[drawn.paint_order].append(node)
    known: dict[int, Inside] = {}
    covered: Any = defaultdict(RectUnionPure)
    for order in sorted(layers, reverse=True):
        boxes = []
        for node in layers[order]:
            document = document_of(node)
            whole = _box(node.original_node)
            node.ignored_by_paint_order = covered[document].contains(whole)
            box = _covers(node.original_node, whole, known)
            if box and box.area():
                boxes.append((document, box))
        for document, box in boxes:
            covered[document].add(box)


def _nodes(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        yield (node := stack.pop())
        stack.extend(node.children)


def _covers(element: Any, whole: Any, known: dict[int, Inside]) -> Any:
    styles = _styles(element)
    around = _inside(element.parent_node, known)
    drawn = around.opacity * _opacity(styles) * _alpha(styles)
    if drawn < (DIM if _is_backdrop(element, styles) else OPAQUE):
        return None
    return _common(whole, _clip(styles, around))


def _is_backdrop(element: Any, styles: Mapping[str, str]) -> bool:
    """Whether it lies over the whole window, and takes the mouse."""
    if styles.get("position") != "fixed" or styles.get("pointer-events") == "none":
        return False
    top = element
    while top.parent_node is not None and top.tag_name != "html":
        top = top.parent_node
    window, box = top.snapshot_node and top.snapshot_node.clientRects, element.snapshot_node.bounds
    return bool(window) and box.width >= window.width and box.height >= window.height


def _inside(element: Any, known: dict[int, Inside]) -> Inside:
    chain = []
    while element is not None and element.node_name != DOCUMENT and id(element) not in known:
        chain.append(element)
        element = element.parent_node
    around = known.get(id(element), Inside())
    for node in reversed(chain):
        around = known[id(node)] = _narrowed(node, around)
    return around


def _narrowed(element: Any, around: Inside) -> Inside:
    styles = _styles(element)
    if not styles or element.tag_name in ROOTS:
        return around
    clip = _clip(styles, around)
    if styles.get("overflow", "visible") != "visible" and styles.get("display") != "inline":
        clip = _common(_box(element), clip)
    placed = styles.get("position", "static") != "static"
    return Inside(clip, clip if placed else around.outer, around.opacity * _opacity(styles))


def _clip(styles: Mapping[str, str], around: Inside) -> Any:
    """Return the box that cuts an element off: the window's alone for one that is `fixed`."""
    match styles.get("position"):
        case "fixed":
            return None
        case "absolute":
            return around.outer
    return around.clip


def _styles(element: Any) -> Mapping[str, str]:
    drawn = element.snapshot_node
    return (drawn and drawn.bounds and drawn.computed_styles) or {}


def _opacity(styles: Mapping[str, str]) -> float:
    return float(styles.get("opacity", "1"))


def _alpha(styles: Mapping[str, str]) -> float:
    color = styles.get("background-color", "")
    match = ALPHA.search(color)
    return float(match[1]) if match else float(bool(color))


def _box(element: Any) -> Any:
    from browser_use.dom.serializer.paint_order import Rect

    bounds = element.snapshot_node.bounds
    return Rect(bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height)


def _common(box: Any, clip: Any) -> Any:
    from browser_use.dom.serializer.paint_order import Rect

    if clip is None:
        return box
    left, top = max(box.x1, clip.x1), max(box.y1, clip.y1)
    return Rect(left, top, max(left, min(box.x2, clip.x2)), max(top, min(box.y2, clip.y2)))
