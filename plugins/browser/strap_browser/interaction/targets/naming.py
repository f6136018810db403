"""Targets of elements that are known: the shortest that fits one of them alone."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from functools import cache, partial
from heapq import nlargest
from itertools import combinations, islice

from strap.targets.grammar import Part, Target, squeezed
from strap_browser.interaction.targets.fitting import (
    FRAME,
    Spot,
    fits_words,
    names_of,
    roles_of,
    spots_of,
    texts_in,
)
from strap_browser.snapshot.items import CONTROLS, UNSEEN, SnapshotItem
from strap_browser.snapshot.surroundings import Surroundings

LONG_NAME = 80
"""Characters of a name in a target: a longer one is told by how it begins."""
MOST_ALIKE = 200
"""Elements of one role and name that are told apart by more than their place."""
FEW_TEXTS = 10
"""Texts of a container that are tried as its name."""
MOST_TRIED = 30
"""Containers, and pairs of them, that are tried."""
MOST_COMPARED = 2_000
"""Elements that are compared with a target that fits none."""
UNNAMED = frozenset(("generic", "none", "presentation", "text", "parts", ""))
"""Roles that no container is told by."""


def targets_of(
    page: Surroundings, item: SnapshotItem
) -> tuple[Target | None, tuple[int, int] | None]:
    """Return the shortest target of one of all elements, and its place among those like it."""
    element = part_of(item)
    matches = _called(page, element)
    alike = [*{other.any_ref: other for other in reversed(matches) if other.any_ref}.values()][::-1]
    alike = [other for other in alike if UNSEEN not in other.states] or alike
    if item not in alike:
        return None, None
    return told_apart(page, item, element, alike), (alike.index(item) + 1, len(alike))


def told_apart(
    page: Surroundings, item: SnapshotItem, element: Part, alike: Sequence[SnapshotItem]
) -> Target:
    """Return the shortest target of one of those that are called alike."""
    if len(alike) == 1:
        return Target(element=element)
    if len(alike) <= MOST_ALIKE:
        numbers, containers = [other.number for other in alike], cache(partial(_called, page))
        at = alike.index(item)
        beside = [page.around(near) for near in (*alike[max(0, at - 1) : at], *alike[at + 1 :][:1])]
        for within in islice(_within(page, item), MOST_TRIED):
            if any(_are_around(above, within) for above in beside):
                continue  # most words that tell nothing are those of its neighbours as well
            levels = [*map(containers, within)]
            inside = (number for number in numbers if _is_in(number, levels))
            if len([*islice(inside, 2)]) == 1:
                return Target(element=element, within=within)
    return Target(element=element, place=(list(alike).index(item) + 1, len(alike)))


def _called(page: Surroundings, part: Part) -> list[SnapshotItem]:
    """Return the items that a part with a name fits, in reading order."""
    if part.name is None:
        return [item for item in page.order if fits_words(item, part)]
    by_number: dict[int, SnapshotItem] = {}
    for hit in page.saying(squeezed(part.name), open_end=part.open_end):
        if hit.role == part.role and hit.name == part.name:
            by_number[hit.number] = hit
            continue
        # The texts in a control are no names of it.
        above = () if part.role in CONTROLS else page.around(hit)
        by_number |= {item.number: item for item in (hit, *above) if fits_words(item, part)}
    return [by_number[number] for number in sorted(by_number)]


def _are_around(above: Sequence[SnapshotItem], parts: Sequence[Part]) -> bool:
    return all(any(fits_words(item, part) for item in above) for part in parts)


def _is_in(number: int, containers: Sequence[Sequence[SnapshotItem]]) -> bool:
    """Whether an item is in one of the first containers, which is in one of the next."""
    inside = number
    for level in containers:
        inside = max((item.number for item in level if item.number < inside < item.end), default=-1)
        if inside < 0:
            return False
    return True


def part_of(item: SnapshotItem) -> Part:
    """Return an element by role and name, as far as it has one."""
    role = item.role if item.role not in UNNAMED else _label(item)
    return _part(role, next(names_of(item), None))


def nearest(items: Sequence[SnapshotItem], target: Target, most: int) -> list[Spot]:
    """Return the elements that are most like what a target says, the likest first."""
    element = target.element
    name = (element.name or " ".join(mark.value for mark in element.marks))[:LONG_NAME].casefold()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(name)

    def likeness(spot: Spot) -> float:
        matcher.set_seq1(next(names_of(spot.item), "")[:LONG_NAME].casefold())
        return matcher.ratio() + 0.3 * (element.role in roles_of(spot.item))

    acting = (spot for spot in spots_of(items) if spot.item.ref)
    return nlargest(most, islice(acting, MOST_COMPARED), key=likeness)


def _within(page: Surroundings, item: SnapshotItem) -> Iterator[tuple[Part, ...]]:
    own = set(names_of(item))
    around = [parts for above in page.around(item) if (parts := list(_containers(above, own)))]
    for parts in around:
        yield from ((part,) for part in parts)
    yield from ((inner[0], outer[0]) for inner, outer in combinations(around, 2))


def _containers(item: SnapshotItem, own: AbstractSet[str]) -> Iterator[Part]:
    """Yield what a container may be called: its name, or what is said in it beside the element."""
    role = item.role if item.role not in UNNAMED else ""
    if not role:
        return
    if item.name:
        yield _part("frame" if role == FRAME else role, item.name)
        return
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
