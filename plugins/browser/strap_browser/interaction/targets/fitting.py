"""The items of a snapshot that a target fits."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from strap import record
from strap.targets.grammar import Part, Target
from strap_browser.page_script.roles import roles_with
from strap_browser.snapshot.items import CONTROLS, UNSEEN, SnapshotItem
from strap_browser.snapshot.refs import document
from strap_browser.snapshot.roles import PARTS, VALUED

FRAME = "iframe"
FRAMES = ("frame", FRAME)
HEADINGS = tuple(f"h{level}" for level in range(1, 7))
RECORDS = roles_with("record")
"""Roles that have no name of their own: what is in them says which."""
TEXTS = ("text", PARTS)
"""Roles of texts that were asked for apart, in what a snapshot names by all of them."""
MOST_TEXTS = 200
"""Texts in a container that may say which it is."""
Raws = frozenset[str]


@record
class PageFacts:
    """Answers of the documents about what no snapshot shows."""

    marked: Raws | None = None
    """The page's own refs of elements with the marks of the target, None for one without marks."""
    inside: Mapping[int, Raws] | None = None
    """Refs inside each container with marks, by its number."""
    frames: Mapping[str, Sequence[str]] | None = None
    """Further names of frames, by the refs of their elements: names and addresses."""


NOTHING = PageFacts()


@dataclass(frozen=True, slots=True)
class Spot:
    """An item and the one that it stands in."""

    item: SnapshotItem
    above: Optional["Spot"] = None

    def around(self) -> Iterator["Spot"]:
        """Yield what it stands in, the nearest first."""
        spot = self.above
        while spot is not None:
            yield spot
            spot = spot.above


def spots_of(items: Sequence[SnapshotItem]) -> Iterator[Spot]:
    """Yield all items with what they stand in, in reading order."""
    rest = [Spot(item) for item in reversed(items)]
    while rest:
        spot = rest.pop()
        yield spot
        rest.extend(Spot(child, spot) for child in reversed(spot.item.children))


def fitting(items: Sequence[SnapshotItem], target: Target, context: PageFacts) -> list[Spot]:
    """Return what fits and has a ref; what nobody sees only where nothing else does."""
    by_ref: dict[str, Spot] = {}
    for spot in spots_of(items):
        raw = spot.item.any_ref
        if raw and raw not in by_ref and fits(spot, target, context):
            by_ref[raw] = spot
    inner = _innermost(by_ref, target.element)
    seen = [spot for spot in inner if UNSEEN not in spot.item.states.split()]
    fit = seen or inner
    if target.place is None:
        return fit
    number, count = target.place
    return fit[number - 1 : number] if len(fit) == count else []


def fits(spot: Spot, target: Target, extra: PageFacts) -> bool:
    """Whether the element and its containers fit, without its place among equals."""
    raw = spot.item.any_ref
    if extra.marked is not None and raw not in extra.marked:
        return False
    return fits_words(spot.item, target.element, extra) and _is_within(spot, target.within, extra)


def _innermost(by_ref: Mapping[str, Spot], part: Part) -> list[Spot]:
    """Leave out what fits only by the texts of another in it that fits."""
    if part.name is None:
        return list(by_ref.values())
    outer = {id(above.item) for spot in by_ref.values() for above in spot.around()}
    return [
        spot
        for spot in by_ref.values()
        if id(spot.item) not in outer or any(map(part.names, names_of(spot.item, by_ref)))
    ]


def roles_of(item: SnapshotItem) -> set[str]:
    """Return the words by which a snapshot calls an item."""
    words = _words_of(item)
    if not words.isdisjoint(HEADINGS):
        words.add("heading")
    if item.kind == "item":
        words.add("listitem")
    if FRAME in words:
        words.update(FRAMES)
    return words


def is_heading(item: SnapshotItem) -> bool:
    """Whether a snapshot calls an item a heading of some level."""
    return not _words_of(item).isdisjoint(HEADINGS)


def _words_of(item: SnapshotItem) -> set[str]:
    return {item.role, *item.label.split()}


def names_of(item: SnapshotItem, without: Container[str] = ()) -> Iterator[str]:
    """Yield what an item is called: its name, or the text that is all of it."""
    if item.name:
        yield item.name
    elif item.body and item.role not in VALUED:
        yield item.body
    if item.role not in CONTROLS and (not item.name or item.role in RECORDS):
        yield from texts_in(item, without)
    if item.kind == "group" and all(part.role in TEXTS for part in item.walk() if part != item):
        yield " ".join((item.name, *texts_in(item))).strip()


def texts_in(item: SnapshotItem, without: Container[str] = ()) -> Iterator[str]:
    """Yield the names and texts of what is in an item `without` some, and its own text."""
    rest = list(reversed(item.children))
    if item.name and item.body:
        yield item.body
    left = MOST_TEXTS
    while rest and left:
        child = rest.pop()
        if child.any_ref in without:
            continue
        for text in (child.name, child.body if child.role not in VALUED else ""):
            if text:
                left -= 1
                yield text
        rest.extend(reversed(child.children))


def fits_words(item: SnapshotItem, part: Part, context: PageFacts = NOTHING) -> bool:
    """Whether an item is called so, without its marks."""
    if part.role and part.role not in roles_of(item):
        return False
    if part.name is None or any(map(part.names, names_of(item))):
        return True
    others = (context.frames or {}).get(item.any_ref, ())
    return any(map(part.names, others))


def _is_within(spot: Spot, parts: Sequence[Part], context: PageFacts) -> bool:
    """Whether containers fit in their order; the nearest that fits leaves most to the next."""
    around = spot.around()
    for number, part in enumerate(parts):
        inside = (context.inside or {}).get(number)
        if inside is not None and spot.item.any_ref not in inside:
            return False
        if part.has_words and not any(_holds(outer.item, part, context) for outer in around):
            return False
    return True


def _holds(item: SnapshotItem, part: Part, context: PageFacts) -> bool:
    """Whether a container is called so, or says just that: all texts of a row may be told."""
    if fits_words(item, part, context):
        return True
    texts = (item.body, *texts_in(item))
    is_whole = part.name is not None and not (item.name or part.role)
    return is_whole and "".join(" ".join(texts).split()) == "".join(str(part.name).split())


def framed_ref(item: SnapshotItem) -> str:
    """Return the ref of something in the document of a frame, "" where it shows nothing."""
    own = document(item.any_ref)
    below = (inner.any_ref for inner in item.walk())
    return next((raw for raw in below if raw and document(raw) != own), "")
