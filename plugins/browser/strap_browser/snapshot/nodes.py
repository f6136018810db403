"""Outline of a document by the page's agent (`page_script/accessibility/outline.js`), as a tree."""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import Any

from strap_browser.page_script.bundle import ScriptAnswer

PLACES = ("ref", "barred", "frame", "awaited", "children")
"""Fields that tell a node's place in the tree."""
Within = Callable[[str, int], "list[Node] | None"]
"""Returns what a frame shows, by the ref of its element and its number in the document, -1 where
it has none; None if its document is not there."""
LOADING = "loading"


@dataclass(slots=True, eq=False)
class Node:
    """An element, or with role `text` a piece of text, or `lines` one whose line breaks count.

    With role `parts` it is one line of several texts.

    `ref` names the document and the element in it, `marks` are its states (`checked`, `level=2`),
    `text` is the value of a field or the only text inside; a piece of text has the `ref` of the
    element that holds it, where places were asked for; `hidden` is what assistive technology
    is not to know of.
    """

    role: str
    name: str = ""
    text: str = ""
    marks: tuple[str, ...] = ()
    ref: str = ""
    barred: str = ""
    """The ref of a control that takes no mouse now: nobody is to act on it."""
    pointer: bool = False
    parted: bool = False
    """Whether it is a large area, which is more than its text."""
    hidden: bool = False
    labelled: bool = False
    """Whether the name of a field is that of a label of its own."""
    url: str = ""
    placeholder: str = ""
    icon: str = ""
    """Icon of a control without a name, by its markup."""
    number: str = ""
    """Marker drawn before a list item, where its place does not tell it."""
    version: int = 0
    """Number of its role, name and subject among those that it was seen with, 0 for the first."""
    about: str = ""
    """Its subject, where that may be another than at first, a line for each text."""
    children: list["Node"] = field(default_factory=list)

    @property
    def look(self) -> str:
        """Name of its icon, or its text that is hidden from assistive technology."""
        hidden = (node for child in self.below() if child.hidden for node in child.below())
        return self.icon or " ".join(node.text for node in hidden if node.text)

    def below(self) -> "Iterator[Node]":
        """Yield it and all that is in it."""
        yield self
        for child in self.children:
            yield from child.below()


NOWHERE = Node("text")
"""A text without a place of its own."""


def accessibility_tree(outline: ScriptAnswer, within: Within | None = None) -> list[Node]:
    """Return what the outline `outline` shows, and inside its frames what `within` returns."""
    document = outline["id"]

    def node(raw: dict[str, Any] | str) -> Node:
        if isinstance(raw, str):
            return Node("text", text=raw)
        fields = {key: value for key, value in raw.items() if key not in PLACES}
        built = Node(**fields, children=[node(child) for child in raw.get("children", ())])
        if number := raw.get("ref"):
            built.ref = f"{document}.{number}"
        if number := raw.get("barred"):
            built.barred = f"{document}.{number}"
        if within is not None and "frame" in raw:
            inside = within(built.ref, raw["frame"])
            built.children = inside or []
            if inside is None and raw.get("awaited"):
                built.marks = (*built.marks, LOADING)
        return built

    return [node(child) for child in outline["tree"]]


def unclaimed(outline: ScriptAnswer, numbers: Container[int]) -> list[str]:
    """Return the refs of the elements with frames whose numbers in their document are not these."""
    frames: list[str] = []
    rest: list[dict[str, Any] | str] = list(outline["tree"])
    while rest:
        raw = rest.pop()
        if isinstance(raw, str):
            continue
        if "frame" in raw and raw.get("ref") and raw["frame"] not in numbers:
            frames.append(f"{outline['id']}.{raw['ref']}")
        rest.extend(raw.get("children", ()))
    return frames
