"""The text of a page: that of its documents, of their frames, and of the files that they show."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from strap import ActionError, record
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import short_address
from strap_browser.interaction.document_body import VIEWER, document_body
from strap_browser.snapshot.media_types import PDF

if TYPE_CHECKING:
    from strap import Context
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.page_state import PageState
    from strap_browser.page_script.bundle import ScriptAnswer
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.snapshot.media_types import Media

FRAME_LIMIT = 1.0
"""Seconds in which a frame has to tell its text."""


@record
class PageText:
    """The text of a page, as its main document and its frames tell it."""

    state: "PageState"
    ctx: "Context[BrowserRegistry]"

    async def read(self) -> "tuple[ScriptAnswer, str, Media]":
        """Return what the main document says of itself, the text, and what is there without one.

        Raises `ActionError` where the page is a file that is not read.
        """
        from strap_browser.common.tasks import started

        page = self.state.tab.page
        inner = (frame for frame in page.inner_frames if not frame.url.startswith(VIEWER))
        frames = started(asyncio.gather(*map(self._in_frame, inner)))
        try:
            main = await self.state.ask("text")
            if main["kind"] == PDF:
                return main, await self._file(page.main_frame), []
            answers = [main, *filter(None, await frames)]
        finally:
            frames.cancel()
        media = [item for answer in answers for item in answer["media"]]
        return main, "\n\n".join(answer["text"] for answer in answers if answer["text"]), media

    async def _in_frame(self, frame: "Frame") -> "ScriptAnswer | None":
        with suppress(CdpError):
            if not await frame.is_shown():
                return None
        if (answer := await self.state.ask_within(frame, "text", FRAME_LIMIT)) is None:
            return None
        if answer["kind"] == PDF:
            try:
                answer["text"] = await self._file(frame)
            except ActionError as error:
                answer["text"] = f"(a PDF: {error})"
        if answer["text"]:
            answer["text"] = f"[frame {short_address(frame.url)}]\n{answer['text']}"
        return answer

    async def _file(self, frame: "Frame") -> str:
        state, files = self.state, self.ctx.state.files
        key = (self.ctx.caller_key, state.tab.handle, frame.loader)
        text = files.get(*key)
        if text is None:
            body = await document_body(state, frame)
            text, why = await files.read(*key, content=body, name=frame.url, media_type=PDF)
            if not text:
                raise ActionError(why, hint="`screenshot` shows it, `http fetch` saves it.")
        return await asyncio.to_thread(state.tab.secrets.hide, text)
