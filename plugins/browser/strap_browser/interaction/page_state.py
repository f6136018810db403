"""What page actions remember of a page from call to call."""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from strap import ActionError
from strap_browser.cdp.errors import CdpError
from strap_browser.common.beside import beside
from strap_browser.common.text import clip
from strap_browser.content.script import LIMIT_MS, PageScript, ScriptAnswer
from strap_browser.engine.direct import Direct
from strap_browser.engine.early_page import EarlyPage
from strap_browser.engine.frames import inner, open_empty, world
from strap_browser.engine.page_activity import PageActivity, started
from strap_browser.engine.playwright.errors import Error
from strap_browser.snapshot.items import find
from strap_browser.snapshot.nodes import Node, accessibility_tree, numberless
from strap_browser.snapshot.refs import Refs, document
from strap_browser.snapshot.snapshot import Snapshot, build

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page

    from strap_browser.pages.tab import Tab

    _Told = tuple[Frame, ScriptAnswer]

QUICK_SIZE = 3_000
"""A page of up to so many elements is looked at after an action without a second thought."""
QUICK = 0.15
"""A larger one only if that took less time, in seconds, when it was last looked at."""
MASK = "•" * 8
"""What is shown for a password; `content/outline.js` says it too."""
CRASHED = "crashed"
"""In what Playwright says of commands to a frame whose process crashed."""
BLANK = "about:blank"
FRAMES_MS = 3_000
"""How long frames are waited for, in milliseconds."""


