"""The element that a call means, by ref or by selector."""

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from strap import ActionError, UsageError
from strap.targets.grammar import parse_target
from strap_browser.engine.frames.frame_elements import frame_within
from strap_browser.engine.frames.handles import ElementHandle
from strap_browser.interaction.element import (
    Element,
    Matches,
    bad_selector,
    called,
    changed,
    foreign,
    lost,
    ref_of,
    renamed,
)
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.recording.evidence import note_element
from strap_browser.interaction.targets.finding import find_target
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.pages.call_log import call_is_about
from strap_browser.snapshot.items import SnapshotItem, find
from strap_browser.snapshot.refs import REF, ShownElement
from strap_browser.snapshot.snapshot import Snapshot

ATTEMPTS = 8
"""How often an element is found again: some pages replace theirs all the time."""
FRAME_LOOKS, FRAME_STEP = 20, 0.05
"""How often a selector looks into a frame, whose document comes late, and seconds in between."""
FRAMES_DEEP = 20
"""Frames within frames into which a selector steps."""


async def find_element(state: PageState, ref: str | None, selector: str | None) -> Element | None:
    """Return the element that is meant, None if neither field is given; `ref` may be a target.

    Raises `UsageError` for what is neither, `ActionError` for a ref that was never shown (code
    "unknown_ref") and for a target or selector that finds not exactly one element (codes
    "not_found", "ambiguous", "bad_selector").
    """
    if not (selector or ref):
        return None
    bare, taken = clean_ref(ref or ""), state.last
    if selector:
        element = await _by_selector(state, selector)
    elif is_target(bare):
        element, taken = await find_target(state, bare)
    else:
        element = _by_ref(state, bare)
    note_element(selector or ref or "", element, taken)
    return element


async def find_key_target(
    state: PageState, ref: str | None, selector: str | None
) -> Element | None:
    """Return the element that keys are to go to, None for wherever the focus is; raises as above.

    To press a key on the page as a whole is to press it there.
    """
    element = await find_element(state, ref, selector)
    return None if element is not None and element.is_page else element


async def ask(
    state: PageState, element: Element, op: str, **arguments: Any
) -> tuple[ScriptAnswer, Element]:
    """Ask the page about the element, found again by role and name if it was replaced.

    Returns the answer and the target that it is about. Raises `ActionError` (codes "stale_ref"
    and "not_found") at once where there is no such element any more.
    """
    for _ in range(ATTEMPTS):
        answer = await _ask(state, element, op, **arguments)
        if element.pinned and (answer.get("renamed") or answer.get("gone")):
            raise changed(element.name)
        if change := answer.get("renamed"):
            raise renamed(state, element, **change)
        if not answer.get("gone"):
            return answer, element
        element = await _healed(state, element)
    raise lost(element)


async def _ask(state: PageState, element: Element, op: str, **arguments: Any) -> ScriptAnswer:
    if element.path:
        return await state.ask_in(element.frame, op, selector=element.path, **arguments)
    version = element.known and element.known.version
    frame = element.frame if element.pinned else None
    return await state.ask_ref(element.node_id, op, frame, version=version, **arguments)


async def handle_of(element: Element) -> ElementHandle:
    """Return the element as an object of strap's world; raises `ActionError` where it is gone."""
    handle = await part_of(element, ".find")
    if handle is None:
        raise lost(element)
    return handle


async def part_of(element: Element, find: str) -> ElementHandle | None:
    """Return what a function of strap's script finds of the element, None if that is nothing."""
    params = {"selector": element.path} if element.path else {"ref": element.node_id}
    return await element.frame.find(f"{find}({json.dumps(params)})")


async def ensure_there(state: PageState, element: Element) -> Element:
    """Return the target, found again if it was replaced; raises like `ask`."""
    return (await ask(state, element, "info"))[1]


def clean_ref(ref: str) -> str:
    """Return a ref, or a target, without what callers wrap around it."""
    return ref.strip().strip("[]@").removeprefix("ref=")


def is_target(ref: str) -> bool:
    """Whether a field has a target rather than a ref."""
    return not REF.fullmatch(clean_ref(ref))


def is_ref_or_target(value: str) -> bool:
    """Whether a field that may have a selector, too, has something else.

    What is both, as `#cart`, means the same.
    """
    bare = clean_ref(value)
    if REF.fullmatch(bare):
        return True
    with suppress(UsageError):
        return parse_target(bare).element.name is not None or "testid:" in bare
    return False


