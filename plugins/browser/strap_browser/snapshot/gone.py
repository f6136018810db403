"""Items that leave a page and come back, as all do behind a dialog that hides them."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from strap_browser.snapshot.diff import MOST_ALIKE, SnapshotDiff, key, pair, size
from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.refs import Refs


class Gone:
    """Items that left a page when much of it did: a dialog that closes brings them back."""

    def __init__(self) -> None:
        self._document = -1
        self._items: dict[str, list[SnapshotItem]] = {}

    def note(self, changes: list[SnapshotDiff], document: int) -> None:
        """Keep what is told as gone, if it is much; `document` is the number of the page's."""
        gone = [change.item for change in changes if change.sign == "-"]
        if sum(map(size, gone)) > MOST_ALIKE:
            self._document, self._items = document, {}
            for item in gone:
                self._items.setdefault(key(item), []).append(item)

    def taken_back(
        self, changes: list[SnapshotDiff], document: int, refs: Refs
    ) -> list[SnapshotDiff]:
        """Return the changes with `=` for what is there again, and then what of it is different.

        That is so for much alone, and for what was shown before it went; it is kept no longer.
        """
        if document != self._document:
            return changes
        pairs = [(change, self._take(change, refs)) for change in changes]
        if sum(size(change.item) for change, old in pairs if old) <= MOST_ALIKE:
            return changes
        return [
            change for _, run in groupby(pairs, lambda pair: pair[0].sign) for change in _again(run)
        ]

    def _take(self, change: SnapshotDiff, refs: Refs) -> SnapshotItem | None:
        items = self._items.get(key(change.item)) if change.sign == "+" else None
        if not items or not all(refs.seen(item.ref) for item in change.item.walk() if item.ref):
            return None
        return items.pop(0)


def _again(
    run: Iterable[tuple[SnapshotDiff, SnapshotItem | None]],
) -> Iterator[SnapshotDiff]:
    different: list[SnapshotDiff] = []
    for change, old in run:
        yield SnapshotDiff("=", change.item) if old else change
        if old:
            different += pair(old, change.item)
            focused = (item for item in change.item.walk() if "focused" in item.states.split())
            different += (SnapshotDiff("~", item) for item in focused)
    shown = set[tuple[str, int]]()
    for entry in different:
        if (which := (entry.sign, entry.item.number)) not in shown or entry.sign == "-":
            yield entry
        shown.add(which)
