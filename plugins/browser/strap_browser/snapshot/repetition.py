"""Drop items whose text a neighbour already shows."""

import re
from collections import Counter

from strap_browser.snapshot.items import UNSEEN, SnapshotItem
from strap_browser.snapshot.nodes import Node

OPENING = {")": "(", "]": "["}


def without_labels(items: list[SnapshotItem]) -> list[SnapshotItem]:
    """Leave out the labels of fields: of the texts beside one, the first that is its name.

    What else says the same is no label: an answer beside it, or what a button shows itself. What
    nobody sees is left out beside whatever is called so.
    """
    labelled: set[int] = set()
    rest: list[SnapshotItem] = []
    for index, item in enumerate(items):
        if item.is_plain:
            called = _called_so(items, index)
            if called and item.states == UNSEEN:
                continue
            field = next((i for i in called if items[i].labelled and i not in labelled), None)
            if field is not None:
                labelled.add(field)
                continue
        rest.append(item)
    return rest


def _called_so(items: list[SnapshotItem], index: int) -> list[int]:
    """Return the places beside a text of what can be used and has that text as its name."""
    beside = (i for i in (index - 1, index + 1) if 0 <= i < len(items))
    text = squeezed(items[index].body)
    return [i for i in beside if items[i].ref and squeezed(items[i].name) == text]


class Brackets:
    """The brackets in the texts of an element, whose `items` come one after the other."""

    __slots__ = ("_count", "_items", "_seen")

    def __init__(self, items: list[SnapshotItem]) -> None:
        self._items, self._seen = items, 0
        self._count: Counter[str] | None = None

    def closing(self, node: Node) -> list[SnapshotItem]:
        """Return the bracket that closes an open one: that is no separator."""
        text = node.text.strip()
        if node.role != "text" or text[:1] not in OPENING:
            return []
        count = self._counted()
        if count[OPENING[text[0]]] <= count[text[0]]:
            return []
        return [SnapshotItem("text", body=text, kind="text", role="text").at(node, node.marks)]

    def _counted(self) -> Counter[str]:
        """Count the brackets of items that have come since."""
        self._count = self._count or Counter()
        for item in self._items[self._seen :]:
            if item.is_text:
                self._count.update(c for c in item.body if c in "()[]")
        self._seen = len(self._items)
        return self._count


def repeats(item: SnapshotItem, name: str) -> bool:
    """Whether a name says all that the item does; what can be chosen says more than its name."""
    if item.role == "option" or not _is_said(f"{item.name} {item.body}".strip(), name):
        return False
    return all(repeats(child, name) for child in item.children)


def _is_said(words: str, name: str) -> bool:
    """Whether the words are words of the name: `1` is none of `Page of 10`."""
    if not words or squeezed(words) == squeezed(name):
        return True
    return words in name and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", name) is not None


def squeezed(text: str) -> str:
    """Leave out blanks: a name joins what only a margin keeps apart, as the star in `Title *`."""
    return "".join(text.split())
