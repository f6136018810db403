"""What says nothing that is not said beside it."""

from strap_browser.snapshot.items import SnapshotItem


def without_labels(items: list[SnapshotItem]) -> list[SnapshotItem]:
    """Leave out text that only repeats the control beside it, and the same text twice."""
    kept: list[SnapshotItem] = []
    for index, item in enumerate(items):
        if item.is_plain:
            before = items[index - 1] if index else None
            after = items[index + 1] if index + 1 < len(items) else None
            if any(
                near is not None and near.ref and near.name == item.body for near in (before, after)
            ):
                continue
            if kept and kept[-1].is_text and kept[-1].body == item.body:
                continue
        kept.append(item)
    return kept


def repeats(item: SnapshotItem, name: str) -> bool:
    """Whether a name says all that the item does."""
    words = f"{item.name} {item.body}".strip()
    return words in name and all(repeats(child, name) for child in item.children)