@dataclass(kw_only=True)
class PageState:
    """The refs that a page has shown, the last snapshot of it, and what it is doing."""

    tab: "Tab"
    agent: PageScript
    activity: PageActivity
    size: int = 0
    """Elements of the page when it was last asked."""
    direct: Direct | None = None
    """The shortest way to ask the page, where there is one."""
    swept: int = 0
    """Documents there had been when their memory was last freed."""
    _taken: Snapshot | None = None
    _source: tuple[Any, ...] = ()
    """What it was built from."""
    _frames: "dict[str, Frame]" = field(default_factory=dict)
    """Those in the main document, by the ids of their documents."""
    _crashed: "set[Frame]" = field(default_factory=set)
    """Of those, the ones whose crash was told."""
    _document: int = -1
    _stamp: str = ""

    @property
    def refs(self) -> Refs:
        """The refs that the page has shown."""
        return self.tab.refs

    @property
    def last(self) -> Snapshot | None:
        """The last snapshot, if the document is still the same."""
        return self._taken if self._document == self.activity.commits else None

    @property
    def input(self) -> "Direct | Page":
        """What has the mouse and the keyboard: the shortest way to the page that there is."""
        return self.direct or self.tab.page

    async def ask(self, op: str, *, ordered: bool = False, **arguments: Any) -> ScriptAnswer:
        """Ask the main document.

        With `ordered` the answer comes after the events of all that happened before, as those of
        frames always do; it takes longer.
        """
        if self.direct is not None:
            way = self._evaluate if ordered else None
            told = await self.direct.ask(op, way=way, **arguments)
            if told is not None:
                return self.agent.checked(told)
            if isinstance(self.tab.page, EarlyPage):
                raise Error("The page navigated or closed before it answered.")
        return await self.agent.ask(op, **arguments)

    async def send(self, method: str, **params: Any) -> ScriptAnswer:
        """Send the page a command of the DevTools protocol, the shortest way there is."""
        if self.direct is not None:
            with suppress(CdpError):  # Playwright knows the reason
                return await self.direct.send(method, **params)
        answer: ScriptAnswer = await (await self.tab.cdp()).send(method, params)
        return answer

    async def _evaluate(self, **options: Any) -> ScriptAnswer:
        """Evaluate in the session that tells of events; raises `Refused`."""
        try:
            answer: ScriptAnswer = await (await self.tab.cdp()).send("Runtime.evaluate", options)
        except Error as error:
            raise CdpError(error.message) from None
        return answer

    async def ask_ref(self, raw: str, op: str, **arguments: Any) -> ScriptAnswer:
        """Ask about the element with the page's own ref; `{"gone": True}` if there is none."""
        frame = self.frame_of(raw)
        if frame is None:
            return await self.ask(op, ref=raw, **arguments)
        try:
            return await self.agent.ask_frame(frame, op, LIMIT_MS, ref=raw, **arguments)
        except Error:
            if not frame.is_detached():
                raise
            return {"gone": True}

    def locate(self, raw: str) -> "Locator":
        """Return the locator of the element with the page's own ref."""
        return (self.frame_of(raw) or self.tab.page).locator(self.agent.selector(raw))

    def frame_of(self, raw: str) -> "Frame | None":
        """Return the frame that an element is in, None for the main document."""
        return self._frames.get(document(raw))

    async def look(self) -> Snapshot:
        """Take a snapshot; the next difference starts from it."""
        began, commits = monotonic(), self.activity.commits
        await open_empty(self.tab)
        stamp = "" if self.is_quick(self.size) else secrets.token_hex(4)
        within = started(self._told_within())
        try:
            told = await self.ask("outline", token=stamp or None)
            frames = await within
            if any(answer["frame"] < 0 for _, answer in frames):
                await self._place([(self.tab.page.main_frame, told), *frames])
        finally:
            within.cancel()
        source = (told, *(answer for _, answer in frames))
        last, same = self._taken, self._source

        def build_anew() -> Snapshot:
            return self._built(told, frames, began) if last is None or source != same else last

        large = sum(answer["size"] for answer in source) > QUICK_SIZE
        taken = await beside(build_anew, large=large)
        self.size, self._document, self._stamp = told["size"], commits, stamp
        self._source, self._taken = source, taken
        self._frames = {answer["id"]: frame for frame, answer in frames}
        return taken

    def _built(self, told: ScriptAnswer, frames: "list[_Told]", began: float) -> Snapshot:
        return build(
            self._nodes(told, self.tab.page.main_frame, frames),
            url=told["url"],
            title=told["title"],
            main=told["id"],
            kind=told["kind"],
            restless=tuple(told["restless"]),
            seconds=monotonic() - began,
        )

    def _nodes(self, told: ScriptAnswer, frame: "Frame", others: "list[_Told]") -> list[Node]:
        """Return what a document shows, and inside its frames what those show."""
        inside: dict[str | int, _Told] = {
            answer.get("element") or answer["frame"]: (other, answer)
            for other, answer in others
            if other.parent_frame == frame
        }

        def within(ref: str, number: int) -> list[Node] | None:
            other, answer = inside.get(ref) or inside.get(number) or (None, None)
            if other is None or answer is None or (answer["url"] == BLANK and not answer["tree"]):
                return None
            return self._nodes(answer, other, others)

        return accessibility_tree(told, within)

    async def _place(self, told: "list[_Told]") -> None:
        """Find the elements of frames that have no number in their document.

        Those in shadow roots have none.
        """
        for parent, outline in told:
            lost = [a for f, a in told if f.parent_frame == parent and a["frame"] < 0]
            if lost:
                found = await asyncio.gather(
                    *(self._frame_in(parent, ref) for ref in numberless(outline))
                )
                at = {frame: ref for ref, frame in found}
                for frame, answer in told:
                    if frame in at:
                        answer["element"] = at[frame]

    async def _frame_in(self, parent: "Frame", ref: str) -> "tuple[str, Frame | None]":
        """Return the ref of an element in `parent` and the frame that is in it."""
        with suppress(Error):
            found = parent.locator(self.agent.selector(ref))
            handle = await found.element_handle(timeout=FRAMES_MS)
            return ref, await handle.content_frame()
        return ref, None

    async def _told_within(self) -> "list[_Told]":
        told = await asyncio.gather(*map(self._told_in, inner(self.tab.page)))
        return [answer for answer in told if answer is not None]

    async def _told_in(self, frame: "Frame") -> "_Told | None":
        """Return the outline of a frame's document, None if it does not answer."""
        answer = await self.ask_within(frame, "outline", FRAMES_MS)
        return None if answer is None else (frame, answer)

    async def ask_within(self, frame: "Frame", op: str, limit: int) -> ScriptAnswer | None:
        """Ask the document of a frame; None if it does not answer, which is told of a crash."""
        try:
            answer = await self.agent.ask_frame(frame, op, limit)
        except Error as error:
            if CRASHED in error.message and frame not in self._crashed:
                self._crashed.add(frame)
                url = clip(self.tab.secrets.hide(frame.url))
                self.tab.events.add(f"The frame {url} crashed: it is empty until it is reloaded.")
        except ActionError:
            pass
        else:
            self._crashed.discard(frame)
            return answer
        return None

    async def inherit(self, before: "PageState") -> None:
        """Know what the page has shown so far, before Playwright was there.

        Its elements keep their refs.
        """
        shown = before.last
        self.activity.inherit(before.activity)
        if shown is None or before.direct is None:
            return
        token = f"strap-{secrets.token_hex(8)}"
        await self.ask("take", token=token, document=shown.main)
        given = await before.direct.ask("give", token=token)
        before.direct.end()
        if given and given["id"] == shown.main:
            self.size = before.size
            self._taken, self._document = shown, self.activity.commits

    def note_value(self, raw: str, shown: str, *, secret: bool) -> None:
        """Note what a field holds now, so that it is not told as a change."""
        item = find(self.last.items, raw) if self.last is not None else None
        if item is not None:
            item.body = MASK if secret else " ".join(shown.split())
            self._source = ()

    async def look_again(self) -> Snapshot:
        """Return the last snapshot if it took long and the page did not change; else take one."""
        if self.last is not None and self._stamp and len(self.tab.page.frames) == 1:
            answer = await self.ask("unchanged", token=self._stamp)
            if answer["unchanged"]:
                return self.last
        return await self.look()

    def is_quick(self, size: int) -> bool:
        """Whether a page of `size` elements can be looked at without anybody noticing."""
        return size <= QUICK_SIZE or (self.last is not None and self.last.seconds <= QUICK)


async def page_state_of(tab: "Tab") -> PageState:
    """Return the memory of the page behind `tab`; it begins with the first action on it."""
    if not isinstance(tab.state, PageState):
        activity = PageActivity(tab.page, await tab.cdp(), tab.events.add)
        await activity.start()
        agent = PageScript(tab.page, tab.connection.engine, tab.secrets)
        state = PageState(tab=tab, agent=agent, activity=activity)
        if isinstance(tab.page, EarlyPage):
            await _go_direct(state)
        else:
            tab.session.spawn(_go_direct(state))
        tab.state = state
    return tab.state


async def _go_direct(state: PageState) -> None:
    """Find the shortest way to the page; until then, and without one, Playwright is asked."""
    tab, cdp = state.tab, state.tab.connection.endpoint.cdp
    if cdp is not None:
        if not tab.target_id:
            await tab.identify()
        with suppress(CdpError):
            state.direct = await Direct.attach(
                cdp, tab.target_id, world=world(tab), engine=tab.connection.engine
            )
