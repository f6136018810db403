"""Evidence of the elements that a call is about: their targets, marks and surroundings."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from strap_browser.common.beside import beside
from strap_browser.common.tasks import started
from strap_browser.interaction.element import Element
from strap_browser.interaction.targets.fitting import Spot, is_heading, spots_of
from strap_browser.interaction.targets.naming import part_of, targets_of
from strap_browser.pages.call_log import NOTE, Evidence
from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.snapshot import LARGE, Snapshot

MOST_WITHIN = 4
"""Containers that are told, the nearest first."""
LONGEST = 80
"""Characters of a name beside the element."""


def note_element(text: str, element: Element, taken: Snapshot | None) -> None:
    """Note an element that a call names with `text`; it is looked up in a snapshot meanwhile."""
    note = NOTE.get()
    if note is None or element.is_page:
        return
    known = element.known
    evidence = note.evidence[text] = Evidence(raw=element.node_id)
    if known is not None:
        evidence.role, evidence.name = known.role, known.name
    if taken is not None:
        note.naming.append(started(_look_up(evidence, taken)))


def note_marks(element: Element, marks: Mapping[str, Any]) -> None:
    """Note the marks of an element that a call acts on."""
    note = NOTE.get()
    if note is None:
        return
    known = list(note.evidence.values())
    for evidence in known:
        if evidence.raw == element.node_id or len(known) == 1:
            evidence.marks = {kind: told for kind, told in marks.items() if isinstance(told, str)}
            evidence.is_secret = bool(marks.get("secret"))


async def _look_up(evidence: Evidence, taken: Snapshot) -> None:
    await beside(partial(_add_words, evidence, taken), large=taken.characters > LARGE)


def _add_words(evidence: Evidence, taken: Snapshot) -> None:
    spots = list(spots_of(taken.items))
    raws = (spot.item.any_ref for spot in spots)
    at = next((n for n, raw in enumerate(raws) if raw == evidence.raw), None)
    if at is None:
        return
    describe(evidence, spots, at)
    target, evidence.place = targets_of(spots, spots[at])
    evidence.target = str(target) if target else ""


def describe(evidence: Evidence, spots: Sequence[Spot], at: int) -> None:
    """Add what an element is called, and what is around it."""
    spot = spots[at]
    part = part_of(spot.item)
    evidence.role, evidence.name = part.role, part.name or ""
    around = (part_of(each.item) for each in spot.around())
    named = (str(each) for each in around if each.role and each.name)
    evidence.within = tuple(islice(named, MOST_WITHIN))
    before = (spots[n].item for n in range(at - 1, -1, -1))
    evidence.before = _first_name(item for item in before if item.ref)
    before = (spots[n].item for n in range(at - 1, -1, -1))
    evidence.heading = _first_name(item for item in before if is_heading(item))
    evidence.after = _first_name(each.item for each in islice(spots, at + 1, None) if each.item.ref)


def _first_name(items: Iterable[SnapshotItem]) -> str:
    return next((item.name[:LONGEST] for item in items if item.name), "")
