"""A page: its documents, what it says and asks, and its mouse and keyboard."""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.cdp.errors import NotAnswered
from strap_browser.common.event_source import EventSource, Handler
from strap_browser.common.tasks import started
from strap_browser.engine.context import BrowserContext
from strap_browser.engine.errors import ABORTED, DownloadStarted, NavigationFailed
from strap_browser.engine.frames.frame import Frame
from strap_browser.engine.frames.frame_tree import FrameTree
from strap_browser.engine.frames.handles import value_of
from strap_browser.engine.history import is_at
from strap_browser.engine.input.devices import Keyboard, Mouse
from strap_browser.engine.page_terms import PageTerms, viewport
from strap_browser.engine.prompts import Dialog, FileChooser
from strap_browser.engine.targets import PageTargets
from strap_browser.engine.traffic.form_resends import sending_nothing
from strap_browser.engine.traffic.requests import Request
from strap_browser.engine.traffic.traffic import Traffic

if TYPE_CHECKING:
    from cdp_use.cdp.page import commands, events
    from cdp_use.cdp.target.events import DetachedFromTargetEvent

START_LIMIT = 10.0
"""Seconds to set up a page: one that hangs would never answer, and the call has 30 in all."""
UNHEARD = 200
"""Events of a window that are kept until somebody follows it, some seconds at most."""
END_LIMIT = 1.0
"""Seconds that a page that is closed gets to be gone; most take some milliseconds."""


