"""Watching the pages of a run from outside: which there are, what they look like, what they do.

The connection is strap's own, beside the agent's: handlers of the two never get in each other's
way, and what was seen is safe whatever becomes of the agent's process.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from strap_agent.contract import EventKind
from strap_agent.monitor.choosers import Choosers
from strap_agent.monitor.console import Console
from strap_agent.monitor.dialogs import Dialogs
from strap_agent.monitor.frames import addresses
from strap_agent.monitor.initiators import Initiators
from strap_agent.monitor.network import Network
from strap_agent.monitor.own_pages import PAGES, OwnPages
from strap_agent.monitor.pictures import SHOT_LIMIT, Look, glance, look
from strap_agent.monitor.request_guard import RequestGuard
from strap_agent.store.records import Event
from strap_browser.api import CdpConnection, CdpError, Params, is_passing, loggable_url, unopened

TOLD_ALSO = 0.3
"""Seconds after a crash that a session told of, in which the browser may tell more of it."""
HELD_UP = "a script held the page up and was ended"
AGAIN = 0.02
"""Seconds between two looks at a blank page: a few fit into the time that there is."""
REVIVAL = 3.0
"""Seconds that a page gets to be loaded again."""
WATCHED = ("page", "iframe", "worker", "shared_worker", "service_worker")
CALLED = {"page": "page", "tab": "page", "iframe": "frame"}
Record = Callable[[Event], None]


class BrowserMonitor:
    """The run's own pages in one browser.

    With `target` only that page, and those opened from it, belong to the run; else all of them. A
    page that is `lent` stays open, and so do those that it opens.
    """

    def __init__(
        self,
        cdp: CdpConnection,
        record: Record,
        guard: RequestGuard,
        target: str | None,
        *,
        lent: bool = False,
    ) -> None:
        self.pages: dict[str, Params] = {}
        """Address (`url`) and `title` of each page, by its id."""
        self.refused: Callable[[str], None] = lambda _: None
        """Told why a page was taken back from where it got to, or not led there."""
        self.joins: Callable[[str], Awaitable[None]] | None = None
        """Gives the page of a session its passkeys, before its scripts run."""
        self._record, self._cdp, self._target = record, cdp, target
        self._own = OwnPages(cdp, target, self._attach, lent=lent)
        self.adopt = self._own.adopt
        self._sessions: dict[str, str] = {}
        """The session of each page."""
        self._frames: dict[str, str] = {}
        """The session of each frame that is a target of its own."""
        self._targets: dict[str, Params] = {}
        """Everything that is watched: pages, frames and workers."""
        self._crashed: set[str] = set()
        self._loaded = asyncio.Event()
        self._console = Console(cdp, record)
        self._dialogs = Dialogs(cdp, record)
        self._choosers = Choosers(cdp)
        self._initiators = Initiators()
        self._network = Network(
            cdp, record, guard, self._initiators, self._own.own, self._tell_refused
        )
        self.interception = self._network.interception
        cdp.on("Target.attachedToTarget", self._attached)
        cdp.on("Target.targetInfoChanged", self._changed)
        cdp.on("Target.targetDestroyed", self._destroyed)
        cdp.on("Target.targetCrashed", self._crash)
        cdp.on("Inspector.targetCrashed", self._crash_of_session)
        cdp.on("Page.loadEventFired", lambda *_: self._loaded.set())

    async def begin(self) -> None:
        """Attach to what there is and to what will come; returns when the first page is watched."""
        if self._target is None:
            await self._attach_on_its_own("")
        await self._cdp.call("Target.setDiscoverTargets", discover=True)
        await self._network.hold_documents()
        await self._own.begin()

    async def look(self, page: str | None) -> Look:
        """Look at the page with this id, else at the last one.

        Ends a script that holds the page up.
        """
        return await look(self._cdp, self._session(page), [*self._frames.values()])

    async def glance(self, page: str | None) -> bytes | None:
        """Return a small picture of the page with this id, and let it be whatever it does."""
        return await glance(self._cdp, self._session(page))

    def tell_held_up(self, page: str | None) -> None:
        """Record that the page with this id, else the last one, had to have its script ended."""
        page = page if page in self.pages else next(reversed(self.pages), "")
        url = loggable_url(self.pages.get(page or "", {}).get("url", ""))
        self._add("console", f"hang: {HELD_UP}", url, {"level": "hang", "text": HELD_UP})

    async def revive(self, page: str | None) -> None:
        """Load a page whose process died again, without its scripts: there is no picture yet.

        The answer to a form stays as it is, as that would send the form again.
        """
        session = self._session(page)
        with suppress(CdpError, TimeoutError):
            async with asyncio.timeout(REVIVAL):
                self._loaded.clear()
                self._network.hold_forms(self._loaded.set)
                # It is answered when there is a process again.
                self._cdp.post("Emulation.setScriptExecutionDisabled", session, value=True)
                await self._cdp.call("Page.reload", session)
                await self._loaded.wait()

    async def look_at_blank(self, page: str | None) -> bytes | None:
        """Return how a page looks that never drew anything, which Chromium gives no picture of."""
        session = self._session(page)
        while session and not self._cdp.closed.is_set():
            with suppress(CdpError):
                await self._cdp.call("Page.navigate", session, url="about:blank")
                if (picture := (await look(self._cdp, session)).picture) is not None:
                    return picture
            await asyncio.sleep(AGAIN)
        return None

    def page(self, page: str | None) -> Params:
        """Return what is known of `url` and `title` of the page with this id, else of the last."""
        return self.pages.get(page or "") or next(reversed(self.pages.values()), {})

    def _session(self, page: str | None) -> str:
        return self._sessions.get(page or "") or next(reversed(self._sessions.values()), "")

    async def known(self, page: str | None, *, answers: bool = False) -> Params:
        """Return `url` and `title` of the page with this id, else of the last one.

        One that `answers` is asked itself: the browser hears of a title later than its page has it.
        """
        page = page if page in self.pages else next(reversed(self.pages), None)
        if page is None:
            return {}
        with suppress(CdpError):  # a title that changes is not told of unasked
            answer = await self._cdp.call("Target.getTargetInfo", limit=SHOT_LIMIT, targetId=page)
            self._note(answer["targetInfo"])
            if answers and (session := self._sessions.get(page)):
                params = {"expression": "document.title", "returnByValue": True}
                answer = await self._cdp.call(
                    "Runtime.evaluate", session, limit=SHOT_LIMIT, **params
                )
                if title := str(answer["result"].get("value") or ""):
                    self.pages[page]["title"] = title
        return self.pages.get(page, {})

    async def addresses(self, page: str | None) -> list[str]:
        """Return the addresses of a page and of all frames, none where it does not tell.

        Frames of other sites are targets of their own: all that the run has count.
        """
        return await addresses(self._cdp, self._session(page), list(self._frames.values()))

    def asks_file(self, page: str) -> bool:
        """Whether the page with this id asks for a file."""
        return self._choosers.asks(self._sessions.get(page, ""))

    def stop_loading(self) -> None:
        """End what the pages load."""
        for session in self._sessions.values():
            self._cdp.post("Page.stopLoading", session)

    def has_crashed(self, page: str | None) -> bool:
        """Whether the process of the page with this id, else of the last one, has died."""
        page = page if page in self.pages else next(reversed(self.pages), None)
        return page in self._crashed

    def finish(self) -> None:
        """Record the requests that are still going on, and the dialogs that are counted."""
        self._network.finish()
        self._dialogs.finish()

    async def close_pages(self) -> None:
        """Close the run's own pages in a browser that others use."""
        pages = self._own.to_close if self._target else self.pages
        closing = [
            self._cdp.call("Target.closeTarget", limit=SHOT_LIMIT, targetId=p) for p in pages
        ]
        await asyncio.gather(*closing, return_exceptions=True)

    async def _attach(self, target: str) -> None:
        await self._cdp.call("Target.attachToTarget", targetId=target, flatten=True)
        session = self._sessions.get(target, "")  # which answers after what was sent before
        await self._cdp.call("Target.getTargetInfo", session, limit=SHOT_LIMIT)

    def _attached(self, params: Params, parent: str) -> Any:
        info, session = params["targetInfo"], params["sessionId"]
        self._initiators.attached(info, session, parent)
        self._targets[info["targetId"]] = info
        if info["type"] == "iframe":
            self._frames[info["targetId"]] = session
        if info["type"] in PAGES:
            self._sessions[info["targetId"]] = session
            self._note(info)
        return self._watch(info["type"], session, parent, waiting=params["waitingForDebugger"])

    async def _watch(self, kind: str, session: str, parent: str, *, waiting: bool) -> None:
        try:
            if kind in WATCHED:
                self._console.listen(session)
                self._network.listen(session)
                if kind == "page":
                    self._dialogs.listen(session)
                    self._cdp.post("Inspector.enable", session)
                    if self.joins is not None:
                        await self.joins(session)
                if kind in ("page", "iframe"):
                    self._choosers.listen(session, parent)
                await self._attach_on_its_own(session)
        finally:
            if waiting:
                self._cdp.post("Runtime.runIfWaitingForDebugger", session)

    async def _attach_on_its_own(self, session: str) -> None:
        await self._cdp.call(
            "Target.setAutoAttach",
            session,
            autoAttach=True,
            waitForDebuggerOnStart=True,
            flatten=True,
        )

    def _changed(self, params: Params, _: str) -> None:
        info = params["targetInfo"]
        self._initiators.changed(info)
        if info["targetId"] in self._targets:
            self._targets[info["targetId"]] = info
        if info["targetId"] in self.pages:
            self._note(info)

    def _destroyed(self, params: Params, _: str) -> None:
        self._initiators.destroyed(params["targetId"])
        self.pages.pop(params["targetId"], None)
        self._sessions.pop(params["targetId"], None)
        self._targets.pop(params["targetId"], None)
        self._frames.pop(params["targetId"], None)

    def _crash(self, params: Params, _: str) -> None:
        info = self._targets.get(params["targetId"])
        if info is None or info["targetId"] in self._crashed:
            return
        self._crashed.add(info["targetId"])
        url = loggable_url(info["url"])
        what = CALLED.get(info["type"], "worker")
        how = f" ({params['status']}, {params['errorCode']})" if "status" in params else ""
        text = f"the process of the {what} {url} died{how}"
        self._add("console", f"crash: {text}", url, {"level": "crash", "text": text})

    def _crash_of_session(self, _: Params, session: str) -> None:
        """Record a crash that only the page's own session tells of, as that of a relay does."""
        page = next((page for page, known in self._sessions.items() if known == session), "")
        asyncio.get_running_loop().call_later(TOLD_ALSO, self._crash, {"targetId": page}, "")

    def _note(self, info: Params) -> None:
        target, url = info["targetId"], info["url"]
        known = self.pages.get(target)
        self.pages[target] = {"url": url, "title": info["title"]}
        new = known is None or known["url"] != url
        if new and not is_passing(url) and (why := unopened(url)):
            self._take_back(target, loggable_url(url), why)

    def _take_back(self, target: str, url: str, why: str) -> None:
        """Leave what is no page of the web, however it was got to."""
        self._cdp.post("Page.navigate", self._sessions.get(target, ""), url="about:blank")
        details = {
            "method": "GET", "status": None, "duration_s": None, "error": why,
            "resource": "Document", "blocked": True,
        }  # fmt: skip
        self._add("network", f"GET {url} refused by strap: {why}", url, details)
        self.refused(f"The page was left again: {why}")

    def _tell_refused(self, why: str) -> None:
        self.refused(why)  # which is set later than the network is listened to

    def _add(self, kind: EventKind, summary: str, url: str, details: Params) -> None:
        self._record(
            Event(
                type=kind, summary=summary, at=time.time(), has_error=True, url=url, details=details
            )
        )
