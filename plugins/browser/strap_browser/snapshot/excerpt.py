"""What to show of a long line that is another now: it begins a little before the difference."""

from dataclasses import replace

from strap_browser.snapshot.items import SnapshotItem

LONG = 120
"""Characters up to which a text is told from its beginning."""
BEFORE = 40
"""Characters of a longer one that are told before the difference."""
LEFT_OUT = "…"


def from_difference(old: SnapshotItem, new: SnapshotItem) -> SnapshotItem:
    """Return the new item with texts, and what else is on its line, from the difference on."""
    name, body = _from(old.name, new.name), _from(old.body, new.body)
    children = _children(old, new) if new.separator == " " else new.children
    return replace(new, name=name, body=body, children=children)


def _from(old: str, new: str) -> str:
    """Return a text as it is told where it was another."""
    if old == new or len(new) <= LONG:
        return new
    pairs = enumerate(zip(old, new, strict=False))
    same = next((number for number, (one, other) in pairs if one != other), len(old))
    if same <= LONG:
        return new
    begin = new.rfind(" ", 0, same - BEFORE) + 1 or same - BEFORE
    return LEFT_OUT + new[begin:]


def _children(old: SnapshotItem, new: SnapshotItem) -> list[SnapshotItem]:
    """Return what stands on the line, without what is the same before what is different."""
    before, now = old.children if old.separator else [], new.children
    pairs = zip(before, now, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if _said(one) != _said(other)), None)
    if at is None or sum(map(len, map(_said, now[:at]))) + len(new.body) <= LONG:
        return now
    left_out = SnapshotItem("text", role="text", body=LEFT_OUT)
    return [left_out, from_difference(before[at], now[at]), *now[at + 1 :]]


def _said(item: SnapshotItem) -> str:
    return " ".join(f"{part.role} {part.name} {part.states} {part.body}" for part in item.walk())
