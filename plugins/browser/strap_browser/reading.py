"""The text of a page or an element."""

import asyncio
from typing import TYPE_CHECKING

from strap import ActionError, Context, Result, cut
from strap_browser.agent import Answer as Told
from strap_browser.browsers import Browsers
from strap_browser.effects import answer_for
from strap_browser.memory import Memory, memory_of
from strap_browser.rendering import quoted
from strap_browser.targets import ask, find_target
from strap_browser.trouble import explained, refuse_dialog

if TYPE_CHECKING:
    from playwright.async_api import Frame

FRAMES = 20
NOTE_TOKENS = 40


async def read(ref: str | None, selector: str | None, start: int, ctx: Context[Browsers]) -> Result:
    """Tell the visible text from character `start` on."""
    async with ctx.state.tab(ctx) as tab:
        refuse_dialog(tab)
        answer = answer_for(ctx)
        with explained(tab):
            memory = await memory_of(tab)
            target = await find_target(memory, ref, selector)
            if target is None:
                told, text = await _whole(memory)
                answer.add(f"{quoted(told['title'])} {told['url']}".strip())
            else:
                told, target = await ask(memory, target, "text")
                text = told["text"]
                answer.add(target.note)
        answer.data.update(url=told["url"], title=told["title"], length=len(text))
        rest = text[start:]
        if not rest:
            answer.add("There is no text." if not text else f"The text ends at {len(text):,}.")
            return answer.result(tab)
        head, left = cut(rest, answer.left - NOTE_TOKENS)
        answer.add(head.rstrip("\n"))
        if left:
            answer.add(f"… {len(left):,} more characters: start={start + len(head)}")
        return answer.result(tab)


async def _whole(memory: Memory) -> tuple[Told, str]:
    """Return what the main document says of itself, and the text of it and of its frames."""
    frames = memory.tab.page.frames[1 : FRAMES + 1]
    inner = asyncio.gather(*(_in_frame(memory, frame) for frame in frames))
    main = await memory.agent.ask("text")
    return main, "\n\n".join(text for text in (main["text"], *await inner) if text)


async def _in_frame(memory: Memory, frame: "Frame") -> str:
    from playwright.async_api import Error

    try:
        element = await frame.frame_element()
        if not await element.is_visible():
            return ""
        text = (await memory.agent.ask_frame(frame, "text"))["text"]
    except (Error, ActionError):
        return ""
    return f"[frame {frame.url}]\n{text}" if text else ""
