"""News among the changes of a page: not mere states, nor texts that change by themselves."""

from collections.abc import Iterable

from strap import count_tokens
from strap.text import counted
from strap_browser.snapshot.diff import LIMITS, SnapshotDiff, is_reach, plain
from strap_browser.snapshot.items import APPEARING, FADING, UNSEEN, SnapshotItem
from strap_browser.snapshot.refs import Refs
from strap_browser.snapshot.rendering import Limits, Renderer
from strap_browser.snapshot.snapshot import Snapshot, namer

MESSAGES = {"alert", "alertdialog", "dialog", "status"}
"""ARIA roles of what a page announces (WAI-ARIA 1.2, live regions and windows)."""
PLAIN = Renderer(lambda _raw, _item: "", Limits())


def has_news(
    changes: list[SnapshotDiff], raw: str, restless: Iterable[str], *, gone: bool = True
) -> bool:
    """Whether there is more than states, than the texts that always change, and what is unseen.

    `raw` is the page's own ref of the element acted on. Without `gone` what went does not count.
    """
    return any(
        not _is_state(change, raw) and not is_among(change, restless) and not _comes_unseen(change)
        for change in _without_lost_reach(changes)
        if gone or change.sign != "-"
    )


def _comes_unseen(change: SnapshotDiff) -> bool:
    """Whether it is there, but nobody sees any of it: what fades in comes so."""
    if change.sign != "+":
        return False
    return _are_all(UNSEEN, _shown_items(change.item))


def fades_in(changes: list[SnapshotDiff]) -> str:
    """Return whether some of what came appears, or all of it is to fade in: `items.APPEARING`.

    The latter is so of a tab's panel once the one before it is gone. "" where neither is so.
    Pictures do so when they are there, which nobody waits for.
    """
    new = [item for change in changes if change.sign != "-" for item in _new_in(change)]
    shown = [item for item in new if item.role != "img"]
    if any(APPEARING in item.states.split() for item in shown):
        return APPEARING
    return FADING if _are_all(FADING, shown) else ""


def _new_in(change: SnapshotDiff) -> list[SnapshotItem]:
    """Return what says something that the page did not, but for what is to be unseen as before."""
    item, old = change.item, change.old
    if old is None:
        return _shown_items(item)
    is_same = (item.name, item.body) == (old.name, old.body) or FADING in old.states.split()
    return [] if is_same else [item]


def _shown_items(top: SnapshotItem) -> list[SnapshotItem]:
    return [item for item in top.walk() if item.name or item.body]


def _are_all(state: str, items: list[SnapshotItem]) -> bool:
    return bool(items) and all(state in item.states.split() for item in items)


def _is_state(change: SnapshotDiff, raw: str) -> bool:
    """Whether it is but a state: of what has or had the focus, or of the page's own ref `raw`.

    That something is within reach no longer, or seen, is one, too: what fades out is so before it
    is gone. So is that something is open, of which what it shows is the news.
    """
    item, old = change.item, change.old
    if old is None or old.name != item.name:
        return False
    if is_reach(change):
        return True
    after, before = set(item.states.split()), set(old.states.split())
    if UNSEEN in after and before == after - {UNSEEN, FADING, APPEARING}:
        return True
    if (after ^ before) - {"focused"} == {"expanded"} and old.body == item.body:
        return True
    focused = "focused" in f"{old.states} {item.states}".split()
    return focused or (bool(raw) and raw in (item.ref, item.container))


def _without_lost_reach(changes: list[SnapshotDiff]) -> list[SnapshotDiff]:
    """Return the changes without what is told as gone and come only as it is out of reach now."""
    came = [change.item for change in changes if change.sign == "+"]
    if not came or any(item.ref for top in came for item in top.walk()):
        return changes
    gone = _words(change.item for change in changes if change.sign == "-")
    return [change for change in changes if change.sign == "~"] if _words(came) <= gone else changes


def _words(items: Iterable[SnapshotItem]) -> set[str]:
    return {
        word for top in items for item in top.walk() for word in f"{item.name} {item.body}".split()
    }


def new_lines(old: Snapshot, new: Snapshot, refs: Refs, tokens: int) -> list[str]:
    """Return the lines that a page did not have before, whatever their refs, as many as fit."""
    known = {line.text for line in PLAIN.lines(old.items)}
    fresh = {line.number for line in PLAIN.lines(new.items) if line.text not in known}
    return _written(new, refs, tokens, fresh)


def messages(snapshot: Snapshot, refs: Refs, tokens: int) -> list[str]:
    """Return the lines of alerts, status messages and dialogs that are seen, as many as fit."""
    parts = [
        range(item.number, item.end)
        for top in snapshot.items
        for item in top.walk()
        if item.role in MESSAGES and UNSEEN not in item.states.split() and any(_shown_items(item))
    ]
    lines = (line.number for line in PLAIN.lines(snapshot.items))
    meant = {number for number in lines if any(number in part for part in parts)}
    return _written(snapshot, refs, tokens, meant)


def _written(snapshot: Snapshot, refs: Refs, tokens: int, numbers: set[int]) -> list[str]:
    """Return the lines with these numbers, as many as fit."""
    named = Renderer(namer(snapshot, refs), LIMITS)
    lines: list[str] = []
    for item in (part for top in snapshot.items for part in top.walk() if part.number in numbers):
        lines.append(named.line(item))
        tokens -= count_tokens(lines[-1]) + 1
        if tokens < 0:
            lines[-1] = f"… {counted(len(numbers) - len(lines) + 1, 'more line')}"
            break
    return lines


def is_among(change: SnapshotDiff, texts: Iterable[str]) -> bool:
    """Whether its line has one of the texts."""
    line = " ".join(plain(change.item).split())
    return any(text in line for text in texts)
