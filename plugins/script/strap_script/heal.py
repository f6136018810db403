"""The action `heal`: finds the element of a recorded call in a page that has changed."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from strap import ActionError, Context, Result, StrapError, UsageError, action
from strap.targets.grammar import Target, parse_target
from strap_browser.api import (
    BrowserParams,
    Evidence,
    PageState,
    barrier_on,
    candidates_on,
    find_target,
    using_page,
)
from strap_script.healing import Likeness, Recorded, choose, closing, likest
from strap_script.recording import lasting_target
from strap_script.sidecar import evidence_as_json

if TYPE_CHECKING:
    from strap_browser.api import BrowserRegistry

NEAREST = 3
MARK_NAMES = {"testid": "test id", "id": "id"}
LONGEST = 20_000
"""Characters of evidence: a recorded element has about 500."""


class RecordedElement(BaseModel):
    """Evidence of an element in FILE.json, and the requests that its call sent."""

    role: str = ""
    name: str = ""
    marks: dict[str, str] = {}
    within: list[str] = []
    heading: str = ""
    before: str = ""
    after: str = ""
    place: tuple[int, int] | None = None
    requests: list[str] = []


class HealParams(BrowserParams):
    """The recorded element."""

    ref: str = Field(max_length=2_000)
    """Its target, as the script has it."""
    value: str = Field(max_length=LONGEST)
    """Its evidence, as JSON from FILE.json; `requests` are those that the call sent."""


@action("browser", effect="read", asks_person=True, advertised=False)
async def heal(params: HealParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Find what a recorded call acted on, or what is in its way: nothing is done about either."""
    recorded = _recorded(params)
    async with using_page(ctx, reads=True) as state:
        candidates = await candidates_on(state)
        ranked = likest(recorded, candidates.elements)
        still = await _still(state, params.ref, ranked)
        best = still or choose(recorded, ranked)
        raws, is_modal = await barrier_on(state, best.evidence if best else None)
        controls = [candidate for candidate in candidates.elements if candidate.raw in raws]
        was_there = any("dialog" in holder.split()[0] for holder in recorded.evidence.within)
        if raws and not was_there:
            if closes := closing(controls):
                target = candidates.target_of(closes)
                return Result(text=f"In the way: {target} closes it.", data={"close": target})
            if is_modal:
                return Result(text="In the way: Escape may close it.", data={"press": "Escape"})
        if best is None:
            raise _nothing(recorded, ranked)
        candidates.target_of(best.evidence)
        target = params.ref if best is still else lasting_target(best.evidence)
    same = f"the same {', '.join(best.points)}"
    data = {"target": target, "same": same, "evidence": evidence_as_json(best.evidence)}
    return Result(text=f"{target} has {same}.", data=data)


async def _still(state: PageState, ref: str, ranked: Sequence[Likeness]) -> Likeness | None:
    """Return the element that the target fits alone as before."""
    try:
        element, _ = await find_target(state, ref)
    except StrapError:
        return None
    return next((likeness for likeness in ranked if likeness.evidence.raw == element.node_id), None)


def _recorded(params: HealParams) -> Recorded:
    try:
        element = RecordedElement.model_validate_json(params.value)
    except ValidationError:
        raise UsageError(
            "The evidence is not that of a script.", hint="Write the script again: strap script."
        ) from None
    target: Target | None = None
    with suppress(UsageError):
        target = parse_target(params.ref)
    evidence = Evidence(raw="", **element.model_dump(exclude={"requests"}))
    return Recorded(evidence=evidence, target=target, requests=element.requests)


def _nothing(recorded: Recorded, ranked: Sequence[Likeness]) -> ActionError:
    near = [
        f"{likeness.evidence.role} {json.dumps(likeness.evidence.name)}"
        for likeness in ranked[:NEAREST]
    ]
    own = f"{recorded.evidence.role} {json.dumps(recorded.evidence.name)}"
    return ActionError(
        f"No element is without doubt the recorded {own}.{_of_marks(recorded, ranked)}",
        hint=f"Nearest: {', '.join(near)}." if near else "",
        code="not_alike",
    )


def _of_marks(recorded: Recorded, ranked: Sequence[Likeness]) -> str:
    """Return what the page has of the recorded marks."""
    marks = [f"{MARK_NAMES[kind]} {json.dumps(mark)}" for kind, mark in recorded.marks.items()]
    if not marks:
        return ""
    is_there = any(recorded.marks.keys() & likeness.points.keys() for likeness in ranked)
    return f" {'An element has' if is_there else 'The page no longer has'} {marks[0]}."
