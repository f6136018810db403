"""Watching the pages of a run from outside: which there are, what they look like, what they do.

The connection is strap's own, beside the agent's: handlers of the two never get in each other's
way, and what was seen is safe whatever becomes of the agent's process.
"""

import asyncio
import base64
import binascii
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from strap_browser.runs.cdp import Cdp, CdpError, Params
from strap_browser.runs.console import Console
from strap_browser.runs.network import Network
from strap_browser.runs.provenance import Provenance
from strap_browser.runs.records import Event

SHOT_LIMIT = 2.0
STUCK = 0.3
"""Seconds without a picture after which a script of the page is taken for one without an end."""
QUALITY = 80
PAGES = ("page", "tab")
WATCHED = ("page", "iframe", "worker", "shared_worker", "service_worker")
Record = Callable[[Event], None]


class Watch:
    """The run's own pages in one browser.

    With `target` only that page, and those opened from it, belong to the run; else all of them.
    """

    def __init__(self, cdp: Cdp, record: Record, check: Any, target: str | None) -> None:
        self.pages: dict[str, Params] = {}
        """What is known of each page by its id: `url` and `title`."""
        self._cdp = cdp
        self._target = target
        self._own = {target} if target else set()
        self._sessions: dict[str, str] = {}
        """The session of each page."""
        self._console = Console(cdp, record)
        self._provenance = Provenance()
        self._network = Network(cdp, record, check, self._provenance)
        cdp.on("Target.attachedToTarget", self._attached)
        cdp.on("Target.targetCreated", self._created)
        cdp.on("Target.targetInfoChanged", self._changed)
        cdp.on("Target.targetDestroyed", self._destroyed)

    async def begin(self) -> None:
        """Attach to what there is and to what will come; returns when the first page is watched."""
        if self._target is None:
            await self._attach_on_its_own("")
        await self._cdp.send("Target.setDiscoverTargets", discover=True)
        if self._target is not None:
            await self._attach(self._target)

    async def adopt(self, target: str) -> None:
        """Watch a page that the agent made in a browser that others use as well."""
        self._own.add(target)
        if target not in self._sessions:
            with suppress(CdpError):
                await self._attach(target)

    async def look(self, page: str | None) -> bytes | None:
        """Return a picture of the page with this id, else of the last one; None if it fails.

        Ends a script that holds the page up.
        """
        session = self._sessions.get(page or "") or next(reversed(self._sessions.values()), None)
        if session is None:
            return None
        free = asyncio.get_running_loop().call_later(
            STUCK, self._cdp.post, "Runtime.terminateExecution", session
        )
        try:
            shot = await self._cdp.send(
                "Page.captureScreenshot", session, limit=SHOT_LIMIT, format="jpeg", quality=QUALITY
            )
            return base64.b64decode(shot["data"], validate=True)
        except (CdpError, binascii.Error):
            return None
        finally:
            free.cancel()

    async def known(self, page: str | None) -> Params:
        """Return `url` and `title` of the page with this id, else of the last one."""
        page = page if page in self.pages else next(reversed(self.pages), None)
        if page is None:
            return {}
        with suppress(CdpError):  # a title that changes is not told of unasked
            self._note((await self._cdp.send("Target.getTargetInfo", targetId=page))["targetInfo"])
        return self.pages.get(page, {})

    def finish(self) -> None:
        """Record the requests that are still going on."""
        self._network.finish()

    async def close_pages(self) -> None:
        """Close the run's own pages in a browser that others use."""
        pages = {*self.pages, *(self._own if self._target else ())}
        closing = [
            self._cdp.send("Target.closeTarget", limit=SHOT_LIMIT, targetId=p) for p in pages
        ]
        await asyncio.gather(*closing, return_exceptions=True)

    def _created(self, params: Params, _: str) -> Any:
        info = params["targetInfo"]
        if self._target is None or info.get("openerId") not in self._own:
            return None
        self._own.add(info["targetId"])
        return self._attach(info["targetId"])

    async def _attach(self, target: str) -> None:
        await self._cdp.send("Target.attachToTarget", targetId=target, flatten=True)

    def _attached(self, params: Params, parent: str) -> Any:
        info, session = params["targetInfo"], params["sessionId"]
        self._provenance.attached(info, session, parent)
        if info["type"] in PAGES:
            self._sessions[info["targetId"]] = session
            self._note(info)
        return self._watch(info["type"], session, waiting=params["waitingForDebugger"])

    async def _watch(self, kind: str, session: str, *, waiting: bool) -> None:
        """Begin to listen before the page's first script runs."""
        try:
            if kind in WATCHED:
                self._console.listen(session)
                self._network.listen(session)
                await self._attach_on_its_own(session)
        finally:
            if waiting:
                self._cdp.post("Runtime.runIfWaitingForDebugger", session)

    async def _attach_on_its_own(self, session: str) -> None:
        await self._cdp.send(
            "Target.setAutoAttach",
            session,
            autoAttach=True,
            waitForDebuggerOnStart=True,
            flatten=True,
        )

    def _changed(self, params: Params, _: str) -> None:
        info = params["targetInfo"]
        self._provenance.changed(info)
        if info["targetId"] in self.pages:
            self._note(info)

    def _destroyed(self, params: Params, _: str) -> None:
        self._provenance.destroyed(params["targetId"])
        self.pages.pop(params["targetId"], None)
        self._sessions.pop(params["targetId"], None)

    def _note(self, info: Params) -> None:
        self.pages[info["targetId"]] = {"url": info["url"], "title": info["title"]}
