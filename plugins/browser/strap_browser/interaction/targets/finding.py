"""Finds the one element that a target fits, or tells which ones come near."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from strap import ActionError, UsageError
from strap.targets.grammar import Mark, Part, Target, parse_target
from strap_browser.common.beside import beside
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.frame_elements import FRAMES_LIMIT
from strap_browser.interaction.element import Element, called
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.targets.fitting import (
    FRAME,
    FRAMES,
    PageFacts,
    Spot,
    fitting,
    framed_ref,
    spots_of,
)
from strap_browser.interaction.targets.naming import nearest, part_of, told_apart
from strap_browser.pages.call_log import call_is_about
from strap_browser.snapshot.items import APPEARING, CONTROLS, UNSEEN
from strap_browser.snapshot.refs import ShownElement
from strap_browser.snapshot.snapshot import LARGE, Snapshot, namer

NEAREST = 3
"""Elements that are named where none fits."""
TOLD_APART = 5
"""Elements that are named where several fit."""
MOST_WITHIN = 500
"""Elements of which it is asked whether they are in a container with marks."""
MOST_FRAMES = 50
"""Frames whose names and addresses are looked up."""
HIDDEN = "It is invisible: no visible element fits."
"""Told of what is acted on all the same, as a field in a closed menu takes a value."""
TEST_IDS = ("data-testid", "data-test", "data-cy", "data-qa")
"""Attributes in which authors write ids for tests."""


def read_target(text: str) -> Target:
    """Return the target that a field says; raises `UsageError`."""
    try:
        return parse_target(text)
    except UsageError as error:
        if '"' not in text and ":" not in text and "#" not in text:
            raise UsageError(
                f"{text!r} is not a ref.",
                hint="Refs look like e14 and come from snapshot; for CSS use selector.",
            ) from None
        raise UsageError(
            f"{text[:200]!r} is neither a ref nor a target: {error}",
            hint='Write it as in button "Add" in row "Rake", or use a ref such as e14.',
        ) from None


async def find_target(state: PageState, text: str) -> tuple[Element, Snapshot]:
    """Return the only element that a target fits, and the look at the page that found it.

    Raises `UsageError` for what is none, `ActionError` where none fits (code "not_found") or
    several do ("ambiguous").
    """
    target = read_target(text)
    look = await Look.at(state, target)
    if look.is_marked_alone:
        raws = await look.marked()
        if len(raws) == 1:
            return await _marked_element(state, raws[0], look.taken), look.taken
        spots = [spot for spot in spots_of(look.taken.items) if spot.item.any_ref in raws]
        raise look.nothing() if not raws else look.several(len(raws), spots)
    spots = await look.spots()
    if len(spots) == 1:
        return _element(state, spots[0], look.taken), look.taken
    raise look.nothing() if not spots else look.several(len(spots), spots)


async def is_target_shown(state: PageState, text: str) -> bool:
    """Whether at least one element that is seen fits; raises `UsageError` for what is no target."""
    look = await Look.at(state, read_target(text))
    raws = [spot.item.any_ref for spot in await look.spots()]
    if look.is_marked_alone:
        raws = await look.marked()
    shown = [(await state.ask_ref(raw, "shown")).get("shown") for raw in raws[:MOST_WITHIN]]
    return any(shown)


class Look:
    """A look at a page for a target, which changes nothing that others see of it."""

    def __init__(self, state: PageState, target: Target, taken: Snapshot) -> None:
        self.taken = taken
        self._state = state
        self._target = target

    @classmethod
    async def at(cls, state: PageState, target: Target) -> "Look":
        """Take it."""
        first = target.element
        has_refs = first.role in CONTROLS or first.name is None
        places = None if has_refs else {"text": first.name or ""}
        return cls(state, target, await state.peek(places))

    @property
    def is_marked_alone(self) -> bool:
        """Whether the target has marks only, so that no snapshot has to show the element."""
        return not any(part.has_words for part in self._target.parts)

    async def marked(self) -> list[str]:
        """Return what has the marks, the seen ones if any is, at its place among equals."""
        marked = await self._with_marks(self._target.element)
        raws = [raw for raw, _ in marked]
        for part in self._target.within:
            inside = await self._inside(part, raws)
            raws = [raw for raw in raws if raw in inside]
        seen = [raw for raw, shown in marked if shown and raw in raws]
        fit = seen or raws
        if self._target.place is None:
            return fit
        number, count = self._target.place
        return fit[number - 1 : number] if len(fit) == count else []

    async def spots(self) -> list[Spot]:
        """Return the items that fit."""
        target = self._target
        marked = None
        if target.element.marks:
            marked = frozenset(raw for raw, _ in await self._with_marks(target.element, True))
        context = PageFacts(marked=marked, frames=await self._frames())
        if any(part.marks for part in target.within):
            wide = await self._fitting(replace(target, place=None), context)
            raws = [spot.item.any_ref for spot in wide][:MOST_WITHIN]
            inside = {
                number: await self._inside(part, raws)
                for number, part in enumerate(target.within)
                if part.marks
            }
            context = replace(context, inside=inside)
        return await self._fitting(target, context)

    def nothing(self) -> ActionError:
        """Return the error for a target that fits nothing, with what comes nearest."""
        near = [
            self._description(spot) for spot in nearest(self.taken.items, self._target, NEAREST)
        ]
        hint = f"Nearest: {', '.join(near)}." if near else "Look with snapshot."
        return ActionError(f"No element is {self._target}.", hint=hint, code="not_found")

    def several(self, count: int, spots: Sequence[Spot]) -> ActionError:
        """Return the error for a target that fits several, with what tells each apart."""
        names = [self._description(spot, spots) for spot in spots[:TOLD_APART]]
        more = f"; and {count - len(names)} more" if count > len(names) else ""
        hint = f"One of: {'; '.join(names)}{more}." if names else "Look with snapshot."
        return ActionError(f"{count} elements are {self._target}.", hint=hint, code="ambiguous")

    def _description(self, spot: Spot, alike: Sequence[Spot] = ()) -> str:
        raw, part = spot.item.any_ref, part_of(spot.item)
        ref = namer(self.taken, self._state.refs)(raw, spot.item)
        items, page = [other.item for other in alike], self.taken.surroundings
        target = told_apart(page, spot.item, part, items) if items else Target(element=part)
        first, rest = str(part), str(target).removeprefix(str(part))
        return f"{first} {ref}{rest}"

    async def _fitting(self, target: Target, context: PageFacts) -> list[Spot]:
        large = self.taken.characters > LARGE
        return await beside(partial(fitting, self.taken.items, target, context), large=large)

    async def _with_marks(self, part: Part, controls: bool = False) -> list[tuple[str, bool]]:
        """Return the page's own refs of what has these marks in any frame, and if it is seen.

        With `controls` the only control in a component has the component's marks as well.
        """
        frames = [self._state.tab.page.main_frame, *self._state.tab.page.inner_frames]
        path = _selector(part.marks)
        answers = await asyncio.gather(
            *(
                self._state.ask_within(frame, "every", FRAMES_LIMIT, path=path, controls=controls)
                for frame in frames
            )
        )
        return [(raw, shown) for answer in answers if answer for raw, shown in answer["found"]]

    async def _inside(self, part: Part, raws: Iterable[str]) -> frozenset[str]:
        by_frame: dict[Frame, list[str]] = {}
        for raw in raws:
            by_frame.setdefault(self._state.frame_of(raw), []).append(raw)
        path = _selector(part.marks)
        answers = await asyncio.gather(
            *(
                self._state.ask_within(frame, "every", FRAMES_LIMIT, path=path, inside=own)
                for frame, own in by_frame.items()
            )
        )
        return frozenset(raw for answer in answers if answer for raw, _ in answer["found"])

    async def _frames(self) -> dict[str, list[str]] | None:
        if not any(part.role in FRAMES for part in self._target.parts):
            return None
        items = [s.item for s in spots_of(self.taken.items) if FRAME in s.item.label.split()]
        frames: dict[str, list[str]] = {}
        for item in items[:MOST_FRAMES]:
            raw, texts = item.any_ref, list[str]()
            if inner := framed_ref(item):
                url = self._state.frame_of(inner).url
                texts += [url, urlsplit(url).path]
            answer = await self._state.ask_ref(raw, "attributes", names=["name"])
            frames[raw] = [*texts, *filter(None, answer.get("values", ()))]
        return frames


def _element(state: PageState, spot: Spot, taken: Snapshot) -> Element:
    raw = spot.item.any_ref
    element = _known(state, namer(taken, state.refs)(raw, spot.item), raw)
    states = spot.item.states.split()
    is_unseen = UNSEEN in states and APPEARING not in states
    return replace(element, note=HIDDEN) if is_unseen else element


async def _marked_element(state: PageState, raw: str, taken: Snapshot) -> Element:
    for spot in spots_of(taken.items):
        if spot.item.any_ref == raw:
            return _element(state, spot, taken)
    answer = await state.ask_ref(raw, "named")
    if answer.get("gone"):
        raise ActionError("The element is gone.", hint="Look with snapshot.", code="not_found")
    known = ShownElement(
        node_id=raw,
        role=answer["role"],
        name=answer["name"],
        url=taken.url,
        version=answer["version"],
        site=taken.site_of(raw),
    )
    return _known(state, state.refs.show(known, main=taken.main), raw)


def _known(state: PageState, ref: str, raw: str) -> Element:
    known = state.refs.get(ref)
    assert known is not None
    call_is_about(called(known.role, known.name))
    return Element(
        frame=state.frame_of(raw),
        name=called(known.role, known.name, ref),
        node_id=raw,
        known=known,
    )


def _css_string(text: str) -> str:
    """Return a string of CSS (CSS Syntax Level 3, 4.3.5)."""
    return '"' + "".join(sign if sign.isalnum() else f"\\{ord(sign):x} " for sign in text) + '"'


def _selector(marks: Sequence[Mark]) -> str:
    parts: list[str] = []
    for mark in marks:
        value = _css_string(mark.value)
        if mark.kind == "testid":
            parts.append(f":is({', '.join(f'[{name}={value}]' for name in TEST_IDS)})")
        else:
            parts.append(f"[{'id' if mark.kind == 'id' else 'name'}={value}]")
    return "".join(parts)
