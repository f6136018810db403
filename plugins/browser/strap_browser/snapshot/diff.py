"""Changes between two snapshots of a page, as few lines with refs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, islice

from strap import count_tokens
from strap.text import counted
from strap_browser.common.alignment import in_order, same_ends, unless_reused
from strap_browser.page_script.roles import roles_with
from strap_browser.snapshot.excerpt import from_difference
from strap_browser.snapshot.items import CONTROLS, SnapshotItem, is_icon_name
from strap_browser.snapshot.refs import Refs, Unsure
from strap_browser.snapshot.rendering import Limits, Renderer
from strap_browser.snapshot.snapshot import Snapshot, namer

TOKENS = 700
"""Largest difference; the rest is left to the next snapshot."""
LIMITS = Limits(siblings=10, characters=160)
HANDING_ON = roles_with("one tab stop")
"""Roles of what leaves the Tab key's round while something in it has the focus."""
MOST_COMPARED = 400
"""Siblings up to which the longest runs are looked for; in longer lists what keeps its order."""
REMOVED_CHARACTERS = 80
MOST_ALIKE = 10
"""So many lines in a row are told that are gone, or back; of more, the first few, and a number."""
FIRST_ALIKE = 5


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """`+` an item that is new, `-` one that is gone, `~` one whose line is another now.

    `=` is one that is there again: what of it is different follows.
    """

    sign: str
    item: SnapshotItem
    old: SnapshotItem | None = None
    """Item in its place before, for `~`."""


def compare(old: Snapshot, new: Snapshot) -> list[SnapshotDiff]:
    """Return the changes in reading order."""
    changes = list(_compare(old.items, new.items))
    moved = {raw for raw, version in new.versions.items() if version != old.versions.get(raw, 0)}
    # What is about something else now, though its line is the same.
    for item in new.surroundings.alike(moved) if moved else ():
        changed = [(n, _numbers(change)) for n, change in enumerate(changes) if change.sign != "-"]
        if not any(item.number in numbers for _, numbers in changed):
            later = (n for n, numbers in changed if numbers.start > item.number)
            changes.insert(next(later, len(changes)), SnapshotDiff("~", item))
    return changes


def _numbers(change: SnapshotDiff) -> range:
    item, is_whole = change.item, change.sign != "~" or bool(change.item.separator)
    return range(item.number, item.end if is_whole else item.number + 1)


def describe(
    changes: list[SnapshotDiff],
    new: Snapshot,
    refs: Refs,
    max_tokens: int,
    old: Snapshot | None = None,
) -> str:
    """Write the changes, all since `old` if it is given; the refs on the lines become known."""
    unsure: Unsure = []
    renderer = Renderer(namer(new, refs, unsure), LIMITS)
    removed = Renderer(lambda _raw, _item: "", Limits(siblings=3, characters=REMOVED_CHARACTERS))
    left = min(TOKENS, max_tokens)
    lines: list[str] = []
    changes, reach = _without_reach(changes, refs)
    left -= count_tokens("\n".join(reach))
    for line, done in _written(changes, renderer, removed):
        left -= count_tokens(line) + 1
        if left < 0 and lines:
            lines.append(f"… {counted(len(changes) - done, 'more change')}: take a snapshot")
            break
        lines.append(line)
    else:
        if old is not None:
            refs.follow(old.versions, new.versions)
    return refs.show_if_told("\n".join([*lines, *reach]), unsure)


def is_reach(change: SnapshotDiff) -> bool:
    """Whether it is but that something takes the mouse no longer, or does so again."""
    item, old = change.item, change.old
    if old is None or bool(old.ref) == bool(item.ref):
        return False
    return _unreached(old) == _unreached(item)


