"""One page as it is drawn: pictures for as long as somebody looks at it, and no command else."""

import asyncio
import base64
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from strap_browser.api import CdpError, CdpSession, Params
from strap_live.pictures.capture_policy import SHARP, CapturePolicy
from strap_live.pictures.frames import Frame, size_of

Take = Callable[[Frame], None]
STILL_LIMIT = 5.0
"""Seconds for a picture: a page that hangs gives none, and is asked again."""
RETRY = 1.0
"""Seconds until a page that gave no picture is asked again."""
HELD_PACE = 1 / 30
"""Seconds between two frames while a person holds the page: no more can be told apart."""


class PageCapture:
    """Pictures of one page, over a session of its own; `aclose` leaves nothing of it."""

    def __init__(self, session: CdpSession, take: Take, quality: int) -> None:
        self.policy = CapturePolicy()
        self.newest: Frame | None = None
        self.session = session
        self.document_at = 0.0
        """When the document came that is there, in seconds since 1970; 0: before all pictures."""
        self._take = take
        self._quality = quality
        self._casting = self._anew = False
        self._news = asyncio.Event()
        session.on("Page.screencastFrame", self._on_frame)
        session.on("Page.frameNavigated", self._on_document)
        self._work = asyncio.create_task(self._look(), name="look at a page")

    def action_began(self) -> None:
        """Leave the page to the agent, at once."""
        self.policy.action_began()
        self._stop_cast()
        self._news.set()

    def action_ended(self) -> None:
        """Show what came of it."""
        self.policy.action_ended(time.monotonic())
        self._news.set()

    def hold(self, *, held: bool) -> None:
        """Take note that a person has the page in hand, or no more."""
        self.policy.held = held
        self._news.set()

    def look_anew(self) -> None:
        """Show the page as it is now, be it as it was: to somebody who might not see it then."""
        self._anew = True
        self.policy.look_anew()
        self._news.set()

    def is_stale(self, size: tuple[int, int], at: float) -> bool:
        """Whether the page has changed since a picture of this size, taken `at` that time."""
        newest = self.newest
        same = newest is not None and size == (newest.width, newest.height)
        return not same or 0 < at < self.document_at

    def person_acted(self) -> None:
        """Take note of a person's input."""
        self.policy.person_acted(time.monotonic())

    async def aclose(self) -> None:
        """Look no more."""
        self._work.cancel()
        await asyncio.wait({self._work})
        self._stop_cast()
        self.session.detach()

    async def _look(self) -> None:
        self.session.send("Page.enable")
        while True:
            self._news.clear()
            now = time.monotonic()
            plan = self.policy.plan(now)
            if plan.cast:
                self._start_cast()
            else:
                self._stop_cast()
            if plan.still_at <= now:
                await self._still(sharp=plan.sharp)
                continue
            wait = min(plan.still_at, plan.again_at if plan.again_at > now else plan.still_at) - now
            with suppress(TimeoutError):
                async with asyncio.timeout(wait if wait < 1e9 else None):
                    await self._news.wait()

    def _start_cast(self) -> None:
        if not self._casting:
            self._casting = True
            options = {"format": "jpeg", "quality": self._quality, "everyNthFrame": 1}
            sending = self.session.send("Page.startScreencast", **options)
            sending.add_done_callback(self._on_cast)

    def _on_cast(self, sending: "asyncio.Future[Any]") -> None:
        """Look by stills alone where there is no screencast."""
        if not sending.cancelled() and sending.exception() is not None:
            self._casting, self.policy.castless = False, True
            self._news.set()

    def _stop_cast(self) -> None:
        """Stop, without waiting for it: the agent's next command is on its way."""
        if self._casting:
            self._casting = False
            self.session.send("Page.stopScreencast")

    def _on_frame(self, params: Params) -> None:
        number, about = params["sessionId"], params["metadata"]
        loop = asyncio.get_running_loop()
        pause = HELD_PACE if self.policy.held else 0
        loop.call_later(pause, self._acknowledge, number)
        if not self._casting:  # one that was on its way when the cast was stopped
            return
        self.policy.took_frame(time.monotonic())
        size = round(about["deviceWidth"]), round(about["deviceHeight"])
        self._show(base64.b64decode(params["data"]), size, about.get("timestamp") or time.time())
        self._news.set()

    def _on_document(self, params: Params) -> None:
        if "parentId" not in params["frame"]:
            self.document_at = time.time()

    def _acknowledge(self, number: int) -> None:
        if self._casting:
            self.session.send("Page.screencastFrameAck", sessionId=number)

    async def _still(self, *, sharp: bool) -> None:
        try:
            async with asyncio.timeout(STILL_LIMIT):
                data, size = await still(self.session, SHARP if sharp else self._quality)
        except (CdpError, TimeoutError, ValueError):
            await asyncio.sleep(RETRY)
            return
        changed = self._anew or self.newest is None or self.newest.data != data
        self.policy.took_still(time.monotonic(), changed=changed, sharp=sharp)
        if changed:
            self._show(data, size, time.time(), is_still=True)

    def _show(
        self, data: bytes, size: tuple[int, int], at: float, *, is_still: bool = False
    ) -> None:
        width, height = size
        self._anew = False
        self.newest = Frame(data=data, width=width, height=height, at=at, still=is_still)
        self._take(self.newest)


async def still(session: CdpSession, quality: int) -> tuple[bytes, tuple[int, int]]:
    """Return a picture and the size of the page in CSS pixels; raises `CdpError`.

    It is never a scaled one: for that Chromium resizes the page, and leaves it so where the session
    ends before the picture is there.
    """
    asking = session.send("Page.getLayoutMetrics")
    options: dict[str, Any] = {"format": "jpeg", "quality": quality, "optimizeForSpeed": True}
    shot = await session.send("Page.captureScreenshot", **options)
    metrics = await asking
    data = base64.b64decode(shot["data"])
    ratio = metrics["visualViewport"]["clientWidth"] / metrics["cssVisualViewport"]["clientWidth"]
    width, height = size_of(data)
    return data, (round(width / ratio), round(height / ratio))
