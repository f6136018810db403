"""The text of a page or an element."""

import asyncio
from typing import TYPE_CHECKING

from strap import Context, Result, cut
from strap_browser.content.script import FRAME_LIMIT_MS
from strap_browser.content.script import ScriptAnswer as Told
from strap_browser.engine.frames import inner, open_empty
from strap_browser.engine.page_activity import started
from strap_browser.engine.playwright.errors import Error
from strap_browser.interaction.elements import ask, find_element
from strap_browser.interaction.page_state import PageState
from strap_browser.interaction.response import ResponseBuilder, response_for
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.snapshot.media_types import describe_media_type
from strap_browser.snapshot.rendering import quoted
from strap_browser.snapshot.snapshot import FAIR

if TYPE_CHECKING:
    from playwright.async_api import Frame

NOTE_TOKENS = 40


async def page_text(
    ref: str | None, selector: str | None, start: int, ctx: Context[BrowserRegistry]
) -> Result:
    """Tell the visible text from character `start` on."""
    async with using_page(ctx, reads=True) as state:
        answer = response_for(ctx)
        element = await find_element(state, ref, selector)
        if element is None:
            told, text = await _whole(state)
            answer.add(f"{quoted(told['title'])} {told['url']}".strip())
            if kind := describe_media_type(told["kind"]):
                answer.add(kind)
                return answer.result(state.tab)
        else:
            told, element = await ask(state, element, "text")
            text = told["text"]
            answer.add(element.note)
        answer.data.update(url=told["url"], title=told["title"], length=len(text))
        _add_text(answer, text, start)
        return answer.result(state.tab)


def _add_text(answer: ResponseBuilder, text: str, start: int) -> None:
    rest = text[start:]
    if not rest:
        answer.add(f"The text ends at {len(text):,}." if text else "There is no text.")
        return
    head, left = cut(rest, int(answer.left * FAIR) - NOTE_TOKENS)
    answer.add(head.rstrip("\n"))
    if left:
        answer.add(f"… {len(left):,} more characters: start={start + len(head)}")


async def _whole(state: PageState) -> tuple[Told, str]:
    """Return what the main document says of itself, and the text of it and of its frames."""
    await open_empty(state.tab)
    frames = started(_in_frames(state))
    try:
        main = await state.ask("text")
        return main, "\n\n".join(text for text in (main["text"], *await frames) if text)
    finally:
        frames.cancel()


async def _in_frames(state: PageState) -> list[str]:
    return await asyncio.gather(*(_in_frame(state, frame) for frame in inner(state.tab.page)))


async def _in_frame(state: PageState, frame: "Frame") -> str:
    try:
        owner = await frame.frame_element()
        if not await owner.is_visible():
            return ""
    except Error:
        return ""
    answer = await state.ask_within(frame, "text", FRAME_LIMIT_MS)
    return f"[frame {frame.url}]\n{answer['text']}" if answer and answer["text"] else ""