def _without_reach(changes: list[SnapshotDiff], refs: Refs) -> tuple[list[SnapshotDiff], list[str]]:
    """Return the changes without those of the mouse's reach alone, and those as lines.

    Where they are many, as behind a menu that bars the page: with all that follows from them. What
    was never shown with its ref is told as it is.
    """
    reach = [change for change in changes if is_reach(change) and refs.seen(key(change.item))]
    if len(reach) <= MOST_ALIKE:
        return changes, []
    left_out = {id(change) for change in reach}
    others = [change for change in changes if id(change) not in left_out]
    follows = [other for other in others if other.old is not None and _says_the_same(other)]
    same, new = _texts(reach), _texts(other for other in others if other.sign in "+=")
    for signs, beside in ("-", new), ("+=", set[str]()):
        some = (other for other in others if other.sign in signs)
        implied = [change for change in some if _is_all_in(change, same | beside, refs)]
        follows += implied
        same |= _texts(implied)
    left_out.update(map(id, follows))
    counts = {"take the mouse again": 0, "take no mouse now": 0}
    for item in (*reach, *follows):
        if _acts(item):
            counts["take the mouse again" if _reached(item) else "take no mouse now"] += 1
    left = [change for change in changes if id(change) not in left_out]
    return left, [f"~ {count} controls {what}" for what, count in counts.items() if count]


def _says_the_same(change: SnapshotDiff) -> bool:
    """Whether but the reach of what is in a line is another."""
    old, item = change.old or change.item, change.item
    return old.states == item.states and [*_parts(old)] == [*_parts(item)]


def _is_all_in(change: SnapshotDiff, texts: set[str], refs: Refs) -> bool:
    """Whether it may be told only as the mouse reaches no longer, or again, what says these texts.

    A label is told beside a control that takes none, and what is no control as what it says.
    """
    items, own = [*change.item.walk()], _texts([change])
    known = all(refs.seen(item.ref) for item in items if item.ref)
    acts = any(item.role in CONTROLS for item in items)
    return known and not acts and bool(own or change.item.ref) and own <= texts


def _texts(changes: Iterable[SnapshotDiff]) -> set[str]:
    return {text for change in changes for text in _parts(change.item)}


def _parts(item: SnapshotItem) -> Iterator[str]:
    """Yield what an item says, part by part, but not what its icon is called."""
    for part in item.walk():
        yield from (text for text in (part.name, part.body) if text and not is_icon_name(text))


def _acts(change: SnapshotDiff) -> bool:
    return any(item and item.ref for item in (change.item, change.old))


def _reached(change: SnapshotDiff) -> bool:
    return bool(change.item.ref) and change.sign != "-"


def _written(
    changes: list[SnapshotDiff], renderer: Renderer, removed: Renderer
) -> Iterator[tuple[str, int]]:
    """Yield the lines, each with how many changes were told before that which it is of."""
    done = 0
    for sign, grouped in groupby(changes, key=lambda change: change.sign):
        group = list(grouped)
        if sign == "=":
            different = _different(changes[done + len(group) :])
            for line in _counted(group, renderer, different):
                yield line, done
        else:
            long = sign == "-" and len(group) > MOST_ALIKE
            for index, change in enumerate(group[:FIRST_ALIKE] if long else group):
                for line in _lines(change, removed if sign == "-" else renderer):
                    yield line, done + index
            if long:
                yield f"- … {len(group) - FIRST_ALIKE} more", done + FIRST_ALIKE
        done += len(group)


def _different(changes: Iterable[SnapshotDiff]) -> dict[int, int]:
    """Return of how many lines each item is that is told as different, by its number."""
    return {
        change.item.number: size(change.item) if change.sign == "+" else 1
        for change in changes
        if change.sign in "~+"
    }


def _counted(
    back: list[SnapshotDiff], renderer: Renderer, different: dict[int, int]
) -> Iterator[str]:
    """Yield the first lines of what is there again, and how many others are as they were."""
    first = [*islice(renderer.lines([change.item for change in back]), FIRST_ALIKE)]
    shown = {line.number for line in first}
    inside = [range(change.item.number, change.item.end) for change in back]
    others = sum(
        lines
        for number, lines in different.items()
        if number not in shown and any(number in span for span in inside)
    )
    yield from (f"+ {line}" for line in first)
    if (left := sum(size(change.item) for change in back) - len(first) - others) > 0:
        yield f"+ … {left} more, as they were"


