"""What stands around a thing on the page: where that is another, so is the thing of its name."""

from collections.abc import Iterable, Iterator

from strap_browser.snapshot.items import CONTROLS, SnapshotItem
from strap_browser.snapshot.roles import VALUED

FOUND_BY_NAME = CONTROLS | {"heading", "img", "dialog", "row", "cell"}
"""Roles by which an element can be found again."""
CHOSEN = VALUED | {"combobox"}
"""Roles whose content is a value."""
ENTRIES = frozenset(("alertdialog", "article", "dialog", "listitem", "row", "treeitem"))
"""Roles of what is one thing among others: what is in it says which, what is beside it does not."""
NEWS = frozenset(("alert", "log", "progressbar", "status", "timer"))
"""Roles of what tells how something is going."""
TEXTS = 3
"""Texts to each side that tell where something is, in what is no entry, or a long one."""
MOST = 30
"""Things to each side that are looked at for them; an entry of more than twice as many is long."""
Around = tuple[tuple[str, ...], tuple[str, ...]]


class Surroundings:
    """What is said around each of `items`, looked at when it is first asked for.

    It is told as a number, which is the same, in one process, where the same is said. What is not
    the only one of its role and name has none: what is around it says where it is, not which.
    """

    def __init__(self, items: list[SnapshotItem]) -> None:
        self._items = items
        self._order: list[SnapshotItem] = []
        self._entries: list[SnapshotItem | None] = []
        self._called: dict[tuple[str, str], list[SnapshotItem]] = {}

    def of(self, item: SnapshotItem) -> int | None:
        """Return what is around it, None where it is not alone or it is none of these."""
        alone = self._only(item.role, item.name)
        if alone is None or alone.any_ref != item.any_ref:
            return None
        return hash(self._words(alone))

    def like(self, role: str, name: str, around: int) -> SnapshotItem | None:
        """Return the only item of that role and name, None if something else is around it."""
        alone = self._only(role, name)
        return alone if alone is not None and hash(self._words(alone)) == around else None

    def _only(self, role: str, name: str) -> SnapshotItem | None:
        """Return what has that role and name, None if it is not one or no such thing."""
        if not name or role not in FOUND_BY_NAME:
            return None
        if not self._order:
            for top in self._items:
                self._add(top, None)
        found = self._called.get((role, name), ())
        return found[0] if len(found) == 1 else None

    def _add(self, item: SnapshotItem, entry: SnapshotItem | None) -> None:
        self._order.append(item)
        self._entries.append(entry)
        if item.name:
            self._called.setdefault((item.role, item.name), []).append(item)
        for child in item.children:
            self._add(child, item if item.role in ENTRIES else entry)

    def _words(self, item: SnapshotItem) -> Around:
        """Return what the entry says beside it that it is in; where it is in none, what is near."""
        entry = self._entries[item.number]
        while entry is not None:
            begin, end = entry.number, entry.end
            if end - begin > 2 * MOST:
                return self._near(item, begin, end)
            before, after = self._order[begin : item.number], self._order[item.end : end]
            if any(map(_tells, before)) or any(map(_tells, after)):
                return tuple(_said(before)), tuple(_said(after))
            entry = self._entries[begin]
        return self._near(item, 0, len(self._order))

    def _near(self, item: SnapshotItem, begin: int, end: int) -> Around:
        before = self._order[max(begin, item.number - MOST) : item.number]
        after = self._order[item.end : min(end, item.end + MOST)]
        return tuple(_said(_texts(reversed(before)))), tuple(_said(_texts(after)))


def _texts(items: Iterable[SnapshotItem]) -> Iterator[SnapshotItem]:
    """Yield them up to the last of so many texts."""
    left = TEXTS
    for item in items:
        yield item
        left -= _tells(item)
        if not left:
            return


def _tells(item: SnapshotItem) -> bool:
    """Whether it may say which thing it is of that it stands in: not what is done with it."""
    return bool(item.name or item.body) and item.role not in CONTROLS | NEWS


def _said(items: Iterable[SnapshotItem]) -> Iterator[str]:
    for item in items:
        if item.role not in NEWS:
            yield f"{item.role} {item.name} {'' if item.role in CHOSEN else item.body}"
