"""Moves of the focus, which comparisons leave out."""

from strap_browser.snapshot.diff import SnapshotDiff, key
from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.snapshot import Snapshot


def led_elsewhere(old: Snapshot, new: Snapshot, raw: str) -> list[SnapshotDiff]:
    """Return what has the focus now and had not before, [] where that was to be expected.

    An action gives it to the element that it acts on, the page's own ref `raw`, or to what that
    is in.
    """
    focused, before = _focused(new), _focused(old)
    if focused is None or (before is not None and key(before) == key(focused)):
        return []
    if any(raw in (item.ref, item.container, item.place) for item in focused.walk()):
        return []
    return [SnapshotDiff("~", focused, before)]


def _focused(snapshot: Snapshot) -> SnapshotItem | None:
    items = (item for top in snapshot.items for item in top.walk())
    return next((item for item in items if "focused" in item.states.split()), None)
