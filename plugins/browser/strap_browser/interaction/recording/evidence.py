"""Evidence of the elements that a call is about: their targets, marks and surroundings."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Any

from strap_browser.common.beside import beside
from strap_browser.common.tasks import started
from strap_browser.interaction.element import Element
from strap_browser.interaction.targets.naming import part_of, targets_of
from strap_browser.pages.call_log import NOTE, Evidence
from strap_browser.snapshot.items import SnapshotItem
from strap_browser.snapshot.snapshot import LARGE, Snapshot
from strap_browser.snapshot.surroundings import Surroundings

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
            evidence.marks = {kind: mark for kind, mark in marks.items() if isinstance(mark, str)}
            evidence.is_secret = bool(marks.get("secret"))


async def _look_up(evidence: Evidence, taken: Snapshot) -> None:
    await beside(partial(add_words, evidence, taken), large=taken.characters > LARGE)


def add_words(evidence: Evidence, taken: Snapshot) -> None:
    """Add the target of an element, and what is around it, as a snapshot shows it."""
    page = taken.surroundings
    item = next((other for other in page.order if other.any_ref == evidence.raw), None)
    if item is None:
        return
    describe(evidence, page, item)
    target, evidence.place = targets_of(page, item)
    evidence.target = str(target) if target else ""


def describe(evidence: Evidence, page: Surroundings, item: SnapshotItem) -> None:
    """Add what an element is called, and what is around it."""
    part = part_of(item)
    evidence.role, evidence.name = part.role, part.name or ""
    around = map(part_of, page.around(item))
    named = (str(other) for other in around if other.role and other.name)
    evidence.within = tuple(islice(named, MOST_WITHIN))
    order, number = page.order, item.number
    above = (order[at] for at in range(number - 1, -1, -1))
    evidence.before = _first_name(other for other in above if other.ref)
    above = (order[at] for at in range(number - 1, -1, -1))
    evidence.heading = _first_name(other for other in above if other.role == "heading")
    after = (order[at] for at in range(number + 1, len(order)))
    evidence.after = _first_name(other for other in after if other.ref)


def _first_name(items: Iterable[SnapshotItem]) -> str:
    return next((item.name[:LONGEST] for item in items if item.name), "")
