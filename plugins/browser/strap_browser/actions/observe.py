"""Actions that show the page: `snapshot` with refs, and `text`."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from strap import (
    DEFAULT_MAX_TOKENS,
    Context,
    Result,
    UsageError,
    action,
    count_tokens,
    cut,
)
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.page_text import FRAME_LIMIT, PageText
from strap_browser.actions.params import BrowserParams, ElementParams
from strap_browser.actions.sightings import is_drawn
from strap_browser.cdp.errors import CdpError
from strap_browser.common.beside import beside
from strap_browser.common.text import FAIR, quoted, short_address
from strap_browser.snapshot.media_types import PDF, describe_media, describe_media_type

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.page_script.bundle import ScriptAnswer
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.snapshot.snapshot import Snapshot


NOTE_TOKENS = 40
PLAIN = "plain"
LOOK_LIMIT = 5.0
"""Seconds after which a document looks for no more plain texts."""
ROOM, MOST = 1_000_000, 5_000_000
"""Characters of plain text that are asked for beyond `start`, and in all."""
MORE = "there is more"


class SnapshotParams(BrowserParams):
    """Fields of `snapshot`."""

    ref: str | None = Field(default=None, max_length=2_000)
    """Show only what is inside this element."""
    text: str | None = Field(default=None, max_length=1_000)
    """Show only the lines that contain this, with what they stand in."""
    start: int = Field(default=0, ge=0)
    """Item to begin at, as the last answer said."""
    value: Literal["layout"] | None = None
    """`layout` tells where on the screen things are, what overlaps or is cut off, and colours."""


@action("browser", effect="read", asks_person=True)
async def snapshot(params: SnapshotParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Show the page as lines with refs: what is on it and can be acted on.

    A page that does not fit is shown with its lists folded and its texts shortened. A line such
    as `… 1,980 more rows (start=128)` says how to go on: `snapshot start=128` shows everything
    from there, `text` finds lines anywhere, and `ref` shows one element; both show refs
    of plain text, too. A ref lasts as long as its element, unless the page renamed that and no
    answer said so. No other element ever gets it.
    """
    from strap_browser.snapshot.snapshot import LARGE, View, elements, has_text, render

    if params.value and (params.ref or params.text or params.start):
        raise UsageError("value='layout' is about the viewport: leave ref, text and start out.")
    async with interaction.using_page(ctx, reads=True) as state:
        if params.value:
            return await _layout(state, ctx.max_tokens or DEFAULT_MAX_TOKENS)
        element = await interaction.find_element(state, params.ref, None)
        taken = await _look(state, element, params)
        tools = interaction.tools_told(state, ctx.consent)
        notes = (interaction.captcha_told(taken.captcha), tools)
        events = [*filter(None, notes), *state.tab.drain()]
        view = View(
            tokens=(ctx.max_tokens or DEFAULT_MAX_TOKENS) - count_tokens("\n".join(events)),
            ref=_inside(taken, element) if element else "",
            shown=interaction.ref_of(element) if element else "",
            text=params.text or "",
            start=params.start,
        )
        large = taken.characters > LARGE
        if view.text and not view.ref:
            matches = await beside(partial(has_text, taken, view), large=large)
            view = replace(view, drawn=not matches and await is_drawn(state, view.text))

        def written() -> tuple[str, list[dict[str, str]] | None]:
            return render(taken, state.refs, view), elements(taken, state.refs)

        lines, listed = await beside(written, large=large)
        shown = _in_words(taken, lines)
        data = {"url": taken.url, "title": taken.title, "elements": listed}
        return Result(text="\n".join((shown, *events)), data=data)


async def _layout(state: "PageState", tokens: int) -> Result:
    """Tell how what the viewport shows is laid out."""
    from strap_browser.actions.pictures.layout import layout_of

    taken = await state.look()
    title = f"{quoted(taken.title)} {short_address(taken.url)}".strip()
    lines = await layout_of(state, taken, tokens - count_tokens(title))
    return Result(text="\n".join((title, *lines, *state.tab.drain())))


async def _look(
    state: "PageState", element: "Element | None", params: SnapshotParams
) -> "Snapshot":
    """Take the snapshot that is asked for: one of a part shows what listens there, too."""
    places: dict[str, str] = {}
    if element:
        places["ref"] = element.node_id
    if params.text:
        places["text"] = params.text
    if not places:
        return await state.look()
    from strap_browser.interaction.listeners import hear

    taken = await state.look(places)
    heard = not params.start and await hear(state, below=not params.text)
    return await state.look(places) if heard else taken


def _in_words(taken: "Snapshot", shown: str) -> str:
    """Say what a document is that is no page; a drawing has lines all the same."""
    words = describe_media_type(taken.kind)
    if not taken.items and taken.url == "about:blank":
        words = "The page is blank: open one with `navigate`."
    if not words:
        return shown
    first, *lines = shown.splitlines()
    return "\n".join((first, words, *(lines if taken.items else ())))


