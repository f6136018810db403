"""A connection of the live view's own to a browser: the agent's carries no picture."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from strap_browser.api import CdpConnection, CdpError, CdpSession, Params

LINGER = 5.0
"""Seconds after the last viewer for which the connection stays: one that comes back finds it."""


class WatchedBrowser:
    """Pages of one browser, and sessions with them."""

    def __init__(self, cdp: CdpConnection) -> None:
        self.pages: dict[str, Params] = {}
        """Address and title of each page, by the id of its target."""
        self._cdp = cdp
        for event in ("targetCreated", "targetInfoChanged"):
            cdp.root.on(f"Target.{event}", self._on_info)
        cdp.root.on("Target.targetDestroyed", self._on_gone)

    @classmethod
    async def connect(cls, address: str, headers: Mapping[str, str]) -> "WatchedBrowser":
        """Connect to a running browser; raises `ActionError` (code "connect") and `CdpError`."""
        browser = cls(await CdpConnection.connect(address, headers))
        try:
            await browser._cdp.call("Target.setDiscoverTargets", discover=True)
        except BaseException:
            await browser.aclose()
            raise
        return browser

    @property
    def closed(self) -> bool:
        """Whether the browser, or the connection, is gone."""
        return self._cdp.closed.is_set()

    async def attach(self, target: str) -> CdpSession:
        """Open a session with a page; raises `CdpError`."""
        return await self._cdp.attach(target)

    async def learn_titles(self) -> None:
        """Learn the titles of all pages, of which Chromium does not tell unasked."""
        with suppress(CdpError):
            for info in (await self._cdp.call("Target.getTargets"))["targetInfos"]:
                self._on_info({"targetInfo": info})

    async def aclose(self) -> None:
        """Disconnect."""
        await self._cdp.aclose()

    def _on_info(self, params: Params) -> None:
        info = params["targetInfo"]
        if info["type"] in ("page", "tab"):
            self.pages[info["targetId"]] = {"url": info["url"], "title": info["title"]}

    def _on_gone(self, params: Params) -> None:
        self.pages.pop(params["targetId"], None)


class WatchedBrowsers:
    """The connections that there are, by the addresses of their browsers."""

    def __init__(self) -> None:
        self._known: dict[str, WatchedBrowser] = {}
        self._users: dict[str, int] = {}
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()

    async def enter(self, address: str, headers: Mapping[str, str]) -> WatchedBrowser:
        """Return the connection to a browser, for as long as it is not left.

        Raises `ActionError` (code "connect") and `CdpError`.
        """
        async with self._lock:
            known = self._known.get(address)
            if known is None or known.closed:
                known = self._known[address] = await WatchedBrowser.connect(address, headers)
            self._users[address] = self._users.get(address, 0) + 1
            if timer := self._leaving.pop(address, None):
                timer.cancel()
            return known

    def leave(self, address: str) -> None:
        """Need the connection no more."""
        self._users[address] -= 1
        if not self._users[address]:
            later = asyncio.get_running_loop().call_later
            self._leaving[address] = later(LINGER, self._close, address)

    def known(self, address: str) -> WatchedBrowser | None:
        """Return the connection to a browser, if there is one."""
        return self._known.get(address)

    async def aclose(self) -> None:
        """Disconnect from all of them."""
        for timer in self._leaving.values():
            timer.cancel()
        await asyncio.gather(
            *(browser.aclose() for browser in self._known.values()), *self._closing
        )
        self._known.clear()

    def _close(self, address: str) -> None:
        del self._leaving[address]
        if browser := self._known.pop(address, None):
            closing = asyncio.ensure_future(browser.aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
