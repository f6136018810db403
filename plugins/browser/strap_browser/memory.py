"""What page actions remember of a page from call to call."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.activity import Activity, started
from strap_browser.agent import LIMIT_MS, Agent, Answer
from strap_browser.direct import Direct
from strap_browser.frames import inner, open_empty
from strap_browser.outline import find
from strap_browser.pipe import Refused
from strap_browser.refs import Refs
from strap_browser.snapshot import MASK, Snapshot, build

if TYPE_CHECKING:
    from playwright.async_api import Frame

    from strap_browser.tabs import Tab

QUICK_SIZE = 3_000
"""A page of up to so many elements is looked at after an action without a second thought."""
QUICK = 0.15
"""A larger one only if that took less time, in seconds, when it was last looked at."""
TELL = """[location.href, document.title.replace(/\\s+/g, " ").trim().slice(0, 200),
document.getElementsByTagName("*").length, !!document.body,
[...document.querySelectorAll("input[type=password]")].map((field) => field.value)]"""
FRAMES_MS = 3_000
"""How long frames are waited for, in milliseconds."""


@dataclass(kw_only=True)
class Memory:
    """The refs that a page has shown, the last snapshot of it, and what it is doing."""

    tab: "Tab"
    agent: Agent
    activity: Activity
    refs: Refs = field(default_factory=Refs)
    size: int = 0
    """Elements of the page when it was last asked."""
    direct: Direct | None = None
    """The shortest way to ask the page, where there is one."""
    swept: int = 0
    """Documents there had been when their memory was last freed."""
    _taken: Snapshot | None = None
    _source: tuple[str, ...] = ()
    """What it was built from."""
    _document: int = -1
    _stamp: str = ""

    @property
    def last(self) -> Snapshot | None:
        """The last snapshot, if the document is still the same."""
        return self._taken if self._document == self.activity.commits else None

    async def look(self) -> Snapshot:
        """Take a snapshot; the next difference starts from it."""
        began, document, moves = monotonic(), self.activity.commits, self.activity.moves
        await open_empty(self.tab)
        self._stamp = "" if self.is_quick(self.size) else secrets.token_hex(4)
        telling = started(self._told())
        if self._stamp:  # from now on it is noted whether the page changes
            await telling
        looking = started(self._raw())
        try:
            told = self.tab.secrets.hide_all(await telling)
            # Where there is no body, as in a picture, Playwright would wait for one.
            raw = await looking if told["body"] else ""
        finally:
            telling.cancel()
            looking.cancel()
        self.size, self._document = told["size"], document
        source = (raw, told["url"], told["title"], str(moves), *told["secrets"])
        if self._taken is None or source != self._source:
            self._source = source
            self._taken = build(
                raw,
                url=told["url"],
                title=told["title"],
                secrets=told["secrets"],
                hide=self.tab.secrets.hide if self.tab.secrets else None,
                moves=moves,
                seconds=monotonic() - began,
            )
        return self._taken

    def note_value(self, raw: str, shown: str, *, secret: bool) -> None:
        """Note what a field holds now, so that it is not told as a change."""
        item = find(self.last.items, raw) if self.last is not None else None
        if item is not None:
            item.body = MASK if secret else " ".join(shown.split())
            self._source = ()

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

    async def _raw(self) -> str:
        """Return Playwright's snapshot; a frame that does not answer is empty in it."""
        from playwright.async_api import TimeoutError as Late

        page = self.tab.page
        if len(page.frames) > 1:  # those in it are waited for until time is up
            with suppress(Late):
                return await page.aria_snapshot(mode="ai", timeout=FRAMES_MS)
        return await page.aria_snapshot(mode="ai", timeout=LIMIT_MS)

    async def _told(self) -> Answer:
        """Return what the page says of itself, and what password fields hold (`secrets`)."""
        frames = inner(self.tab.page)
        told = None if self._stamp else await self._told_quickly()
        if told is None:
            told = await self.agent.ask("secrets", token=self._stamp or None)
        for answer in await asyncio.gather(*map(self._secrets_in, frames)):
            told["secrets"] += answer["secrets"]
        return told

    async def _told_quickly(self) -> Answer | None:
        """Ask in the page's own world, which is faster; None if the page meddles with it."""
        from playwright.async_api import Error

        options = {"expression": TELL, "returnByValue": True}
        try:
            if self.direct is not None:
                answer = await self.direct.evaluate(**options)
            else:
                answer = await (await self.tab.cdp()).send("Runtime.evaluate", options)
        except (Error, Refused):  # on its way to another document, which the agent waits for
            return None
        value = answer.get("result", {}).get("value")
        if not isinstance(value, list) or [type(part) for part in value] != [
            str,
            str,
            int,
            bool,
            list,
        ]:
            return None
        url, title, size, body, hidden = value
        if not all(isinstance(secret, str) for secret in hidden):
            return None
        return {"url": url, "title": title, "size": size, "body": body, "secrets": hidden}

    async def _secrets_in(self, frame: "Frame") -> Answer:
        from playwright.async_api import Error

        with suppress(Error, ActionError):
            return await self.agent.ask_frame(frame, "secrets")
        return {"secrets": []}


async def memory_of(tab: "Tab") -> Memory:
    """Return the memory of the page behind `tab`; it begins with the first action on it."""
    if not isinstance(tab.memory, Memory):
        activity = Activity(tab.page, await tab.cdp(), tab.events.add)
        await activity.start()
        agent = Agent(tab.page, tab.link.engine, tab.secrets)
        tab.memory = Memory(tab=tab, agent=agent, activity=activity)
        tab.session.spawn(_go_direct(tab.memory))
    return tab.memory


async def _go_direct(memory: Memory) -> None:
    """Find the shortest way to the page; until then, and without one, Playwright is asked."""
    tab, pipe = memory.tab, memory.tab.link.endpoint.pipe
    if pipe is not None:
        if not tab.cdp_id:
            await tab.identify()
        with suppress(Refused):
            memory.direct = await Direct.attach(pipe, tab.cdp_id, tab.link.engine)
