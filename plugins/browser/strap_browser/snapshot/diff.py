"""What changed between two snapshots of a page, as few lines with refs."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from strap import count_tokens
from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.refs import Refs
from strap_browser.snapshot.rendering import Limits, Renderer
from strap_browser.snapshot.snapshot import Snapshot, namer

TOKENS = 700
"""Largest difference; the rest is left to the next snapshot."""
LIMITS = Limits(siblings=10, characters=160)
MOST_COMPARED = 400
"""Siblings that are aligned with each other; of longer lists only membership is compared."""
REMOVED_CHARACTERS = 80
MOST_ALIKE = 10
"""So many lines in a row are told that are gone, or back; of more, the first few, and a number."""
FIRST_ALIKE = 5
AS_BEFORE = {"-": "", "+": ", as they were"}

UNSEEN = "invisible"
"""The mark of what nobody sees."""


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """`+` an item that is new, `-` one that is gone, `~` one whose line is another now."""

    sign: str
    item: SnapshotItem
    old: SnapshotItem | None = None
    """What stood there before, for `~`."""


def compare(old: Snapshot, new: Snapshot) -> list[SnapshotDiff]:
    """Return the changes in reading order."""
    return list(_compare(old.items, new.items))


def has_news(changes: list[SnapshotDiff], raw: str, restless: Iterable[str]) -> bool:
    """Whether there is more than states, than the texts that always change, and what is unseen.

    `raw` is the page's own ref of the element acted on.
    """
    return any(
        not _is_state(each, raw) and not is_among(each, restless) and not _comes_unseen(each)
        for each in _without_lost_reach(changes)
    )


def _comes_unseen(change: SnapshotDiff) -> bool:
    """Whether it is there, but nobody sees any of it: what fades in comes so."""
    if change.sign != "+":
        return False
    said = [item for item in change.item.walk() if item.name or item.body]
    return bool(said) and all(UNSEEN in item.states.split() for item in said)


def _is_state(change: SnapshotDiff, raw: str) -> bool:
    """Whether it is but a state: of what has or had the focus, or of the page's own ref `raw`.

    That something is within reach no longer, or seen, is one, too: what fades out is so before it
    is gone.
    """
    item, old = change.item, change.old
    if old is None or old.name != item.name:
        return False
    if bool(old.ref) != bool(item.ref) and _unreached(old) == _unreached(item):
        return True
    now, before = set(item.states.split()), set(old.states.split())
    if UNSEEN in now and before == now - {UNSEEN}:
        return True
    focused = "focused" in f"{old.states} {item.states}".split()
    return focused or (bool(raw) and raw in (item.ref, item.container))


def _without_lost_reach(changes: list[SnapshotDiff]) -> list[SnapshotDiff]:
    """Return the changes without what is told as gone and come only as it is out of reach now."""
    came = [each.item for each in changes if each.sign == "+"]
    if not came or any(item.ref for top in came for item in top.walk()):
        return changes
    gone = _words(each.item for each in changes if each.sign == "-")
    return [each for each in changes if each.sign == "~"] if _words(came) <= gone else changes


def _words(items: Iterable[SnapshotItem]) -> set[str]:
    return {
        word for top in items for item in top.walk() for word in f"{item.name} {item.body}".split()
    }


def is_among(change: SnapshotDiff, texts: Iterable[str]) -> bool:
    """Whether its line has one of the texts."""
    line = " ".join(_plain(change.item).split())
    return any(text in line for text in texts)


class Gone:
    """What went from a page when much of it did: a dialog that closes brings it back."""

    def __init__(self) -> None:
        self._document = -1
        self._lines: dict[str, str] = {}

    def note(self, changes: list[SnapshotDiff], document: int) -> None:
        """Keep what is told as gone, if it is much; `document` is the number of the page's."""
        gone = [change.item for change in changes if change.sign == "-"]
        if sum(map(_size, gone)) > MOST_ALIKE:
            self._document = document
            self._lines = {_key(item): _plain(item) for top in gone for item in top.walk()}

    def back(self, changes: list[SnapshotDiff], document: int) -> set[int]:
        """Return the numbers of the items that are there again as they were, without the focus."""
        came = [change.item for change in changes if change.sign == "+"]
        if document != self._document or sum(map(_size, came)) <= MOST_ALIKE:
            return set()
        return {
            item.number
            for top in came
            for item in top.walk()
            if self._lines.get(_key(item)) == _plain(item) and "focused" not in item.states.split()
        }


