"""Elements that the actions of a step were meant for, in words that outlive the page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

LONGEST = 2_000
"""Characters of a name or an attribute; a longer one is not told: half a secret is not masked."""
ATTRIBUTES = {"id": "id", "testid": "data-testid", "name_attr": "name"}
"""Attributes that are told of an element, with their names on the page."""
ROWS = ("tr", "li", "article", "fieldset")
ROW_ROLES = ("row", "listitem", "article", "group")
LONGEST_ROW = 300
"""Characters of the words of a row; more is no row that an element is told by."""
Element = dict[str, Any]
Box = list[float]
"""Box of an element on a picture: left, top, width and height as parts of the picture's."""


def shown_elements(session: Any) -> Mapping[int, Any]:
    """Return the elements that the agent sees, by the index that its actions name them with."""
    # A copy: where an action opens another page, browser-use empties the one it looked up.
    return dict(getattr(getattr(_seen(session), "dom_state", None), "selector_map", None) or {})


def shown_size(session: Any) -> tuple[int, int] | None:
    """Return the size of what the agent sees, in CSS pixels."""
    page: Any = getattr(_seen(session), "page_info", None)
    return (page.viewport_width, page.viewport_height) if page else None


def _seen(session: Any) -> Any:
    # Not public; without it elements are told without role, frame and box.
    return getattr(session, "_cached_browser_state_summary", None)


def elements_of(item: Any, shown: Mapping[int, Any]) -> Sequence[Element | None]:
    """Return the element of each action of a step, None for those that have none.

    Each has `tag`, `name` and `role` (those of the accessibility tree), the attributes `id`,
    `testid` and `name_attr` where it has them, `frame` (true) where it is inside one, and `alike`:
    how many the agent was shown of that role and name, where they are several, and `apart` then:
    which of the attributes none of the others has, and `row`, the words of the row, entry or card
    that it stands in, where those of all others are other words.
    """
    nodes = {node.backend_node_id: node for node in shown.values()}
    return [element and _facts(element, nodes) for element in _meant(item, shown)]


def boxes_of(
    item: Any, shown: Mapping[int, Any], size: tuple[int, int] | None
) -> Sequence[Box | None]:
    """Return where the element of each action is on the picture of a step, None where unknown."""
    nodes = {node.backend_node_id: node for node in shown.values()}
    meant = [element and nodes.get(element.backend_node_id) for element in _meant(item, shown)]
    return [_box(getattr(node, "absolute_position", None), size) for node in meant]


def aimed_at(action: Any, session: Any) -> tuple[Element | None, int | None]:
    """Return the element of an action that begins, and its backend node id on the agent's page.

    The ids of other processes, which frames may be in, mean nothing there.
    """
    shown = shown_elements(session)
    node = shown.get(action.get_index())
    if node is None:
        return None, None
    own = getattr(node, "target_id", None) == session.agent_focus_target_id
    element = _facts(node, {other.backend_node_id: other for other in shown.values()})
    return element, node.backend_node_id if own else None


def _meant(item: Any, shown: Mapping[int, Any]) -> list[Any]:
    if item is None:
        return []
    actions = item.model_output.action if item.model_output else []
    by_index = [shown.get(action.get_index()) for action in actions]
    meant = zip_longest(item.state.interacted_element, by_index)
    return [own or other for own, other in meant]


def _box(place: Any, size: tuple[int, int] | None) -> Box | None:
    if place is None or size is None or not all(size):
        return None
    width, height = size
    parts = place.x / width, place.y / height, place.width / width, place.height / height
    return [round(part, 4) for part in parts]


def _facts(element: Any, nodes: Mapping[int, Any]) -> Element:
    attributes = element.attributes or {}
    node = nodes.get(element.backend_node_id)
    name = element.ax_name if hasattr(element, "ax_name") else _called(element)[1]
    facts = {
        "role": getattr(getattr(node, "ax_node", None), "role", None),
        "name": name or "",
        "tag": element.node_name.lower(),
        **{key: attributes.get(name) for key, name in ATTRIBUTES.items()},
    }
    known = {key: value for key, value in facts.items() if value is not None and _fits(value)}
    more = {"frame": True} if _is_framed(node) else {}
    return known | more | _beside(node, known, nodes)


def _beside(node: Any, element: Element, nodes: Mapping[int, Any]) -> Element:
    """Return how many are called so, where they are several, and what tells this one apart."""
    if node is None:
        return {}
    called = _called(node)
    others = [other for other in nodes.values() if other is not node and _called(other) == called]
    if not others:
        return {}
    apart = [
        key
        for key, name in ATTRIBUTES.items()
        if key in element
        and all((other.attributes or {}).get(name) != element[key] for other in others)
    ]
    facts: Element = {"alike": len(others) + 1, **({"apart": apart} if apart else {})}
    row = _row_of(node)
    return facts | ({"row": row} if row and row not in map(_row_of, others) else {})


def _row_of(node: Any) -> str:
    while (node := node.parent_node) is not None and node.node_name != "#document-fragment":
        role = (node.attributes or {}).get("role")
        if node.node_name.lower() in ROWS or role in ROW_ROLES:
            text = ""
            for part in _texts(node):
                text = f"{text} {' '.join(part.split())}".strip()
                if len(text) > LONGEST_ROW:
                    return ""
            return text
    return ""


def _texts(node: Any) -> Iterator[str]:
    waiting = [node]
    while waiting:  # pages nest as deep as they like
        child = waiting.pop()
        if child.node_name == "#text":
            yield child.node_value
        waiting += reversed(child.children_nodes or ())


def _called(node: Any) -> tuple[str, str]:
    ax_node = getattr(node, "ax_node", None)
    return getattr(ax_node, "role", None) or "", getattr(ax_node, "name", None) or ""


def _fits(value: str) -> bool:
    return len(value) <= LONGEST


def _is_framed(node: Any) -> bool:
    while (node := getattr(node, "parent_node", None)) is not None:
        if node.node_name.lower() in ("iframe", "frame"):
            return True
    return False
