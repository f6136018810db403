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
    new = _unchecked({each.ref: each.states.split() for each in old.walk() if each.ref}, new)
    name, body = _from(old.name, new.name), _from(old.body, new.body)
    children = _children(old, new) if new.separator == " " else new.children
    return replace(new, name=name, body=body, children=children)


def _unchecked(before: Mapping[str, list[str]], new: SnapshotItem) -> SnapshotItem:
    """Return the item with what its line no longer has: that a box is ticked."""
    is_box = new.role in BOXES and CHECKED in before.get(new.ref, ()) and CHECKED not in new.states
    states = f"{new.states} unchecked".strip() if is_box else new.states
    children = (
        [_unchecked(before, each) for each in new.children] if new.separator else new.children
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
    before, now = old.children if old.separator else [], new.children
    pairs = enumerate(zip(before, now, strict=False))
    shorter = min(len(before), len(now))
    at = next((n for n, (one, other) in pairs if _said(one) != _said(other)), shorter)
    if at == len(now) or sum(map(len, map(_said, now[:at]))) + len(new.body) <= LONG:
        return now
    first = from_difference(before[at], now[at]) if at < len(before) else now[at]
    return [SnapshotItem("text", role="text", body=LEFT_OUT), first, *now[at + 1 :]]


def _said(item: SnapshotItem) -> str:
    return " ".join(f"{part.role} {part.name} {part.states} {part.body}" for part in item.walk())
