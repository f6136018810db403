"""What says nothing that is not said beside it."""

from strap_browser.snapshot.items import UNSEEN, SnapshotItem


def without_labels(items: list[SnapshotItem]) -> list[SnapshotItem]:
    """Leave out the labels of fields: of the texts beside one, the first that is its name.

    What else says the same is no label: an answer beside it, or what a button shows itself. What
    nobody sees is left out beside whatever is called so.
    """
    labelled: set[int] = set()
    kept: list[SnapshotItem] = []
    for index, item in enumerate(items):
        if item.is_plain:
            if item.states == UNSEEN and _is_said_beside(items, index):
                continue
            fields = (i for i in (index - 1, index + 1) if _is_name(item, items, i))
            field = next((i for i in fields if i not in labelled), None)
            if field is not None:
                labelled.add(field)
                continue
        kept.append(item)
    return kept


def _is_said_beside(items: list[SnapshotItem], index: int) -> bool:
    """Whether something beside a text is called so."""
    beside = items[max(index - 1, 0) : index + 2]
    return any(near.ref and near.name == items[index].body for near in beside)


def _is_name(text: SnapshotItem, items: list[SnapshotItem], index: int) -> bool:
    """Whether a text is the name of the item at `index`, which a label gives it."""
    if not 0 <= index < len(items):
        return False
    item = items[index]
    return item.labelled and bool(item.ref) and item.name == text.body


def repeats(item: SnapshotItem, name: str) -> bool:
    """Whether a name says all that the item does."""
    words = f"{item.name} {item.body}".strip()
    return words in name and all(repeats(child, name) for child in item.children)
