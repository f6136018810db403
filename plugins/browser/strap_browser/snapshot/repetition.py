"""What says nothing that is not said beside it."""

from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.roles import LABELLED


def without_labels(items: list[SnapshotItem]) -> list[SnapshotItem]:
    """Leave out the labels of fields: of the texts beside one, the first that is its name.

    What else says the same is no label: an answer beside it, or what a button shows itself.
    """
    labelled: set[int] = set()
    kept: list[SnapshotItem] = []
    for index, item in enumerate(items):
        if item.is_plain:
            fields = (i for i in (index - 1, index + 1) if _is_name(item, items, i))
            field = next((i for i in fields if i not in labelled), None)
            if field is not None:
                labelled.add(field)
                continue
        kept.append(item)
    return kept


def _is_name(text: SnapshotItem, items: list[SnapshotItem], index: int) -> bool:
    """Whether a text is the name of the item at `index`, a field that has its label beside it."""
    if not 0 <= index < len(items):
        return False
    item = items[index]
    return bool(item.ref) and item.role in LABELLED and item.name == text.body


def repeats(item: SnapshotItem, name: str) -> bool:
    """Whether a name says all that the item does."""
    words = f"{item.name} {item.body}".strip()
    return words in name and all(repeats(child, name) for child in item.children)
