"""Excerpt of a long line that changed: it begins a little before the difference."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace

from strap_browser.snapshot.items import SnapshotItem

LONG = 120
"""Characters up to which a text is told from its beginning."""
BEFORE = 40
"""Characters of a longer one that are told before the difference."""
WORD = 40
"""Characters up to which a word that begins before those is told as a whole."""
LEFT_OUT = "…"
BOXES = frozenset(("checkbox", "menuitemcheckbox", "switch"))
CHECKED = "checked"


def from_difference(old: SnapshotItem, new: SnapshotItem) -> SnapshotItem:
    """Return the new item with texts, and what else is on its line, from the difference on."""
    new = _unchecked({item.ref: item.states.split() for item in old.walk() if item.ref}, new)
    name, body = _from(old.name, new.name), _from(old.body, new.body)
    children = _children(old, new) if new.separator == " " else new.children
    return replace(new, name=name, body=body, children=children)


def _unchecked(before: Mapping[str, list[str]], new: SnapshotItem) -> SnapshotItem:
    """Return the item with what its line no longer has: that a box is ticked."""
    is_box = new.role in BOXES and CHECKED in before.get(new.ref, ()) and CHECKED not in new.states
    states = f"{new.states} unchecked".strip() if is_box else new.states
    children = (
        [_unchecked(before, child) for child in new.children] if new.separator else new.children
    )
    return replace(new, states=states, children=children)


def _from(old: str, new: str) -> str:
    if old == new or len(new) <= LONG:
        return new
    places = range(1, min(len(old), len(new)) + 1)
    same = bisect_left(places, True, key=lambda place: old[:place] != new[:place])
    if same <= LONG:
        return new
    begin = same - BEFORE
    begin = new.rfind(" ", begin - WORD, begin) + 1 or begin
    return LEFT_OUT + new[begin:]


def _children(old: SnapshotItem, new: SnapshotItem) -> list[SnapshotItem]:
    before, after = old.children if old.separator else [], new.children
    pairs = enumerate(zip(before, after, strict=False))
    shorter = min(len(before), len(after))
    at = next((n for n, (left, other) in pairs if _text_of(left) != _text_of(other)), shorter)
    if at == len(after) or sum(map(len, map(_text_of, after[:at]))) + len(new.body) <= LONG:
        return after
    first = from_difference(before[at], after[at]) if at < len(before) else after[at]
    return [SnapshotItem("text", role="text", body=LEFT_OUT), first, *after[at + 1 :]]


def _text_of(item: SnapshotItem) -> str:
    return " ".join(f"{part.role} {part.name} {part.states} {part.body}" for part in item.walk())
