"""Memory of a page from call to call."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import field
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from strap import ActionError, record
from strap_browser.cdp.errors import CdpError, ContextDestroyed
from strap_browser.common.beside import beside, read_json
from strap_browser.common.tasks import started
from strap_browser.common.text import clip
from strap_browser.engine.frames import internals
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.frame_elements import FRAMES_LIMIT, FrameAnswer, place_frames
from strap_browser.engine.frames.kept_outlines import KeptOutlines
from strap_browser.engine.page_activity import PageActivity
from strap_browser.engine.page_tools import PageTools
from strap_browser.page_script.bundle import ScriptAnswer, question
from strap_browser.snapshot.gone import Gone
from strap_browser.snapshot.items import find, hold
from strap_browser.snapshot.outlines import Outline, snapshot_of
from strap_browser.snapshot.refs import Refs, document
from strap_browser.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

QUICK_SIZE = 3_000
"""A page of up to so many elements is looked at after an action without a second thought."""
COMPARED_SIZE = 8_000
"""One of up to so many is compared with its last snapshot, however busy the machine is."""
QUICK = 0.5
"""A larger one only if that snapshot took less time, in seconds."""
MASK = "•" * 8
"""Text in place of a password; `page_script/accessibility/outline.js` has it too."""
OptionalPlaces = dict[str, str] | None
_Outlines = tuple[ScriptAnswer, list[FrameAnswer]]
RETRY = 0.01
"""Seconds after which a page that went to another document while it was asked is asked again."""


@record(frozen=False)
class PageState:
    """The refs that a page has shown, the last snapshot of it, and what it is doing."""

    tab: "Tab"
    activity: PageActivity
    tools: PageTools
    size: int = 0
    """Elements of the page when it was last asked."""
    swept: int = 0
    """Documents there had been when their memory was last freed."""
    awaits_news: bool = True
    """Whether who acts on the page now waits for what comes of it, before nothing is told."""
    acted: float = 0.0
    """When the last call that may act on it came in, by the monotonic clock."""
    told_in_part: bool = False
    """Whether what changed since the last snapshot was told without another one."""
    gone: Gone = field(default_factory=Gone)
    """Items that left the page when much of it did."""
    pictures: tuple[Any, list[bytes]] | None = None
    """The last pictures of it, and what they have to have in common with the next."""
    _taken: Snapshot | None = None
    _source: tuple[Any, ...] = ()
    """Outlines that it was built from."""
    _foreseen: tuple[tuple[Any, ...], Snapshot | None] = (), None
    """Another one, likewise, that a look may come to."""
    _frames: dict[str, Frame] = field(default_factory=dict)
    """Those in the main document, by the ids of their documents."""
    _crashed: set[Frame] = field(default_factory=set)
    """Frames whose crash was told."""
    _document: int = -1
    _places: OptionalPlaces = None
    _cached: KeptOutlines = field(default_factory=KeptOutlines)

    @property
    def refs(self) -> Refs:
        """The refs that the page has shown."""
        return self.tab.refs

    @property
    def last(self) -> Snapshot | None:
        """The last snapshot, if the document is still the same."""
        return self._taken if self._document == self.activity.commits else None

    async def ask(self, op: str, **arguments: Any) -> ScriptAnswer:
        """Ask the main document, the next one where it goes meanwhile; raises `CdpError`."""
        return await self.ask_in(self.tab.page.main_frame, op, **arguments)

    async def ask_in(self, frame: Frame, op: str, **arguments: Any) -> ScriptAnswer:
        """Ask the document of a frame; raises like `ask`."""
        return await internals.with_internals(frame, partial(self._answer, frame, op, **arguments))

    async def _answer(self, frame: Frame, op: str, **arguments: Any) -> ScriptAnswer:
        call = question(op, arguments)
        while True:
            try:
                return self._checked(read_json(await frame.ask(call)))
            except ContextDestroyed:
                if frame.is_detached or not self.tab.alive:
                    raise
            await asyncio.sleep(RETRY)

    async def ask_ref(
        self, raw: str, op: str, within: Frame | None = None, **arguments: Any
    ) -> ScriptAnswer:
        """Ask about the element with the page's own ref; `{"gone": True}` if there is none.

        `within` is its frame, where that is known.
        """
        frame = within or self.frame_of(raw)
        try:
            return await self.ask_in(frame, op, ref=raw, **arguments)
        except CdpError:
            if not frame.is_detached:
                raise
            return {"gone": True}

    async def send(self, method: str, **params: Any) -> ScriptAnswer:
        """Send the page a command of the DevTools protocol; raises `CdpError`."""
        answer: ScriptAnswer = await self.tab.page.session.send(method, **params)
        return answer

    def _checked(self, answer: Any) -> ScriptAnswer:
        """Return an answer of the page without what is not to be shown.

        Raises `ActionError` (code "page_script") where the page's side failed.
        """
        answer = self.tab.secrets.hide_all(answer, keys=False)  # which are strap's own
        if not isinstance(answer, dict) or "error" in answer:
            reason = answer.get("error") if isinstance(answer, dict) else answer
            raise ActionError(f"The page could not be asked: {reason}.", code="page_script")
        return answer

    def frame_of(self, raw: str) -> Frame:
        """Return the frame that the element with the page's own ref is in."""
        return self._frames.get(document(raw)) or self.tab.page.main_frame

    def is_framed(self, raw: str) -> bool:
        """Whether an element is in a frame of the page."""
        return document(raw) in self._frames

    async def first_look(self) -> Outline:
        """Ask the main document what it is, and what a small one shows; raises `CdpError`."""
        began, commits = monotonic(), self.activity.commits
        answer = await self.ask("outline", most=QUICK_SIZE, first=True)
        self.size, drawing = answer["size"], answer.pop("drawing", {})
        return Outline(answer=answer, began=began, commits=commits, drawing=drawing)

    async def look(self, places: OptionalPlaces = None, *, seen: Outline | None = None) -> Snapshot:
        """Take a snapshot; the next difference starts from it.

        With `places` plain text has refs too: that in an element (`ref`) or with words (`text`).
        What was `seen` of a small page is not asked for again.
        """
        begin = monotonic(), self.activity.commits
        began, commits = begin if seen is None else (seen.began, seen.commits)
        outline, frames = await self._whole(places, seen)
        taken = await self._built(outline, frames, began)
        self.size, self._document = outline["size"], commits
        self._places, self.told_in_part = places, False
        self._source, self._taken = (outline, *(answer for _, answer in frames)), taken
        self._foreseen = (), None
        self._frames = {answer["id"]: frame for frame, answer in frames}
        return taken

    async def peek(self, places: OptionalPlaces = None) -> Snapshot:
        """Take a snapshot that no difference starts from."""
        began = monotonic()
        outline, frames = await self._whole(places)
        taken = await self._built(outline, frames, began)
        self._frames = {answer["id"]: frame for frame, answer in frames}
        return taken

    async def _whole(self, places: OptionalPlaces, seen: Outline | None = None) -> _Outlines:
        answer, frames, whole = await self._outlines(places, seen)
        if not whole:
            answer, frames, _ = await self._outlines(places)
        return answer, frames

    async def _built(
        self, outline: ScriptAnswer, frames: list[FrameAnswer], began: float
    ) -> Snapshot:
        """Return a snapshot of what the documents told, unless there is one of the same already."""
        source = (outline, *(answer for _, answer in frames))
        known = self._foreseen, (self._source, self._taken)

        def build_anew() -> Snapshot:
            for same, snapshot in known:
                if snapshot is not None and source == same:
                    return snapshot
            return snapshot_of(outline, self.tab.page.main_frame, frames, began)

        large = sum(answer["size"] + answer["lines"] for answer in source) > QUICK_SIZE
        return await beside(build_anew, large=large)

    async def _outlines(
        self, places: OptionalPlaces, seen: Outline | None = None
    ) -> tuple[ScriptAnswer, list[FrameAnswer], bool]:
        """Return the outline of the main document, those of what is in it, and if they are whole.

        They are not where a frame went meanwhile: the document may have been looked at before that.
        """
        inner = self.tab.page.inner_frames
        within = started(self._told_within(inner, places))
        try:
            outline = seen.answer if seen else await self._outline(self.tab.page.main_frame, places)
            frames = await within
            if any(answer["frame"] < 0 for _, answer in frames):
                await place_frames(
                    self.tab.page.frame, [(self.tab.page.main_frame, outline), *frames]
                )
        finally:
            within.cancel()
        return outline, frames, not any(frame.is_detached for frame in inner)

    async def _told_within(self, frames: list[Frame], places: OptionalPlaces) -> list[FrameAnswer]:
        answers = await asyncio.gather(*(self._told_in(frame, places) for frame in frames))
        return [answer for answer in answers if answer is not None]

    async def _told_in(self, frame: Frame, places: OptionalPlaces) -> FrameAnswer | None:
        answer = await self._within(frame, FRAMES_LIMIT, partial(self._outline, frame, places))
        return None if answer is None else (frame, answer)

    async def _outline(self, frame: Frame, places: OptionalPlaces) -> ScriptAnswer:
        size = self.size if frame is self.tab.page.main_frame else 0
        return self._checked(await self._cached.outline(self.ask_in, frame, places, size))

    async def ask_within(
        self, frame: Frame, op: str, limit: float, **arguments: Any
    ) -> ScriptAnswer | None:
        """Ask the document of a frame; None if it does not answer, which is told of a crash."""
        return await self._within(frame, limit, partial(self.ask_in, frame, op, **arguments))

    async def _within(
        self, frame: Frame, limit: float, ask: Callable[[], Awaitable[ScriptAnswer]]
    ) -> ScriptAnswer | None:
        if not frame.crashed:
            self._crashed.discard(frame)
            with suppress(CdpError, ActionError, TimeoutError):
                async with frame.patience(limit):
                    return await ask()
        if frame.crashed and frame not in self._crashed:
            self._crashed.add(frame)
            url = clip(self.tab.secrets.hide(frame.url))
            self.tab.events.add(f"The frame {url} crashed: it is empty until it is reloaded.")
        return None

    def note_value(self, raw: str, shown: str, *, secret: bool) -> None:
        """Note what a field holds now, so that it is not told as a change."""
        if self.last is not None and (item := find(self.last.items, raw)):
            hold(item, MASK if secret else shown)
            self._source = ()

    async def look_likewise(self, seen: Outline | None = None) -> Snapshot:
        """Take a snapshot that can be compared with the last one, as refs of texts part them."""
        return await self.look(self._places, seen=seen)

    def likewise(self, most: int = QUICK_SIZE, **more: Any) -> dict[str, Any]:
        """Return what to ask for such a look of a page of up to so many elements."""
        return {"most": most, "places": self._places, **more}

    async def foresee(self, seen: Outline) -> Snapshot:
        """Return the snapshot that a look comes to if what was `seen` is all there is."""
        snapshot = await self._built(seen.answer, [], seen.began)
        self._foreseen = (seen.answer,), snapshot
        return snapshot

    def is_quick(self, size: int) -> bool:
        """Whether a page of `size` elements is looked at after an action."""
        is_compared = self.last is not None and size <= COMPARED_SIZE
        return size <= QUICK_SIZE or is_compared or self.was_read_within(QUICK)

    def was_read_within(self, seconds: float) -> bool:
        """Whether the last look took no longer."""
        return self.last is not None and self.last.seconds <= seconds


async def page_state_of(tab: "Tab") -> PageState:
    """Return the memory of the page behind `tab`; it begins with the first action on it."""
    if not isinstance(tab.state, PageState):
        await tab.page.start()
        activity = PageActivity(tab.page, tab.events.add)
        tools = PageTools(tab.page)
        tools.enable()
        tab.state = PageState(tab=tab, activity=activity, tools=tools)
    return tab.state
