"""Video of the pages of a session: each call is a caption, its element framed."""

import asyncio
import base64
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from strap.evidence.har import Masking
from strap.text import counted
from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.engine.frames.geometry import Box, box_on_page
from strap_browser.engine.page import Page
from strap_browser.page_script.bundle import question
from strap_browser.recorders.recording import RecordedCall
from strap_browser.recorders.report import SHOWN
from strap_browser.recorders.video_file import HEIGHT, WIDTH, VideoFile

PACE = 0.25
"""Seconds between two pictures at least: enough to follow what is done, and a click is not slower.
"""
FRAMED = 1.5
"""Seconds for which an element stays framed."""
LOOK_LIMIT = 1.0
"""Seconds for a look for secrets; a page that does not answer is not shown."""
FIRST_LIMIT = 2.0
"""Seconds for the first picture of a page: one that is behind others may never send one."""
CAST = {"format": "jpeg", "quality": 80, "maxWidth": WIDTH, "maxHeight": HEIGHT}


class VideoRecorder:
    """Follows the page of the last call; `failed` is called where the disk refuses."""

    what = "video"

    def __init__(
        self,
        path: Path,
        masking: Masking,
        failed: Callable[[str], None],
        is_private: Callable[[], bool],
    ) -> None:
        """Blocks; raises `OSError`, and `ActionError` where a package is missing.

        Nothing is shown while the pages `is_private`.
        """
        self.path = path
        self._masking, self._failed, self._is_private = masking, failed, is_private
        self._file, self._began = VideoFile(path), time.monotonic()
        self._page: Page | None = None
        self._cast: CdpSession | None = None
        self._jpeg, self._width, self.caption = b"", float(WIDTH), ""
        self._box: Box | None = None
        self._framed_until = 0.0
        self._tasks, self._order, self._waits = Tasks(), asyncio.Lock(), False
        self._drawn_at, self._has_picture = 0.0, asyncio.Event()
        self._thread = ThreadPoolExecutor(1)  # several would each keep memory for pictures

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._file.size

    @property
    def summary(self) -> str:
        """Number of pictures in the file, in words."""
        return counted(self._file.count, "picture")

    async def start(self, page: Page) -> None:
        """Show a page from now on, beginning as it is; raises `CdpError`."""
        await self._leave()
        self._page = page
        self._has_picture.clear()
        session = await page.session.connection.attach(page.target_id)
        if self._page is not page:  # another one is to be shown by now
            session.detach()
            return
        self._cast = session
        session.on("Page.screencastFrame", partial(self._on_frame, page, session))
        session.send("Page.enable")
        await session.send("Page.startScreencast", **CAST)
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LIMIT):
                await self._has_picture.wait()

    def take(self, event: str, payload: Any, page: str) -> None:
        """Take an event of a page, or a call."""
        if event == "aimed":
            self._tasks(self._aim(*payload))
        elif event == "call":
            self._tasks(self._follow(payload))

    async def stop(self) -> None:
        """Show the last page to the end, as it is now."""
        if self._page is not None and not self._page.is_closed():
            with suppress(CdpError):
                await self.start(self._page)  # a new cast begins with a new picture
        await self._leave()
        await self._tasks.settle()
        await self._draw()
        await self._in_thread(self._close)
        self._thread.shutdown(wait=False)

    async def _follow(self, call: RecordedCall) -> None:
        caption = self._masking.text(call.what) + (" (failed)" if call.failed else "")
        self.caption = f"{self.caption} · {caption}" if self._waits else caption
        if call.page is not None and call.page is not self._page and not call.page.is_closed():
            with suppress(CdpError):
                await self.start(call.page)
        await self._draw()

    async def _aim(self, frame: Any, token: str) -> None:
        with suppress(CdpError, ValueError, KeyError):
            answer = json.loads(await frame.ask(question("aimed", {"token": token})))
            if rect := answer.get("rect"):
                self._box = await box_on_page(frame, tuple(rect))
                self._framed_until = time.monotonic() + FRAMED
                await self._draw()

    def _on_frame(self, page: Page, cast: CdpSession, event: Params) -> None:
        self._tasks(self._show(page, cast, event))

    async def _show(self, page: Page, cast: CdpSession, event: Params) -> None:
        """Show a picture, unless it comes when its page is no longer the one that is shown."""
        hidden = self._is_private() or await self._shows_secret(page)
        if cast is not self._cast:
            return
        self._jpeg = b"" if hidden else base64.b64decode(event["data"])
        self._width = event["metadata"]["deviceWidth"] or WIDTH
        self._has_picture.set()
        await self._draw()
        cast.send("Page.screencastFrameAck", sessionId=event["sessionId"])  # for the next picture

    async def _shows_secret(self, page: Page) -> bool:
        if not self._masking.secrets:
            return False
        try:
            async with asyncio.timeout(LOOK_LIMIT):
                seen = str(await page.evaluate(SHOWN))
        except (CdpError, TimeoutError):
            return True
        return bool(await asyncio.to_thread(self._masking.secrets.held_in, seen))

    async def _draw(self) -> None:
        """Write the newest picture; where one is being written, the next one is enough."""
        if self._waits:
            return
        self._waits = True
        async with self._order:
            await asyncio.sleep(max(0.0, self._drawn_at + PACE - time.monotonic()))
            self._waits = False
            now = self._drawn_at = time.monotonic()
            box = self._box if now < self._framed_until else None
            at = round((now - self._began) * 1000)
            try:
                picture = self._jpeg, at, self.caption, box, self._width
                await self._in_thread(self._file.add, *picture)
            except OSError as error:
                self._failed(error.strerror or "it cannot be written")

    async def _in_thread(self, work: Callable[..., None], *arguments: Any) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def _leave(self) -> None:
        cast, self._cast, self._page = self._cast, None, None
        if cast is not None:
            cast.send("Page.stopScreencast")
            cast.detach()

    def _close(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self._failed(error.strerror or "it cannot be written")