def size(item: SnapshotItem) -> int:
    """Return of how many lines an item is."""
    return 1 if item.separator else 1 + sum(map(size, item.children))


def _lines(change: SnapshotDiff, renderer: Renderer) -> Iterator[str]:
    if change.sign != "+":
        item = change.item
        if change.old is not None:
            item = from_difference(change.old, item)
        if written := renderer.line(item):
            yield f"{change.sign} {written}"
        return
    for line in renderer.lines([change.item]):
        yield f"+ {line}"


def _compare(old: list[SnapshotItem], new: list[SnapshotItem]) -> Iterator[SnapshotDiff]:
    keys = _keys(old, new)
    first, last = same_ends(*keys)
    for index in range(first):
        yield from pair(old[index], new[index])
    left, right = slice(first, len(old) - last), slice(first, len(new) - last)
    yield from _middle(old[left], new[right], keys[0][left], keys[1][right])
    for index in range(last, 0, -1):
        yield from pair(old[-index], new[-index])


def _keys(old: list[SnapshotItem], new: list[SnapshotItem]) -> tuple[list[str], list[str]]:
    """Return what siblings are found again by: their elements, or what they say."""
    keys = [key(item) for item in old], [key(item) for item in new]
    if len(old) == len(new):
        return keys
    return unless_reused(*keys, [*map(_said_first, old)], [*map(_said_first, new)])


def _said_first(item: SnapshotItem) -> str:
    """Return the kind of an item and the first text in it, "" if it has none."""
    return next((f"{item.label} {text}" for text in _parts(item)), "")


def _middle(
    old: list[SnapshotItem], new: list[SnapshotItem], old_keys: list[str], new_keys: list[str]
) -> Iterator[SnapshotDiff]:
    blocks: Iterable[tuple[int, int, int]]
    if max(len(old), len(new)) > MOST_COMPARED:
        blocks = in_order(old_keys, new_keys)
    else:
        blocks = SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_matching_blocks()
    a = b = 0
    for first, other, size in (*blocks, (len(old), len(new), 0)):
        yield from _replaced(old[a:first], new[b:other])
        a, b = first + size, other + size
        for before, after in zip(old[first:a], new[other:b], strict=True):
            yield from pair(before, after)


def _replaced(old: list[SnapshotItem], new: list[SnapshotItem]) -> Iterator[SnapshotDiff]:
    """Yield items as changed if their kinds are those of before, else as gone and new."""
    if [item.label for item in old] == [item.label for item in new]:
        for before, other in zip(old, new, strict=True):
            yield from pair(before, other)
        return
    yield from (SnapshotDiff("-", item) for item in old)
    yield from (SnapshotDiff("+", item) for item in new)


def pair(old: SnapshotItem, new: SnapshotItem) -> Iterator[SnapshotDiff]:
    """Yield what of an item is different now, in reading order."""
    if plain(old) != plain(new):
        yield SnapshotDiff("~", new, old)
    if not new.separator:
        yield from _compare([] if old.separator else old.children, new.children)
    elif not old.separator:  # what is left stands on one line
        left = {key(child) for child in new.children}
        gone = (child for child in old.children if not child.is_inline and key(child) not in left)
        yield from (SnapshotDiff("-", child) for child in gone)


def key(item: SnapshotItem) -> str:
    """Return what an item is found again by."""
    return item.ref or item.container or f"{item.label} {item.name} {item.body}"


def plain(item: SnapshotItem) -> str:
    """The line without what merely moves about: the focus, and the ref of what hands it on."""
    return Renderer(_steady, Limits()).line(item).replace(" focused", "")


def _steady(raw: str, item: SnapshotItem) -> str:
    return "" if item.role in HANDING_ON else raw


def _unreached(item: SnapshotItem) -> str:
    return Renderer(lambda _raw, _item: "", Limits()).line(item).replace(" focused", "")
