"""Targets of elements that are known: the shortest that fits one of them alone."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import combinations, islice

from strap.targets.grammar import Part, Target
from strap_browser.interaction.targets.fitting import (
    FRAME,
    Asked,
    Spot,
    fits,
    names_of,
    roles_of,
    spots_of,
    texts_in,
)
from strap_browser.snapshot.items import UNSEEN, SnapshotItem

NOTHING = Asked()
LONG_NAME = 80
"""Characters of a name in a target: a longer one is told by how it begins."""
MOST_ALIKE = 200
"""Elements of one role and name that are told apart by more than their place."""
FEW_TEXTS = 10
"""Texts of a container that are tried as its name."""
MOST_TRIED = 60
"""Pairs of containers that are tried."""
MOST_COMPARED = 2_000
"""Elements that are compared with a target that fits none."""
UNNAMED = frozenset(("generic", "none", "presentation", "text", "parts", ""))
"""Roles that no container is told by."""


def targets_of(spots: Sequence[Spot], spot: Spot) -> tuple[Target | None, tuple[int, int] | None]:
    """Return the shortest target of one of all elements, and its place among those like it."""
    element = part_of(spot.item)
    alone = Target(element=element)
    alike = [each for each in spots if each.item.any_ref and fits(each, alone, NOTHING)]
    unseen = [UNSEEN in each.item.states.split() for each in alike]
    if not all(unseen):
        alike = [each for each, hidden in zip(alike, unseen, strict=True) if not hidden]
    if spot not in alike:
        return None, None
    return told_apart(spot, element, alike), (alike.index(spot) + 1, len(alike))


def told_apart(spot: Spot, element: Part, alike: Sequence[Spot]) -> Target:
    """Return the shortest target of one of those that are called alike."""
    if len(alike) == 1:
        return Target(element=element)
    if len(alike) <= MOST_ALIKE:
        for within in _within(spot):
            target = Target(element=element, within=within)
            if sum(fits(each, target, NOTHING) for each in alike) == 1:
                return target
    return Target(element=element, place=(list(alike).index(spot) + 1, len(alike)))


def part_of(item: SnapshotItem) -> Part:
    """Return an element by role and name, as far as it has one."""
    role = item.role if item.role not in UNNAMED else _label(item)
    return _part(role, next(names_of(item), None))


def nearest(items: Sequence[SnapshotItem], target: Target, most: int) -> list[Spot]:
    """Return the elements that are most like what a target says, the likest first."""
    wanted = target.element
    name = (wanted.name or " ".join(mark.value for mark in wanted.marks))[:LONG_NAME].casefold()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(name)

    def likeness(spot: Spot) -> float:
        matcher.set_seq1(next(names_of(spot.item), "")[:LONG_NAME].casefold())
        return matcher.ratio() + 0.3 * (wanted.role in roles_of(spot.item))

    acting = (spot for spot in spots_of(items) if spot.item.ref)
    return nlargest(most, islice(acting, MOST_COMPARED), key=likeness)


def _within(spot: Spot) -> Iterator[tuple[Part, ...]]:
    around = [parts for each in spot.around() if (parts := list(_containers(each, spot)))]
    for parts in around:
        yield from ((part,) for part in parts)
    pairs = ((inner[0], outer[0]) for inner, outer in combinations(around, 2))
    yield from islice(pairs, MOST_TRIED)


def _containers(around: Spot, spot: Spot) -> Iterator[Part]:
    """Yield what a container may be called: its name, or what is said in it beside the element."""
    item = around.item
    role = item.role if item.role not in UNNAMED else ""
    if not role:
        return
    if item.name:
        yield _part("frame" if role == FRAME else role, item.name)
        return
    own = set(names_of(spot.item))
    texts = dict.fromkeys(text for text in texts_in(item) if text not in own)
    ranked = sorted(list(texts)[: 2 * FEW_TEXTS], key=_says_little)
    yield from (_part(role, text) for text in ranked[:FEW_TEXTS])


def _says_little(text: str) -> tuple[bool, bool]:
    """Sort what has words before numbers, and what is short before what is long."""
    letters = sum(map(str.isalpha, text))
    return 2 * letters < len(text), len(text) > LONG_NAME


def _label(item: SnapshotItem) -> str:
    return "clickable" if "clickable" in item.label.split() else "text"


def _part(role: str, name: str | None) -> Part:
    if name is not None and len(name) > LONG_NAME:
        return Part(role=role, name=name[:LONG_NAME].rstrip(), open_end=True)
    return Part(role=role, name=name)
