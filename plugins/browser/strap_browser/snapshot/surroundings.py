"""Surroundings of an element: if they change, it is about something else."""

import re
from bisect import bisect_right
from collections.abc import Container, Iterable
from operator import attrgetter

from strap_browser.page_script.roles import roles_with
from strap_browser.snapshot.items import APPEARING, CONTROLS, FADING, UNSEEN, SnapshotItem
from strap_browser.snapshot.roles import VALUED

FOUND_BY_NAME = CONTROLS | {"heading", "img", "dialog", "row", "cell"}
"""Roles by which an element can be found again."""
ENTRIES = roles_with("record")
"""Roles of what is one thing among others: what is in it says which, what is beside it does not."""
ALONE = "item"
"""The kind of what is all that an item of a list has."""
FLEETING = frozenset((UNSEEN, FADING, APPEARING, "focused", "active"))
"""States that tell of the moment, not of what it is."""
TEXTS = 3
"""Texts to each side that tell where something is, in what is no entry, or a long one."""
MOST = 30
"""Things to each side that are looked at for them; an entry of more than twice as many is long."""
LEVEL = re.compile(r"h[1-6]|heading")
"""How the label of a heading begins."""
_number = attrgetter("number")
Word = tuple[str, ...]
Place = tuple[SnapshotItem | None, tuple[Word, ...]]
"""The entry that something is in, and the headings that it is under, the highest first."""


class Surroundings:
    """Surroundings of each of `items`; looked at when they are first asked for.

    It is told as a number, which is the same, in one process, where the same is said. What is not
    the only one of its role and name has none: what is around it says where it is, not which.
    """

    def __init__(self, items: list[SnapshotItem], order: list[SnapshotItem]) -> None:
        self._items = items
        self.order = order
        """All items, each at its number."""
        self._places: list[Place] = []
        self._called: dict[tuple[str, str], list[SnapshotItem]] = {}
        self._view = 0
        """Hash of the view that the page shows, where it has several, such as tabs."""

    def of(self, item: SnapshotItem) -> int | None:
        """Return what is around it, None where it is not alone, or nothing tells which it is."""
        alone = self._only(item.role, item.name)
        if alone is None or alone.any_ref != item.any_ref:
            return None
        return self._around(alone)

    def like(self, role: str, name: str, around: int) -> SnapshotItem | None:
        """Return the only item of that role and name, None if something else is around it."""
        alone = self._only(role, name)
        return alone if alone is not None and self._around(alone) == around else None

    def alike(self, raws: Container[str]) -> list[SnapshotItem]:
        """Return the controls of these refs that are not known by their name alone."""
        items = (item for item in self.order if item.ref in raws)
        return [item for item in items if self._only(item.role, item.name) is None]

    def saying(self, text: str, *, open_end: bool = False) -> list[SnapshotItem]:
        """Return what has a text, or one that begins so, as its name or its body.

        An index would cost more than the few times that it is asked for one page.
        """
        if open_end:
            return [e for e in self.order if e.name.startswith(text) or e.body.startswith(text)]
        return [item for item in self.order if item.name == text or item.body == text]

    def around(self, item: SnapshotItem) -> list[SnapshotItem]:
        """Return what an item stands in, the nearest first."""
        ancestors: list[SnapshotItem] = []
        level = self._items
        while level:
            above = level[bisect_right(level, item.number, key=_number) - 1]
            if above is item:
                break
            ancestors.append(above)
            level = above.children
        return ancestors[::-1]

    def _only(self, role: str, name: str) -> SnapshotItem | None:
        if not name or role not in FOUND_BY_NAME:
            return None
        if not self._places:
            self._look()
        items = self._called.get((role, name), ())
        return items[0] if len(items) == 1 else None

    def _look(self) -> None:
        rest: list[tuple[SnapshotItem, SnapshotItem | None]]
        rest = [(item, None) for item in reversed(self._items)]
        above: tuple[Word, ...] = ()
        view: list[Word] = []
        while rest:
            item, entry = rest.pop()
            self._places.append((entry, above))
            if item.name:
                self._called.setdefault((item.role, item.name), []).append(item)
            if level := LEVEL.match(item.label):
                above = (*(known for known in above if known[0] < level[0]), (level[0], item.name))
            if _is_shown(item):
                view.append((item.role, item.name))
            inside = item if item.role in ENTRIES else entry
            rest.extend((child, inside) for child in reversed(item.children))
        self._view = hash(tuple(view))

    def _around(self, item: SnapshotItem) -> int | None:
        """Return what is said in the entry that it is in, where it is in none what is near."""
        if item.kind == ALONE and not _leads(item):
            return None
        entry, above = self._places[item.number]
        begin, end = (entry.number, entry.end) if entry else (0, len(self.order))
        near = entry is None or end - begin > 2 * MOST
        if near:
            begin, end = max(begin, item.number - MOST), min(end, item.end + MOST)
        before, after = self.order[begin : item.number], self.order[item.end : end]
        if entry and not (entry.name or any(map(_tells, before)) or any(map(_tells, after))):
            return None
        if near:
            before, after = _near(reversed(before)), _near(after)
        texts = (tuple(map(_as_word, before)), tuple(map(_as_word, after)))
        return hash((item.url, entry and entry.name, above, self._view, texts))


def _near(items: Iterable[SnapshotItem]) -> list[SnapshotItem]:
    near: list[SnapshotItem] = []
    left = TEXTS
    for item in items:
        near.append(item)
        left -= _tells(item)
        if not left:
            break
    return near


def _tells(item: SnapshotItem) -> bool:
    """Whether it may say which thing it is of that it stands in: not what is done with it."""
    if item.role in CONTROLS:
        return _leads(item) or (item.role in VALUED and bool(item.body))
    return bool(item.name or item.body)


def _leads(item: SnapshotItem) -> bool:
    """Whether it has an address, which may say what it is of."""
    return item.url not in ("", "#")


def _is_shown(item: SnapshotItem) -> bool:
    """Whether it leads to what the page shows now."""
    states = item.states.split()
    return (item.role == "tab" and "selected" in states) or "current" in states


def _as_word(item: SnapshotItem) -> Word:
    """Return all that it says; as it stands there, since names of any length are compared."""
    states = (state for state in item.states.split() if state not in FLEETING)
    return (item.role, item.name, item.body, item.url, *states)
