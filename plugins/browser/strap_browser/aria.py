"""What the page's agent tells of a document (`page/outline.js`), as a tree."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from strap_browser.agent import Answer

PLACES = ("ref", "frame", "children")
"""What is told of a node's place in the tree."""
Within = Callable[[int], "list[Node]"]
"""Returns what the frame with that number in a document shows."""


@dataclass(slots=True, eq=False)
class Node:
    """An element, or with role `text` a piece of text.

    `ref` names the document and the element in it, `marks` are its states (`checked`, `level=2`),
    `text` is the value of a field or the only text inside; `hidden` is what assistive technology
    is not to know of.
    """

    role: str
    name: str = ""
    text: str = ""
    marks: tuple[str, ...] = ()
    ref: str = ""
    pointer: bool = False
    hidden: bool = False
    url: str = ""
    placeholder: str = ""
    version: int = 0
    """How often it got another role or name since it was first seen."""
    children: list["Node"] = field(default_factory=list)


def read(told: Answer, within: Within | None = None) -> list[Node]:
    """Return what the outline `told` shows, and inside its frames what `within` returns."""
    document = told["id"]

    def node(one: dict[str, Any] | str) -> Node:
        if isinstance(one, str):
            return Node("text", text=one)
        fields = {key: value for key, value in one.items() if key not in PLACES}
        found = Node(**fields, children=[node(child) for child in one.get("children", ())])
        if number := one.get("ref"):
            found.ref = f"{document}.{number}"
        if within is not None and (frame := one.get("frame", -1)) >= 0:
            found.children = within(frame)
        return found

    return [node(one) for one in told["tree"]]
