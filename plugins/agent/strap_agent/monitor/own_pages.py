"""The pages of a run in a browser that others use: its first one, and windows that come of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urldefrag

from strap_agent.monitor.pictures import SHOT_LIMIT
from strap_browser.api import CdpConnection, CdpError, Params

PAGES = ("page", "tab")
IN_WINDOWS = ("newTab", "newWindow")
LASTS = 10.0
"""Seconds within which a window asks for its document: the browser opens it at once."""
MOST = 100
"""Windows without an opener that are waited for at a time."""


class OwnPages:
    """Tells which pages are the run's; without a `target` all are."""

    def __init__(
        self,
        cdp: CdpConnection,
        target: str | None,
        watch: Callable[[str], Awaitable[None]],
        *,
        lent: bool,
    ) -> None:
        """`watch` begins to watch a page; with `lent` the first belongs to the caller."""
        self._cdp = cdp
        self._target = target
        self._watch = watch
        self._all = {target} if target else set()
        self._lent = self._all.copy() if lent else set()
        self._adopted: dict[str, asyncio.Future[None]] = {}
        self._led: dict[str, float] = {}
        """When pages of the run asked for a window that has no opener, by its address.

        The browser names no opener where it is a key that makes a window, as Ctrl with a click.
        """
        cdp.on("Target.targetCreated", self._created)
        cdp.on("Page.frameRequestedNavigation", self._requested)

    @property
    def to_close(self) -> set[str]:
        """Pages that are closed with the run; those of the caller, and what they opened, stay."""
        return self._all - self._lent

    async def begin(self) -> None:
        """Watch the first page; raises `CdpError`."""
        if self._target is not None:
            await self._watched(self._target)

    async def adopt(self, target: str) -> None:
        """Take a further page as the run's; returns once it is watched."""
        self._all.add(target)
        with suppress(CdpError):
            await self._watched(target)

    async def own(self, frame: str, url: str) -> bool:
        """Whether the document that a frame asks for is of a page of the run, which is watched.

        A frame in a page is not: the page's own session holds its requests.
        """
        if self._target is None:
            return True
        if frame not in self._all and not await self._is_window(frame, url):
            return False
        await self.adopt(frame)
        return True

    async def _watched(self, target: str) -> None:
        if target not in self._adopted:
            self._adopted[target] = asyncio.ensure_future(self._watch(target))
        await asyncio.shield(self._adopted[target])

    async def _is_window(self, frame: str, url: str) -> bool:
        try:
            info = await self._cdp.call("Target.getTargetInfo", targetId=frame, limit=SHOT_LIMIT)
        except CdpError:  # no page, nor a frame with a process of its own
            return False
        if info["targetInfo"]["type"] not in PAGES:
            return False
        if opener := info["targetInfo"].get("openerId"):
            return opener in self._all
        if time.monotonic() - self._led.pop(url, -LASTS) > LASTS:
            return False
        if self._lent:
            self._lent.add(frame)
        return True

    async def _created(self, params: Params, _: str) -> None:
        info = params["targetInfo"]
        if self._target is None or (opener := info.get("openerId")) not in self._all:
            return
        if opener in self._lent:
            self._lent.add(info["targetId"])
        await self.adopt(info["targetId"])

    def _requested(self, params: Params, _: str) -> None:
        if params["disposition"] in IN_WINDOWS:
            if len(self._led) >= MOST:
                del self._led[next(iter(self._led))]
            self._led[urldefrag(params["url"]).url] = time.monotonic()