class Page(EventSource):
    """A page of a browser.

    `on` tells of what happens, in its order: "message" (`Message`), "close" and "crash" (with the
    page), "popup" (`Page`), "dialog" and "dialogclosed" (`Dialog`), "filechooser"
    (`FileChooser`), "download" (`Download`), "console" (`ConsoleMessage`), "pageerror" (text),
    "request", "requestfinished" and "requestfailed" (`Request`), "response" (`Response`), "session"
    (`CdpSession`, of another frame).
    """

    def __init__(
        self,
        target_id: str,
        session: CdpSession,
        context: BrowserContext,
        terms: PageTerms,
        *,
        url: str = "",
        opener: "Page | None" = None,
    ) -> None:
        super().__init__(UNHEARD if opener else 0)
        self.target_id = target_id
        self.session, self.context, self.opener = session, context, opener
        self.dialog: Dialog | None = None
        self.keyboard = keyboard = Keyboard(session)
        self.mouse = Mouse(session, keyboard)
        self.document: Request | None = None
        """The last request for the document of the page."""
        self._tree = FrameTree(target_id, session, terms.world)  # its main frame has the same id
        ours = (opener.traffic, opener.targets.emulation) if opener else (None, None)
        self.traffic: Traffic = Traffic(self._on_traffic, like=ours[0])
        self.targets: PageTargets = PageTargets(
            session, self._tree, self.traffic, terms, self._on_event, context.equip, ours[1]
        )
        self._starting: asyncio.Future[None] | None = None
        self._is_closed = self._has_crashed = False
        self.main_frame.url = url
        session.on("Target.detachedFromTarget", self._on_end)
        self._loaders: deque[str] = deque(maxlen=50)
        """The documents that came last."""
        self._documents = 0
        """How many documents the page had."""
        self.arrivals = 0
        """How often the page came to another place, in a new document or within one."""
        self._frame_moves = self._downloads = 0  # how often any of its frames did
        self._stays = 0
        """How often the answer to "leave the page?" was no."""
        self._moved = asyncio.Event()

    async def start(self, *, is_new: bool = False) -> None:
        """Set the page up, once; raises `CdpError`. One that `is_new` is held until then."""
        if self._starting is None:
            for event, handler in self._followed():
                self.session.on(event, handler)
            self._starting = started(self.targets.start(is_new=is_new))
        try:
            async with asyncio.timeout(START_LIMIT):
                await asyncio.shield(self._starting)
        except TimeoutError:
            raise NotAnswered(f"The page did not answer within {START_LIMIT:g} s.") from None

    @property
    def is_started(self) -> bool:
        """Whether anybody uses the page here."""
        return self._starting is not None

    @property
    def main_frame(self) -> Frame:
        """The frame of the page's document."""
        return self._tree.main

    @property
    def url(self) -> str:
        """The address of the document."""
        return self.main_frame.url or "about:blank"

    @property
    def frames(self) -> list[Frame]:
        """All frames, the main one first."""
        return self._tree.all()

    @property
    def inner_frames(self) -> list[Frame]:
        """The frames in the main document, as many as are looked into."""
        return self._tree.inner()

    def frame(self, frame_id: str) -> Frame | None:
        """Return the frame with this id."""
        return self._tree.find(frame_id)

    def is_closed(self) -> bool:
        """Whether the page is gone."""
        return self._is_closed

    async def title(self) -> str:
        """Return the title of the document; raises `CdpError`."""
        return str(await self.evaluate("document.title"))

    async def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, in the world of the page's own scripts.

        A promise is awaited. Raises `CdpError`, `ScriptFailed` for what it throws.
        """
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return value_of(await self.session.send("Runtime.evaluate", **params))

    async def resize(self, width: int, height: int) -> None:
        """Give the page this size, in CSS pixels; raises `CdpError`."""
        method, params = viewport(width, height)
        await self.session.send(method, **params)

    async def close(self) -> None:
        """Close the page, whatever it says to that; returns when it is gone. Raises `CdpError`."""
        await self.traffic.interception.refuse()
        await self.session.connection.send("Target.closeTarget", targetId=self.target_id)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_LIMIT):
                while not self._is_closed:
                    await self._next_move()

    async def goto(self, url: str) -> None:
        """Go there and return when the document begins to come.

        Raises `CdpError`: `NavigationFailed`, `DownloadStarted`.
        """
        answer: commands.NavigateReturns = await self.session.send("Page.navigate", url=url)
        if answer.get("isDownload"):
            raise DownloadStarted(url)
        if failure := answer.get("errorText"):
            raise NavigationFailed(failure)
        loader, before = answer.get("loaderId"), self._documents
        while loader and loader not in self._loaders and not self._is_closed:
            if self._documents > before:  # another document came in between
                raise NavigationFailed(ABORTED)
            await self._next_move()

    async def reload(self, *, resend: bool = False) -> None:
        """Load the document again; raises like `goto`, and `WouldResend` unless it may `resend`."""
        work, frame = self._arrive("Page.reload"), self.main_frame.id
        await (work if resend else sending_nothing(self.traffic.interception, frame, work))

    async def go_to_entry(self, entry: int) -> None:
        """Go to this entry of the history, in a frame alone too; returns and raises like `goto`."""
        await self._arrive("Page.navigateToHistoryEntry", entryId=entry)

    async def _arrive(self, method: str, **params: Any) -> None:
        arrivals, downloads, stays = self.arrivals, self._downloads, self._stays
        document, moves = self.document, self._frame_moves
        await self.session.send(method, **params)
        while self.arrivals == arrivals and not self._is_closed:
            self._moved.clear()
            if self._frame_moves > moves and params:
                moves = self._frame_moves
                if await is_at(self.session, params["entryId"]):
                    return
            if self._downloads > downloads:
                raise DownloadStarted(method)
            request = self.document if self.document is not document else None
            if self._stays > stays or (request is not None and request.failure == ABORTED):
                raise NavigationFailed(ABORTED)
            await self._moved.wait()
        if self.main_frame.unreachable and self.document is not None:
            raise NavigationFailed(self.document.failure or "net::ERR_FAILED")

    async def first_document(self, limit: float) -> None:
        """Return when the page has a document, is closed, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while not (self._documents or self._is_closed):
                    await self._next_move()

    async def _next_move(self) -> None:
        self._moved.clear()
        await self._moved.wait()

    def _followed(self) -> Iterator[tuple[str, Handler]]:
        yield "Inspector.targetCrashed", self._on_crash
        yield "Page.downloadWillBegin", self._on_download
        yield "Page.frameNavigated", self._on_document
        yield "Page.javascriptDialogClosed", self._on_answered
        yield "Page.javascriptDialogOpening", self._on_dialog
        yield "Page.navigatedWithinDocument", self._on_within

    def _on_event(self, event: str, payload: Any) -> None:
        if event == "session":
            self._follow(payload)
        self.emit(event, payload)

    def _follow(self, session: CdpSession) -> None:
        """Hear what files are asked for and what windows are opened, in whatever frame."""
        session.on("Page.fileChooserOpened", self._on_chooser)
        session.on("Page.frameNavigated", self._on_frame)
        session.on("Page.navigatedWithinDocument", self._on_frame)
        session.on("Page.windowOpen", lambda _: self.emit("windowopen", self))

    def _on_traffic(self, event: str, payload: Any) -> None:
        is_document = event == "request" and payload.is_navigation
        if is_document and payload.frame_id == self.main_frame.id:
            self.document = payload
        self.emit(event, payload)
        if event == "requestfailed":
            self._moved.set()

    def _on_document(self, event: "events.FrameNavigatedEvent") -> None:
        frame = event["frame"]
        origin = frame.get("securityOrigin", "")
        if urlsplit(origin).scheme in ("http", "https"):
            self.context.origins[origin] = None
        if frame.get("parentId"):
            return
        self._loaders.append(frame["loaderId"])
        self._documents += 1
        self.arrivals += 1

    def _on_within(self, event: "events.NavigatedWithinDocumentEvent") -> None:
        if event["frameId"] == self.main_frame.id:
            self.arrivals += 1

    def _on_download(self, _: Params) -> None:
        self._downloads += 1
        self._moved.set()

    def _on_frame(self, _: Params) -> None:
        self._frame_moves += 1
        self._moved.set()

    def _on_dialog(self, event: "events.JavascriptDialogOpeningEvent") -> None:
        self.dialog = Dialog.of(self.session, event)
        self.emit("dialog", self.dialog)

    def _on_answered(self, event: Params) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None and dialog.holds_navigation and not event["result"]:
            self._stays += 1
            self._moved.set()
        self.emit("dialogclosed", dialog)

    def _on_chooser(self, event: "events.FileChooserOpenedEvent") -> None:
        if "backendNodeId" in event:
            asking = FileChooser(frame_id=event["frameId"], node=event["backendNodeId"])
            self.emit("filechooser", asking)
        else:  # a picker of the File System Access API
            self.emit("picker", self)

    def _on_crash(self, _: Params) -> None:
        if not self._has_crashed:  # which is told twice
            self._has_crashed = True
            self._moved.set()
            self.emit("crash", self)

    def _on_end(self, event: "DetachedFromTargetEvent") -> None:
        if event["sessionId"] == self.session.id:
            self.end()

    def end(self) -> None:
        """Take note that the page is gone, or that nobody can tell."""
        if not self._is_closed:
            self._is_closed = True
            self.traffic.closed.set()
            self._moved.set()
            self.emit("close", self)
