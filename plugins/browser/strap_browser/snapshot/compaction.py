"""From the tree of a page to what a model needs of it: nothing twice, no empty wrappers."""

from collections.abc import Callable, Iterable, Sequence

from strap_browser.snapshot.items import CONTROLS, UNSEEN, SnapshotItem, lines_of
from strap_browser.snapshot.nodes import NOWHERE, Node
from strap_browser.snapshot.repetition import Brackets, repeats, squeezed, without_labels
from strap_browser.snapshot.roles import (
    CARDS,
    CELLS,
    INLINE,
    LINES,
    PARTS,
    PUNCTUATION,
    UNNAMED_SPLICED,
    VALUED,
)


def compact(nodes: Sequence[Node]) -> list[SnapshotItem]:
    """Return the items that `nodes` come to."""
    items: list[SnapshotItem] = []
    brackets = Brackets(items)
    for node in nodes:
        items += _compact(node) or brackets.closing(node)
    return without_labels(items) if len(items) > 1 else items


def _compact(node: Node) -> list[SnapshotItem]:
    if node.role == "text":
        return _text(node.text, node)
    if node.hidden and not any(n.ref and (n.pointer or n.role in CONTROLS) for n in node.below()):
        return []
    special = _SPECIAL.get(node.role)
    if special is not None:
        return special(node)
    if node.role in CONTROLS:
        return _control(node)
    if node.role in LINES:
        return _line(node)
    return _container(node)


def _text(text: str, node: Node = NOWHERE) -> list[SnapshotItem]:
    text = _clean(text)
    if not text or (len(text) <= 2 and set(text) <= PUNCTUATION):
        return []
    return [SnapshotItem("text", body=text, kind="text", role="text").at(node, node.marks)]


def _lines(node: Node) -> list[SnapshotItem]:
    """A text that is no paragraph, as code: each of its lines is one, with its blanks."""
    lines = lines_of(node.text)
    text = SnapshotItem("text", body=node.text, kind="text", role="text")
    item = SnapshotItem("pre", role="pre", children=lines) if len(lines) > 1 else text
    return [item.at(node, node.marks)]


def _parts(node: Node) -> list[SnapshotItem]:
    """Texts of one line of which some have a ref of their own, as they were asked for."""
    parts = compact(node.children)
    line = SnapshotItem("text", kind="text", role=PARTS, separator=" ", children=parts)
    return [line] if len(parts) > 1 else parts


def _wrapper(node: Node) -> list[SnapshotItem]:
    """A generic element: worth a line only if it can be clicked or is named."""
    items = _content(node)
    if not (node.pointer and node.ref):
        return _named(node, items) if node.name else items
    parted, is_said = node.parted and len(items) > 1, all(item.is_plain for item in items)
    if (len(items) == 1 and items[0].is_text) or (is_said and not parted):
        body = " ".join(item.body for item in items)
        name, body = (node.name, body) if node.name and node.name != body else (body, node.icon)
        return [_item(node, "clickable", name=name, body=body, kind="control")]
    if len(items) == 1 and items[0].ref:
        return items
    says = items[0].is_plain and not items[0].states and not parted
    if not (name := node.name) and says:  # what it says, beside what is used in it
        name, items = items[0].body, items[1:]
    return [_item(node, "clickable", name=name, kind="group", children=items)]


def _control(node: Node) -> list[SnapshotItem]:
    name, body = _clean(node.name), _clean(node.text)
    inside = [i for i in compact(node.children) if i.leads or not repeats(i, name)]
    if node.role == "option":
        words = name or body
        item = _item(node, node.role, name=words, body="" if words else node.icon, kind="option")
        item.children = [child for child in inside if child.leads]
        item.separator = _separator(item.children)
        return [item]
    if all(item.is_plain for item in inside):
        body, inside = _clean(" ".join((body, *(item.body for item in inside)))), []
    if body and (not name or squeezed(body) == squeezed(name)) and node.role not in VALUED:
        name, body = name or body, ""
    if not body and node.placeholder and node.placeholder != name:
        body = f"({_clean(node.placeholder)})"
    look = node.look if not name else node.icon
    if node.role == "menuitem" and UNSEEN in node.marks and not (name or body or look or inside):
        return []
    item = _item(node, node.role, name=name, body=body or look, kind="control", children=inside)
    if len(inside) == 1 and inside[0].role == "pre":  # the lines of a value
        item.children = inside[0].children
        item.mark(inside[0].states)
    elif inside and all(child.role == "option" and not child.ref for child in inside):
        _choose(item)
    elif inside and all(child.is_inline for child in inside):
        item.separator = " "
    return [item]


def _moved(node: Node) -> list[SnapshotItem]:
    """A splitter: a slider, where it can be moved; else a line with any text."""
    return _control(node) if node.pointer else _content(node)


def _choose(item: SnapshotItem) -> None:
    """Show a native drop-down, or a field with a list, as its value and its options beside it."""
    chosen = [option.name for option in item.children if "selected" in option.states]
    item.body = ", ".join(chosen) or item.body
    item.separator = ", "
    for option in item.children:
        option.states = ""


def _heading(node: Node) -> list[SnapshotItem]:
    level = next((mark[6:] for mark in node.marks if mark.startswith("level=")), "")
    label = f"h{level}" if level else "heading"
    name = _clean(node.name or node.text)
    inside = [i for i in compact(node.children) if i.leads or not repeats(i, name)]
    if len(inside) == 1 and inside[0].ref and inside[0].name == name:
        inside[0].label = f"{label} {inside[0].label}"
        inside[0].kind = ""
        return inside
    if not name and not inside:
        return []
    return [_item(node, label, name=name, children=inside, separator=_separator(inside))]


