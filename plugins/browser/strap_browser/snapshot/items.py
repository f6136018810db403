"""Items of a compacted snapshot, each of them one line or part of one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from strap_browser.page_script.roles import roles_with

if TYPE_CHECKING:
    from strap_browser.snapshot.nodes import Node

CONTROLS = roles_with("control")
"""ARIA roles that a caller acts on: they always show their ref."""

LINE = "line"
"""Role of a line of a text that is told line by line, indented as it is."""
UNSEEN = "invisible"
"""The state of what nobody sees."""
FADING, APPEARING = "fading", "appearing"
"""With that: of what a style would have fade in, and of what an animation does, in addition. They
are for who waits for it, and not told."""


@dataclass(slots=True, eq=False)
class SnapshotItem:
    """One thing on the page: `label "name" ref states: body`.

    `ref` is the page's own and always shown; `container` is that of an element which shows it only
    where it is asked for or part of it is left out, `place` that of plain text, likewise, with a
    version of its own. `kind` groups siblings that may be folded ("" never is). With a `separator`
    the children stand on the same line. In reading order the item and all below it have the
    numbers from `number` up to, not including, `end`.
    """

    label: str
    name: str = ""
    ref: str = ""
    states: str = ""
    body: str = ""
    kind: str = ""
    role: str = ""
    container: str = ""
    place: str = ""
    url: str = ""
    separator: str = ""
    labelled: bool = False
    version: int = 0
    place_version: int = 0
    about: str = ""
    children: list["SnapshotItem"] = field(default_factory=list)
    number: int = 0
    end: int = 0

    def at(self, node: "Node", marks: Iterable[str] = ()) -> "SnapshotItem":
        """Take the place of the node, with the marks; returns the item."""
        self.place, self.place_version = node.ref, node.version
        self.mark(*marks)
        return self

    @property
    def is_text(self) -> bool:
        """Whether it is nothing but loose text."""
        return self.role == "text" and not self.ref and not self.children

    @property
    def holds(self) -> bool:
        """Whether it is there for what it contains, which can be asked for."""
        return bool(self.container) and not self.ref and self.role not in CONTROLS

    @property
    def is_plain(self) -> bool:
        """Whether it is text without a place of its own, as all is where none was asked for."""
        return self.is_text and not self.place

    @property
    def told_states(self) -> str:
        """The states as they are told."""
        return self.states.replace(f" {FADING}", "").replace(f" {APPEARING}", "")

    @property
    def leads(self) -> bool:
        """Whether there is something in it that is to be found by itself."""
        return any(item.ref or item.place for item in self.walk())

    @property
    def is_inline(self) -> bool:
        """Whether it can stand within a line."""
        return not self.children or bool(self.separator)

    @property
    def any_ref(self) -> str:
        """The page's own ref of what shows it, always or only where it is asked for."""
        return self.ref or self.container or self.place

    def mark(self, *states: str) -> None:
        """Add what else is to be told of it: a state that its content has too is told once."""
        own = self.states.split()
        self.states = " ".join(
            filter(None, (self.states, *(state for state in states if state not in own)))
        )

    def walk(self) -> Iterator["SnapshotItem"]:
        """Yield the item and everything below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()


def is_icon_name(text: str) -> bool:
    """Whether a text is what a snapshot calls an icon, such as `<svg.plus>`: no page shows it."""
    return text.startswith("<")


def lines_of(text: str) -> list[SnapshotItem]:
    """Return the lines of a text that say something."""
    lines = (line.rstrip() for line in text.split("\n"))
    return [SnapshotItem(LINE, body=line, kind=LINE, role=LINE) for line in lines if line]


def hold(item: SnapshotItem, value: str) -> None:
    """Let a field hold a value, on the line of the field or on lines of its own."""
    lines, others = lines_of(value), [child for child in item.children if child.role != LINE]
    is_long = len(lines) > 1
    item.body, item.children = ("", lines) if is_long else (" ".join(value.split()), others)


def number(items: list[SnapshotItem]) -> list[SnapshotItem]:
    """Number the items and all below them in reading order; return them in it."""
    order: list[SnapshotItem] = []

    def add(level: list[SnapshotItem]) -> None:
        for item in level:
            item.number = len(order)
            order.append(item)
            if item.children:
                add(item.children)
            item.end = len(order)

    add(items)
    return order


def find(items: list[SnapshotItem], ref: str) -> SnapshotItem | None:
    """Return the item with the page's own `ref`, if there is one."""
    for top in items:
        for item in top.walk():
            if ref in (item.ref, item.container, item.place):
                return item
    return None
