"""What page actions remember of a page from call to call."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.activity import Activity
from strap_browser.agent import LIMIT_MS, Agent, Answer
from strap_browser.refs import Refs
from strap_browser.snapshot import Snapshot, build

if TYPE_CHECKING:
    from playwright.async_api import Frame

    from strap_browser.tabs import Tab

QUICK_SIZE = 3_000
"""A page of up to so many elements is looked at after an action without a second thought."""
QUICK = 0.15
"""A larger one only if that took less time, in seconds, when it was last looked at."""
FRAMES = 20
"""Frames whose password fields are looked up."""


@dataclass(kw_only=True)
class Memory:
    """The refs that a page has shown, the last snapshot of it, and what it is doing."""

    tab: "Tab"
    agent: Agent
    activity: Activity
    refs: Refs = field(default_factory=Refs)
    last: Snapshot | None = None
    size: int = 0
    """Elements of the page when it was last asked."""
    _stamp: str = ""

    async def look(self) -> Snapshot:
        """Take a snapshot; the next difference starts from it."""
        began = monotonic()
        self._stamp = "" if self.is_quick(self.size) else secrets.token_hex(4)
        asking = asyncio.ensure_future(self._secrets())
        if self._stamp:  # from now on it is noted whether the page changes
            await asking
        raw, (info, hidden) = await asyncio.gather(
            self.tab.page.aria_snapshot(mode="ai", timeout=LIMIT_MS), asking
        )
        self.size = info["size"]
        seconds = monotonic() - began
        self.last = build(
            raw, url=info["url"], title=info["title"], secrets=hidden, seconds=seconds
        )
        return self.last

    async def look_again(self) -> Snapshot:
        """Return the last snapshot if it took long and the page did not change; else take one."""
        if self.last is not None and self._stamp and len(self.tab.page.frames) == 1:
            answer = await self.agent.ask("unchanged", token=self._stamp)
            if answer["unchanged"]:
                return self.last
        return await self.look()

    def is_quick(self, size: int) -> bool:
        """Whether a page of `size` elements can be looked at without anybody noticing."""
        return size <= QUICK_SIZE or (self.last is not None and self.last.seconds <= QUICK)

    async def _secrets(self) -> tuple[Answer, list[str]]:
        """Return what the main document says of itself, and what password fields hold."""
        frames = self.tab.page.frames[1 : FRAMES + 1]
        inner = asyncio.gather(*(self._secrets_in(frame) for frame in frames))
        info = await self.agent.ask("secrets", token=self._stamp or None)
        return info, [secret for answer in (info, *await inner) for secret in answer["secrets"]]

    async def _secrets_in(self, frame: "Frame") -> Answer:
        from playwright.async_api import Error

        with suppress(Error, ActionError):
            return await self.agent.ask_frame(frame, "secrets")
        return {"secrets": []}


async def memory_of(tab: "Tab") -> Memory:
    """Return the memory of the page behind `tab`; it begins with the first action on it."""
    if not isinstance(tab.memory, Memory):
        activity = Activity(tab.page, await tab.cdp())
        await activity.start()
        tab.memory = Memory(tab=tab, agent=Agent(tab.page, tab.link.engine), activity=activity)
    return tab.memory