def _image(node: Node) -> list[SnapshotItem]:
    """A picture; a drawing (SVG) is what is written in it, too."""
    inside = compact(node.children)
    if any(map(str.isalnum, node.text)):
        inside = _text(node.text) + inside
    if not node.name and not node.pointer:
        return inside
    kind = "control" if node.pointer else "text"
    return [_item(node, "img", name=_clean(node.name), kind=kind, children=inside)]


def _row(node: Node) -> list[SnapshotItem]:
    cells = _text(node.text)
    heads = 0
    for child in node.children:
        cell = _compact(child) if child.role in CELLS else [_cell_of(_compact(child))]
        heads += child.role == "columnheader"
        cells.extend(cell)
    label = "columns" if heads and heads == len(node.children) else "row"
    item = _item(node, label, kind="" if label == "columns" else "row", children=cells)
    if all(cell.is_inline for cell in cells):
        item.separator = " | "
    return [item] if cells else []


def _cell(node: Node) -> list[SnapshotItem]:
    items = _content(node) or _text(node.name)
    cell = _cell_of(items)
    if node.pointer and not cell.ref:
        cell.ref, cell.version, cell.about, cell.place = node.ref, node.version, node.about, ""
    elif not (cell.ref or cell.place):
        cell.at(node)
    cell.mark(*_states(node, acts=bool(cell.ref)))
    return [cell]


def _cell_of(items: list[SnapshotItem]) -> SnapshotItem:
    """The content of a cell as one item; an empty cell keeps its place."""
    if len(items) == 1:
        return items[0]
    return SnapshotItem("", kind="text", role="cell", children=items, separator=_separator(items))


def _line(node: Node) -> list[SnapshotItem]:
    """A paragraph, list item or status: one line where its content is simple."""
    items = [
        p for item in _content(node) for p in (item.children if item.role == PARTS else [item])
    ]
    bullet = node.role == "listitem"
    sign = node.number or "-"
    label = sign if bullet else "text" if node.role == "paragraph" else node.role
    kind = "item" if bullet else "text"
    if not items:
        return [_item(node, label, name=node.name, kind=kind)] if node.name else []
    clickable = node.pointer and bool(node.ref) and not any(item.ref for item in items)
    if len(items) == 1 and items[0].is_text:
        only = _saying(_item(node, label, name=node.name, kind=kind), items[0])
        only.role = "text" if label == "text" else node.role
        only.ref = node.ref if clickable else ""
        return [only]
    if not clickable and not bullet and all(item.ref or item.role == "pre" for item in items):
        return items
    if len(items) == 1 and not clickable and bullet:
        items[0].label, items[0].kind = f"{sign} {items[0].label}", "item"
        return items
    line = _item(node, label, name=node.name, kind=kind, children=items)
    line.ref = node.ref if clickable else ""
    line.separator = _separator(items)
    return [line]


def _container(node: Node) -> list[SnapshotItem]:
    items = _content(node)
    if node.role in UNNAMED_SPLICED and not node.name and not node.pointer:
        return items
    return _named(node, items)


def _named(node: Node, items: list[SnapshotItem]) -> list[SnapshotItem]:
    """A container with a line of its own; a chain of containers shares one line."""
    label = "group" if node.role == "generic" else node.role
    only = items[0] if len(items) == 1 else None
    if only and only.is_text and not node.pointer:
        return [_saying(_item(node, label, name=node.name), only)]
    if only and only.holds and not node.name and not node.pointer:
        only.label = f"{label} {only.label}"
        return [only]
    awaited = node.role == "progressbar" and UNSEEN not in node.marks
    if not (items or node.name or node.pointer or node.role == "iframe" or awaited):
        return []
    kind = "group" if node.role in CARDS else ""
    return [_item(node, label, name=node.name, kind=kind, children=items)]


def _saying(item: SnapshotItem, text: SnapshotItem) -> SnapshotItem:
    """Return the item with the text, which is all that it says."""
    item.body, item.place, item.place_version = text.body, text.place, text.place_version
    item.mark(text.states)
    return item


def _content(node: Node) -> list[SnapshotItem]:
    return _text(node.text) + compact(node.children)


def _item(
    node: Node,
    label: str,
    *,
    name: str = "",
    body: str = "",
    kind: str = "",
    children: list[SnapshotItem] | None = None,
    separator: str = "",
) -> SnapshotItem:
    shown = node.role in CONTROLS or node.pointer
    return SnapshotItem(
        label,
        name=_clean(name),
        ref=node.ref if shown else "",
        states=" ".join(_states(node, acts=shown)),
        body=body,
        kind=kind,
        role=node.role,
        container=node.barred or ("" if shown else node.ref),
        url=node.url,
        labelled=node.labelled,
        separator=separator,
        version=node.version,
        about=node.about,
        children=children or [],
    )


def _states(node: Node, *, acts: bool) -> Iterable[str]:
    for mark in node.marks:
        is_told = node.role == "heading" and mark.startswith("level=")
        if not is_told and (acts or mark != "focused"):
            yield mark


def _separator(items: list[SnapshotItem]) -> str:
    return " " if items and all(item.is_inline for item in items) else ""


def _clean(text: str) -> str:
    return " ".join(text.split())


_SPECIAL: dict[str, Callable[[Node], list[SnapshotItem]]] = {
    **dict.fromkeys(INLINE, _wrapper),
    **dict.fromkeys(CELLS, _cell),
    "heading": _heading,
    "img": _image,
    "lines": _lines,
    PARTS: _parts,
    "row": _row,
    "scrollbar": lambda node: _control(node) if node.pointer else _container(node),
    "separator": _moved,
}