def describe(
    changes: list[SnapshotDiff],
    new: Snapshot,
    refs: Refs,
    max_tokens: int,
    back: Collection[int] = (),
) -> str:
    """Write the changes within `max_tokens`; the refs on the lines become known.

    `back` are the numbers of the items that are there again as they were; see `Gone`.
    """
    renderer = Renderer(namer(new, refs), LIMITS)
    removed = Renderer(lambda _raw, _item: "", Limits(siblings=3, characters=REMOVED_CHARACTERS))
    left = min(TOKENS, max_tokens)
    lines: list[str] = []
    for line, told in _written(changes, renderer, removed, back):
        left -= count_tokens(line) + 1
        if left < 0 and lines:
            lines.append(f"… {len(changes) - told} more changes: take a snapshot")
            break
        lines.append(line)
    return "\n".join(lines)


def _written(
    changes: list[SnapshotDiff], renderer: Renderer, removed: Renderer, back: Collection[int]
) -> Iterator[tuple[str, int]]:
    """Yield the lines, each with how many changes were told before that which it is of."""
    told = 0
    for sign, grouped in groupby(changes, key=lambda change: change.sign):
        group = list(grouped)
        alike = sum(_alike(change.item, back) if sign == "+" else sign == "-" for change in group)
        left = max(0, alike - FIRST_ALIKE) if alike > MOST_ALIKE else 0
        room = alike - left
        for change in group:
            for line, counted in _lines(change, removed if sign == "-" else renderer, back):
                room -= counted
                if room >= 0 or not counted:
                    yield line, told
            told += 1
        if left:
            yield f"{sign} … {left} more{AS_BEFORE[sign]}", told - 1


def _alike(item: SnapshotItem, back: Collection[int]) -> int:
    """Return how many lines of an item are as they were before it went."""
    inner = () if item.separator else item.children
    return (item.number in back) + sum(_alike(child, back) for child in inner)


def _size(item: SnapshotItem) -> int:
    """Return of how many lines an item is."""
    return 1 if item.separator else 1 + sum(map(_size, item.children))


def _lines(
    change: SnapshotDiff, renderer: Renderer, back: Collection[int]
) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a change, and of each whether many such are but counted."""
    if change.sign != "+":
        if written := renderer.line(change.item):
            yield f"{change.sign} {written}", change.sign == "-"
        return
    for line in renderer.lines([change.item]):
        yield f"+ {line}", line.number in back


def _compare(old: list[SnapshotItem], new: list[SnapshotItem]) -> Iterator[SnapshotDiff]:
    first, last = _ends(old, new)
    for index in range(first):
        yield from _pair(old[index], new[index])
    yield from _middle(old[first : len(old) - last], new[first : len(new) - last])
    for index in range(last, 0, -1):
        yield from _pair(old[-index], new[-index])


def _ends(old: list[SnapshotItem], new: list[SnapshotItem]) -> tuple[int, int]:
    """Return how many items at the beginning, and at the end, are the same elements."""
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and _key(old[first]) == _key(new[first]):
        first += 1
    last = 0
    while last < shorter - first and _key(old[-1 - last]) == _key(new[-1 - last]):
        last += 1
    return first, last


def _middle(old: list[SnapshotItem], new: list[SnapshotItem]) -> Iterator[SnapshotDiff]:
    old_keys, new_keys = [_key(item) for item in old], [_key(item) for item in new]
    if max(len(old), len(new)) > MOST_COMPARED:
        before, after = set(old_keys), set(new_keys)
        yield from (
            SnapshotDiff("-", i) for i, key in zip(old, old_keys, strict=True) if key not in after
        )
        yield from (
            SnapshotDiff("+", i) for i, key in zip(new, new_keys, strict=True) if key not in before
        )
        return
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(old[a:b], new[c:d], strict=True):
                yield from _pair(one, other)
        else:
            yield from _replaced(old[a:b], new[c:d])


def _replaced(old: list[SnapshotItem], new: list[SnapshotItem]) -> Iterator[SnapshotDiff]:
    """Where as many items of the same kinds stand as before, they changed; else they are new."""
    if [item.label for item in old] == [item.label for item in new]:
        for one, other in zip(old, new, strict=True):
            if one.separator or not (one.children or other.children):
                yield SnapshotDiff("~", other, one)
            else:
                yield from _pair(one, other)
        return
    yield from (SnapshotDiff("-", item) for item in old)
    yield from (SnapshotDiff("+", item) for item in new)


def _pair(old: SnapshotItem, new: SnapshotItem) -> Iterator[SnapshotDiff]:
    if _plain(old) != _plain(new):
        yield SnapshotDiff("~", new, old)
    if not new.separator:
        yield from _compare([] if old.separator else old.children, new.children)


def _key(item: SnapshotItem) -> str:
    return item.ref or item.container or f"{item.label} {item.name} {item.body}"


def _plain(item: SnapshotItem) -> str:
    """The line without what merely moves about: the focus."""
    return Renderer(lambda raw, _item: raw, Limits()).line(item).replace(" focused", "")


def _unreached(item: SnapshotItem) -> str:
    """The line without refs."""
    return Renderer(lambda _raw, _item: "", Limits()).line(item).replace(" focused", "")
