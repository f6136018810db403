"""Candidates: the evidence of all elements of a page that a recorded call may be about."""

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import islice

from strap import record
from strap_browser.common.beside import beside
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.frame_elements import FRAMES_LIMIT
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.recording.evidence import describe
from strap_browser.interaction.targets.naming import targets_of
from strap_browser.pages.call_log import Evidence
from strap_browser.snapshot.items import UNSEEN
from strap_browser.snapshot.snapshot import LARGE
from strap_browser.snapshot.surroundings import Surroundings

MOST = 500
"""Elements that are compared: a page with more is judged by its first ones."""


@record
class Candidates:
    """The elements that can be acted on, in reading order."""

    elements: Sequence[Evidence]
    page: Surroundings

    def target_of(self, evidence: Evidence) -> str:
        """Return the shortest target of one of them, "" where none fits it alone."""
        item = next(other for other in self.page.order if other.any_ref == evidence.raw)
        target, evidence.place = targets_of(self.page, item)
        evidence.target = str(target) if target else ""
        return evidence.target


async def candidates_on(state: PageState) -> Candidates:
    """Return the candidates of a page; raises `CdpError`."""
    taken = await state.peek()
    candidates = await beside(
        partial(_described, taken.surroundings), large=taken.characters > LARGE
    )
    by_frame: dict[Frame, list[Evidence]] = {}
    for evidence in candidates.elements:
        by_frame.setdefault(state.frame_of(evidence.raw), []).append(evidence)
    await asyncio.gather(*(_add_marks(state, *pair) for pair in by_frame.items()))
    return candidates


async def barrier_on(state: PageState, element: Evidence | None) -> tuple[list[str], bool]:
    """Return the page's own refs of the controls in what bars the page, or an element of it.

    Beside them, whether it is a modal dialog.
    """
    if element is None:
        answer = await state.ask("barrier")
    else:
        answer = await state.ask_ref(element.raw, "barrier")
    return list(answer.get("found", ())), bool(answer.get("modal"))


def _described(page: Surroundings) -> Candidates:
    can_act = (item for item in page.order if item.ref and UNSEEN not in item.states.split())
    by_ref: dict[str, Evidence] = {}
    for item in islice(can_act, MOST):
        evidence = by_ref.setdefault(item.ref, Evidence(raw=item.ref))
        if not evidence.role:
            describe(evidence, page, item)
    return Candidates(elements=list(by_ref.values()), page=page)


async def _add_marks(state: PageState, frame: Frame, evidences: Sequence[Evidence]) -> None:
    refs = [evidence.raw for evidence in evidences]
    answer = await state.ask_within(frame, "marked", FRAMES_LIMIT, refs=refs)
    for evidence, marks in zip(evidences, (answer or {}).get("found", ()), strict=False):
        evidence.marks = {kind: mark for kind, mark in marks.items() if isinstance(mark, str)}
        evidence.is_secret = bool(marks.get("secret"))
