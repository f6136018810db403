"""The frames of a page, from the events of its session and those of its frames' processes."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from strap_browser.cdp.connection import CdpSession, Params
from strap_browser.cdp.errors import CdpError
from strap_browser.common.tasks import Tasks
from strap_browser.engine.frames.frame import Frame, World

if TYPE_CHECKING:
    from cdp_use.cdp.page import events, types
    from cdp_use.cdp.runtime.events import (
        ExecutionContextCreatedEvent,
        ExecutionContextDestroyedEvent,
    )


MOST = 100
"""Frames beyond so many are not looked into one by one."""


class FrameTree:
    """All frames of a page."""

    def __init__(self, frame_id: str, session: CdpSession, world: World) -> None:
        self._world = world
        self._tasks = Tasks()
        self.main = Frame(frame_id, session, world)
        self._frames = {frame_id: self.main}
        self._unannounced: set[str] = set()
        """Frames of which their processes told before their parents did."""

    def follow(self, session: CdpSession) -> None:
        """Follow the frames that the process of this session runs."""
        handlers: dict[str, Callable[..., None]] = {
            "Page.frameAttached": self._on_attached,
            "Page.frameNavigated": self._on_navigated,
            "Page.frameDetached": self._on_detached,
            "Runtime.executionContextCreated": self._on_world,
            "Runtime.executionContextDestroyed": self._on_world_gone,
            "Runtime.executionContextsCleared": self._on_worlds_gone,
            "Inspector.targetCrashed": self._on_crash,
            "Inspector.targetReloadedAfterCrash": self._on_reload,
        }
        for event, handler in handlers.items():
            session.on(event, partial(handler, session))
        session.on("Page.navigatedWithinDocument", self._on_within)

    def all(self) -> list[Frame]:
        """Return the frames, the main one first."""
        return list(self.main.walk())

    def inner(self) -> list[Frame]:
        """Return the frames in the main document, as many as are looked into."""
        return self.all()[1 : MOST + 1]

    def find(self, frame_id: str) -> Frame | None:
        """Return the frame with this id."""
        return self._frames.get(frame_id)

    def take(self, session: CdpSession, tree: "types.FrameTree") -> None:
        """Take what `Page.getFrameTree` tells of a process."""
        info = tree["frame"]
        frame = self._frames.get(info["id"]) or self._add(info["id"], info.get("parentId"), session)
        if frame is None:
            return
        # What an event told of a document is newer: the answer may be of the empty one before it.
        if frame.session is session and not frame.loader:
            self._show(frame, info)
        for child in tree.get("childFrames", ()):
            self.take(session, child)

    def adopt(
        self, frame_id: str, parent_id: str | None, session: CdpSession, *, is_new: bool
    ) -> None:
        """Take note that a process of its own runs a frame, whose document `is_new` there."""
        frame = self._frames.get(frame_id)
        if frame is None:
            frame = self._add(frame_id, parent_id, session)
            if is_new:  # it is told of in its parent's session as well, a little later
                self._unannounced.add(frame_id)
        if frame is not None:
            self._clear(frame)
            frame.move(session)

    def leave(self, session: CdpSession) -> None:
        """Take note that a process is done with: its frames are gone, or back where they stood."""
        for frame in [other for other in self.all() if other.session is session]:
            parent = frame.parent_frame
            if parent is not None and parent.session is not session:
                self._clear(frame)
                frame.move(parent.session)
                self._tasks(self._drop_unless_back(frame, parent.session))

    async def _drop_unless_back(self, frame: Frame, session: CdpSession) -> None:
        """Remove a frame of another process that no event tells the end of."""
        with suppress(CdpError):
            tree = (await session.send("Page.getFrameTree"))["frameTree"]
            if frame.session is session and frame.id not in _ids(tree):
                self._remove(frame)

    def _add(self, frame_id: str, parent_id: str | None, session: CdpSession) -> Frame | None:
        parent = self._frames.get(parent_id or "")
        if parent is None:
            return None
        frame = Frame(frame_id, session, self._world)
        frame.parent_frame = parent
        parent.children[frame_id] = self._frames[frame_id] = frame
        return frame

    def _show(self, frame: Frame, info: "types.Frame") -> None:
        frame.url = info["url"] + info.get("urlFragment", "")
        frame.loader = info["loaderId"]
        frame.unreachable = "unreachableUrl" in info

    def _clear(self, frame: Frame) -> None:
        for child in list(frame.children.values()):
            self._remove(child)

    def _remove(self, frame: Frame) -> None:
        for part in frame.walk():
            part.is_detached = True
            self._frames.pop(part.id, None)
            self._unannounced.discard(part.id)
        if frame.parent_frame is not None:
            frame.parent_frame.children.pop(frame.id, None)

    def _on_attached(self, session: CdpSession, event: "events.FrameAttachedEvent") -> None:
        known = self._frames.get(event["frameId"])
        if known is None:
            self._add(event["frameId"], event["parentFrameId"], session)
        elif known.id in self._unannounced:
            self._unannounced.discard(known.id)
        elif known.session is not session:  # it comes back from another process
            self._clear(known)
            known.move(session)

    def _on_navigated(self, session: CdpSession, event: "events.FrameNavigatedEvent") -> None:
        payload = event["frame"]
        frame = self._frames.get(payload["id"])
        if frame is None and not payload.get("parentId"):
            frame = self._rename(payload["id"])
        if frame is None or frame.session is not session:
            return
        self._clear(frame)
        self._show(frame, payload)
        if event.get("type") == "BackForwardCacheRestore":
            self._tasks(self._look_again(session))

    def _rename(self, frame_id: str) -> Frame:
        """Take note that the page has another main frame, which a prerendered document brings."""
        del self._frames[self.main.id]
        self.main.id = frame_id
        self.main.forget_worlds()
        self._frames[frame_id] = self.main
        return self.main

    async def _look_again(self, session: CdpSession) -> None:
        """Learn of the frames of a document that was kept: no event tells of them."""
        with suppress(CdpError):
            self.take(session, (await session.send("Page.getFrameTree"))["frameTree"])

    def _on_within(self, event: "events.NavigatedWithinDocumentEvent") -> None:
        if frame := self._frames.get(event["frameId"]):
            frame.url = event["url"]

    def _on_detached(self, session: CdpSession, event: "events.FrameDetachedEvent") -> None:
        frame = self._frames.get(event["frameId"])
        if frame is None:
            return
        if event.get("reason") != "swap":
            self._remove(frame)
        elif frame.session is session:
            frame.forget_worlds()

    def _on_world(self, session: CdpSession, event: "ExecutionContextCreatedEvent") -> None:
        context = event["context"]
        frame = self._frames.get(context.get("auxData", {}).get("frameId", ""))
        if frame is not None and frame.session is session:
            frame.add_world(context)

    def _on_world_gone(self, session: CdpSession, event: "ExecutionContextDestroyedEvent") -> None:
        for frame in self._of(session):
            frame.forget_worlds(event["executionContextId"])

    def _on_worlds_gone(self, session: CdpSession, _: Params) -> None:
        for frame in self._of(session):
            frame.forget_worlds()

    def _on_crash(self, session: CdpSession, _: Params) -> None:
        for frame in self._of(session):
            frame.crashed = True

    def _on_reload(self, session: CdpSession, _: Params) -> None:
        for frame in self._of(session):
            frame.crashed = False

    def _of(self, session: CdpSession) -> Iterator[Frame]:
        return (frame for frame in self.all() if frame.session is session)


def _ids(tree: "types.FrameTree") -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _ids(child)
