"""The sessions of a page: its own, and those of its frames in other processes and its workers.

Chromium attaches what belongs to a page by itself (`Target.setAutoAttach`), and holds it until it
is set up, so that nothing of it is missed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.console import logged, spoken, thrown
from strap_browser.engine.emulation import Emulation
from strap_browser.engine.frames.frame_tree import FrameTree
from strap_browser.engine.page_terms import PageTerms
from strap_browser.engine.traffic.traffic import Traffic

if TYPE_CHECKING:
    from cdp_use.cdp.log.events import EntryAddedEvent
    from cdp_use.cdp.runtime.events import ConsoleAPICalledEvent
    from cdp_use.cdp.target.events import AttachedToTargetEvent, DetachedFromTargetEvent


AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
RELEASED = 100
"""Messages of the console after which the objects in them are let go, which V8 keeps until then."""
Emit = Callable[[str, Any], None]
Equip = Callable[[CdpSession], Awaitable[None]]


class PageTargets:
    """Sets up each session of a page, and hears what is said and asked there."""

    def __init__(
        self,
        session: CdpSession,
        tree: FrameTree,
        traffic: Traffic,
        terms: PageTerms,
        emit: Emit,
        equip: Equip,
        emulation: Emulation | None = None,
    ) -> None:
        """`emit` gets the events "console", "pageerror" and "session".

        `equip` gives the page what its context has, before the first document.
        """
        self._equip = equip
        self._session = session
        self._tree = tree
        self._traffic = traffic
        self._terms = terms
        self._emit = emit
        self.emulation = emulation
        """Emulation of its sessions, from the first document on."""
        self._children: dict[str, CdpSession] = {}
        self._workers: dict[str, CdpSession] = {}
        self._messages = 0

    async def start(self, *, is_new: bool) -> None:
        """Set up the page; raises `CdpError`. One that `is_new` is held until then."""
        self._follow(self._session)
        self._tree.follow(self._session)
        await self._equip(self._session)
        answers = self._set_up(self._session, is_page=True, is_new=is_new)
        # What a page refuses to be set, as another process's locale, is no reason to lose it.
        results = await asyncio.gather(*answers, return_exceptions=True)
        failed = next((result for result in results[:2] if isinstance(result, BaseException)), None)
        if failed is not None:
            raise failed

    def own_commands(self) -> dict[str, dict[str, Any]]:
        """Return what the profile sets for the page, by the commands that do."""
        return dict(self._terms.commands(is_page=True, is_new=False))

    def share(self, emulation: Emulation) -> None:
        """Have all sessions show what others do."""
        if self.emulation is not emulation:
            self.emulation = emulation
            for session in (self._session, *self._children.values(), *self._workers.values()):
                emulation.follow(session)

    def _set_up(
        self, session: CdpSession, *, is_page: bool, is_new: bool
    ) -> "list[asyncio.Future[Any]]":
        send = session.send
        tree = send("Page.getFrameTree")
        tree.add_done_callback(partial(self._on_tree, session))
        answers = [send("Page.enable"), tree]
        answers += [send(f"{domain}.enable") for domain in ("Runtime", "Log")]
        answers += [
            send("Inspector.enable"),
            send("Page.setInterceptFileChooserDialog", enabled=True),
            send("Target.setAutoAttach", **AUTO_ATTACH),
            *(
                send(method, **params)
                for method, params in self._terms.commands(is_page=is_page, is_new=is_new)
            ),
        ]
        if self.emulation is not None:
            self.emulation.follow(session)
        for method, params in self._terms.own_script(is_new=is_new):
            send(method, **params)  # nobody waits until it is compiled
        send("Runtime.runIfWaitingForDebugger")
        return answers

    def _follow(self, session: CdpSession) -> None:
        self._listen(session)
        session.on("Target.attachedToTarget", partial(self._on_attached))
        session.on("Target.detachedFromTarget", self._on_detached)
        self._emit("session", session)

    def _listen(self, session: CdpSession) -> None:
        self._traffic.follow(session)
        session.on("Runtime.consoleAPICalled", partial(self._on_said, session))
        session.on("Runtime.exceptionThrown", lambda event: self._emit("pageerror", thrown(event)))
        session.on("Log.entryAdded", self._on_logged)

    def _on_tree(self, session: CdpSession, answer: "asyncio.Future[Any]") -> None:
        if not answer.cancelled() and answer.exception() is None:
            self._tree.take(session, answer.result()["frameTree"])

    def _on_attached(self, event: "AttachedToTargetEvent") -> None:
        info = event["targetInfo"]
        child = self._session.connection.session(event["sessionId"])
        if info["type"] == "iframe":
            child.of_frame = True
            self._children[child.id] = child
            is_new, parent = event["waitingForDebugger"], info.get("parentFrameId")
            self._tree.adopt(info["targetId"], parent, child, is_new=is_new)
            self._follow(child)
            self._tree.follow(child)
            self._set_up(child, is_page=False, is_new=is_new)
            return
        if info["type"] == "worker":
            self._listen(child)
            child.on("Target.attachedToTarget", self._on_attached)
            self._workers[child.id] = child
            if self.emulation is not None:
                self.emulation.follow(child)
            child.send("Runtime.enable")
            child.send("Target.setAutoAttach", **AUTO_ATTACH)
        child.send("Runtime.runIfWaitingForDebugger")

    def _on_detached(self, event: "DetachedFromTargetEvent") -> None:
        self._workers.pop(event["sessionId"], None)
        if child := self._children.pop(event["sessionId"], None):
            self._tree.leave(child)

    def _on_said(self, session: CdpSession, event: "ConsoleAPICalledEvent") -> None:
        self._emit("console", spoken(event))
        self._messages += 1
        if self._messages % RELEASED == 0:
            session.send("Runtime.releaseObjectGroup", objectGroup="console")

    def _on_logged(self, event: "EntryAddedEvent") -> None:
        if event["entry"]["source"] != "worker":  # which says so itself
            self._emit("console", logged(event["entry"]))
