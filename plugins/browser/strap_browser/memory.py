"""What page actions remember of a page from call to call."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.activity import Activity
from strap_browser.agent import Agent, Answer
from strap_browser.refs import Refs
from strap_browser.snapshot import Snapshot, build

if TYPE_CHECKING:
    from playwright.async_api import Frame

    from strap_browser.tabs import Tab

SNAPSHOT_LIMIT_MS = 20_000
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

    async def look(self) -> Snapshot:
        """Take a snapshot; the next difference starts from it."""
        began = monotonic()
        raw, (info, secrets) = await asyncio.gather(
            self.tab.page.aria_snapshot(mode="ai", timeout=SNAPSHOT_LIMIT_MS), self._secrets()
        )
        seconds = monotonic() - began
        self.last = build(
            raw, url=info["url"], title=info["title"], secrets=secrets, seconds=seconds
        )
        return self.last

    def is_quick(self, size: int) -> bool:
        """Whether a page of `size` elements can be looked at without anybody noticing."""
        return size <= QUICK_SIZE or (self.last is not None and self.last.seconds <= QUICK)

    async def _secrets(self) -> tuple[Answer, list[str]]:
        """Return what the main document says of itself, and what password fields hold."""
        frames = self.tab.page.frames[1 : FRAMES + 1]
        inner = asyncio.gather(*(self._secrets_in(frame) for frame in frames))
        info = await self.agent.ask("secrets")
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
