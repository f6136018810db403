"""Which elements the actions of a step were meant for, in words that outlive the page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

LONGEST = 2_000
"""Characters of a name or an attribute; a longer one is not told: half a secret is not masked."""
ATTRIBUTES = {"id": "id", "testid": "data-testid", "name_attr": "name"}
"""What is told of an element's attributes, and how they are called on the page."""
Element = dict[str, Any]


def shown_elements(session: Any) -> Mapping[int, Any]:
    """Return the elements that the agent sees, by the index that its actions name them with."""
    # Not public; without it elements are told without role and frame.
    summary: Any = getattr(session, "_cached_browser_state_summary", None)
    # A copy: where an action opens another page, browser-use empties the one it looked up.
    return dict(getattr(getattr(summary, "dom_state", None), "selector_map", None) or {})


def elements_of(item: Any, shown: Mapping[int, Any]) -> Sequence[Element | None]:
    """Return the element of each action of a step, None for those that have none.

    Each has `tag`, `name` and `role` (those of the accessibility tree), the attributes `id`,
    `testid` and `name_attr` where it has them, `frame` (true) where it is inside one, and `alike`:
    how many the agent was shown of that role and name, where they are several.
    """
    if item is None:
        return []
    nodes = {node.backend_node_id: node for node in shown.values()}
    actions = item.model_output.action if item.model_output else []
    by_index = [shown.get(action.get_index()) for action in actions]
    meant = zip_longest(item.state.interacted_element, by_index)
    return [(one or other) and _told(one or other, nodes) for one, other in meant]


def _told(element: Any, nodes: Mapping[int, Any]) -> Element:
    attributes = element.attributes or {}
    node = nodes.get(element.backend_node_id)
    name = element.ax_name if hasattr(element, "ax_name") else _called(element)[1]
    told = {
        "role": getattr(getattr(node, "ax_node", None), "role", None),
        "name": name or "",
        "tag": element.node_name.lower(),
        **{key: attributes.get(name) for key, name in ATTRIBUTES.items()},
    }
    kept = {key: value for key, value in told.items() if value is not None and _fits(value)}
    alike = Counter(map(_called, nodes.values()))[_called(node)] if node is not None else 0
    more = {"frame": True} if _is_framed(node) else {}
    return kept | more | ({"alike": alike} if alike > 1 else {})


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