def _inside(taken: "Snapshot", element: "Element") -> str:
    """Return the page's own ref of the target in this snapshot; raises like `targets.ask`."""
    assert element.known is not None
    item = interaction.find_again(taken, element.known)
    if item is None:
        raise interaction.stale(element)
    return item.ref or item.container


class Text(ElementParams):
    """Fields of `text`."""

    start: int = Field(default=0, ge=0)
    """Character to begin at, as the last answer said."""
    value: str | None = Field(default=None, max_length=20)
    """`plain` for lines of what is drawn, or is there for screen readers."""


@action("browser", effect="read", asks_person=True)
async def text(params: Text, ctx: "Context[BrowserRegistry]") -> Result:
    """Read the visible text of the page or an element, as simple Markdown with links.

    With `value=plain` no Markdown: a line is all that is drawn on the page, or in one element that
    matches `selector`, with what is there for screen readers alone; what fields hold and the names
    of elements are lines of their own.
    """
    if params.value not in (None, PLAIN):
        raise UsageError(f"text value={params.value!r} is nothing to read.", hint="Valid: plain.")
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        if params.value == PLAIN:
            await _add_plain(answer, state, params)
            return answer.result(state.tab)
        element = await interaction.find_element(state, params.ref, params.selector)
        if element is None:
            page, text, media = await PageText(state=state, ctx=ctx).read()
            answer.add(f"{quoted(page['title'])} {short_address(page['url'])}".strip())
            if page["kind"] != PDF and (kind := describe_media_type(page["kind"])):
                answer.add(kind)
                return answer.result(state.tab)
        else:
            page, element = await interaction.ask(state, element, "text")
            text, media = page["text"], page["media"]
            answer.add(element.note)
        answer.data.update(url=page["url"], title=page["title"], length=len(text))
        _add_text(answer, text or describe_media(media), params.start if text else 0)
        return answer.result(state.tab)


async def _add_plain(answer: "ResponseBuilder", state: "PageState", params: Text) -> None:
    if params.ref:
        raise UsageError("value='plain' is of the page or a selector: leave ref out.")
    texts, gap = await _plain(state, params.selector, min(params.start + ROOM, MOST))
    rest = "\n".join(texts)[params.start :]
    head, left = cut(rest, int(answer.left * FAIR) - NOTE_TOKENS)
    shown = [line for line in head.split("\n") if line]
    gap = gap or (MORE if left else "")
    # That it is not whole is told first: below it a page may say anything.
    answer.add(f"Texts: {len(shown)}{gap and ', but '}{gap}.", *shown)
    answer.data.update(texts=shown, whole=not gap)
    if left:
        answer.add(f"… {counted(len(left), 'more character')}: start={params.start + len(head)}")


async def _plain(state: "PageState", selector: str | None, room: int) -> tuple[list[str], str]:
    """Return the texts of all frames that are shown, and why those are not all ("": they are)."""
    page = state.tab.page
    frames, path = (page.main_frame, *page.inner_frames), selector
    if selector:
        target = await interaction.resolve(state, selector)
        if target.framed:
            frames, path = (target.frame,), target.path
    answers = [await _plain_in(state, frames[0], path, room)]
    left = room - sum(len(text) for answer in answers if answer for text in answer["texts"])
    each_room = max(0, left) // max(1, len(frames) - 1)
    inner = (_plain_in(state, frame, path, each_room) for frame in frames[1:])
    answers += await asyncio.gather(*inner)
    texts = [text for answer in answers if answer for text in answer["texts"]]
    if None in answers:
        return texts, "a frame did not answer"
    return texts, "" if all(answer["whole"] for answer in answers if answer) else MORE


async def _plain_in(
    state: "PageState", frame: "Frame", path: str | None, room: int
) -> "ScriptAnswer | None":
    """Return the `texts` of a frame, and whether they are `whole`; None if it does not answer."""
    params = {"path": path, "room": room, "most_ms": LOOK_LIMIT * 1_000}
    if frame == state.tab.page.main_frame:
        return await state.ask("texts", **params)
    answer = await state.ask_within(frame, "texts", FRAME_LIMIT, **params)
    if answer is None or (not answer["texts"] and answer["whole"]):
        return answer
    with suppress(CdpError):
        return answer if await frame.is_shown() else {"texts": [], "whole": True}
    return None


def _add_text(answer: "ResponseBuilder", text: str, start: int) -> None:
    rest = text[start:]
    if not rest:
        answer.add(f"The text ends at {len(text):,}.")
        return
    head, left = cut(rest, int(answer.left * FAIR) - NOTE_TOKENS)
    answer.add(head.rstrip("\n"))
    if left:
        answer.add(f"… {counted(len(left), 'more character')}: start={start + len(head)}")