def _by_ref(state: PageState, ref: str) -> Element:
    known = state.refs.get(ref)
    if known is None:
        raise ActionError(
            f"There is no ref {ref!r} on this page.",
            hint="Take a snapshot: refs come from there.",
            code="unknown_ref",
        )
    if known.page != state.refs.page:
        raise foreign(state, ref, known)
    call_is_about(called(known.role, known.name))
    return Element(
        frame=state.frame_of(known.node_id),
        name=called(known.role, known.name, ref),
        node_id=known.node_id,
        known=known,
    )


async def _by_selector(state: PageState, selector: str) -> Element:
    for _ in range(FRAME_LOOKS):
        match = await resolve(state, selector)
        if match.count or not match.framed:
            break
        await asyncio.sleep(FRAME_STEP)
    if match.count == 1:
        call_is_about(match.called)
        return Element(
            frame=match.frame,
            name=repr(selector),
            node_id=match.ref,
            selector=selector,
            path=match.path,
            is_page=match.is_page,
        )
    if match.count == 0:
        raise ActionError(
            f"No element matches {selector!r}.",
            hint="Give a ref as `ref`." if REF.fullmatch(selector) else "Look with snapshot.",
            code="not_found",
        )
    raise ActionError(
        f"{match.count} elements match {selector!r}.",
        hint=f"{_exactly(selector)}Make it more specific, or use a ref from snapshot.",
        code="ambiguous",
    )


def _exactly(selector: str) -> str:
    """Return the hint that a text in quotes is all that an element says."""
    text = re.search(r"""(?:^|>>)\s*text=([^"'>][^">]*)$""", selector)
    return f'For this text alone: text="{text[1]}". ' if text else ""


async def resolve(state: PageState, selector: str) -> Matches:
    """Return what a selector finds, in the frames that it steps into (`iframe >> button`).

    Where several match and one of them is visible, that is the one. Raises `ActionError` (code
    "bad_selector") with the nearest form that is one.
    """
    frame, path = state.tab.page.main_frame, selector
    for depth in range(FRAMES_DEEP):
        answer = await state.ask_in(frame, "resolve", path=path)
        if answer.get("bad"):
            raise bad_selector(selector, answer["part"])
        if "frame" not in answer:
            count, ref, framed = answer["count"], answer["ref"], depth > 0
            is_page = answer["page"] and not framed
            name = called(answer["role"], answer["name"]) if answer.get("name") else ""
            return Matches(
                frame=frame,
                path=path,
                count=count,
                ref=ref,
                framed=framed,
                is_page=is_page,
                called=name,
            )
        inner = await frame_within(state.tab.page.frame, frame, answer["frame"])
        if inner is None:
            break
        frame, path = inner, answer["rest"]
    return Matches(frame=frame, path=path, count=0, framed=True)


async def _healed(state: PageState, element: Element) -> Element:
    """Find an element again that the page replaced by one of the same role and name."""
    known = element.known
    if known is None:
        return await _by_selector(state, element.selector)
    if known.around is not None and _same_page(state.tab.page.url, known.url):
        item = find_again(await state.look(), known)
        if item is not None:
            note = f"The page had replaced {ref_of(element)}; found it again by role and name."
            raw = item.ref or item.container
            known = (
                known if raw == known.node_id else replace(known, node_id=raw, version=item.version)
            )
            frame = state.frame_of(raw)
            return replace(element, frame=frame, node_id=raw, known=known, note=note)
    raise lost(element)


def find_again(taken: Snapshot, known: ShownElement) -> SnapshotItem | None:
    """Return what shows an element in this snapshot, None if it cannot be told.

    It is the same element, or the only one of the same role and name with the same around it, in a
    document of its site: what another one has put into a frame is something else.
    """
    if (match := find(taken.items, known.node_id)) is not None:
        return match
    if known.around is None:
        return None
    like = taken.surroundings.like(known.role, known.name, known.around)
    raw = (like.ref or like.container) if like else ""
    return like if raw and taken.site_of(raw) == known.site else None


def _same_page(url: str, other: str) -> bool:
    return _page_of(url) == _page_of(other)


def _page_of(url: str) -> str:
    """Return the address without its fragment, unless that is a path of a page's own."""
    page, _, fragment = url.partition("#")
    return url if fragment.startswith(("/", "!")) else page
