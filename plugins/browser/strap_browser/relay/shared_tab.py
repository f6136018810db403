"""A granted tab: attached while a client uses it, and no longer."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from strap_browser.relay.extension_peer import ExtensionPeer
from strap_browser.relay.outbox import Message
from strap_browser.relay.target_sessions import ClientPort, SharedTarget, ignore

CONTEXT = "chrome"
"""The one browser context; without an id Playwright drops the page."""


class SharedTab:
    """A tab that the user granted, on one connection of the extension."""

    def __init__(
        self, peer: ExtensionPeer, number: int, granted: "Mapping[int, SharedTab]"
    ) -> None:
        self._peer = peer
        self._granted = granted
        """All tabs of the connection by their numbers, this one included."""
        self.number = number
        self.target_id = self.title = self.url = ""
        self.opener: int | None = None
        self.channels: dict[str, SharedTarget] = {}
        self._attached = False
        self._is_needed = False
        """Whether the extension was asked to attach."""
        self._users: set[ClientPort] = set()
        self._lock = asyncio.Lock()

    @property
    def page(self) -> SharedTarget:
        """The channel of the page itself."""
        if "" not in self.channels:
            self.channels[""] = SharedTarget(self, "", self.target_id)
        return self.channels[""]

    @property
    def granted_urls(self) -> list[str]:
        """The addresses of all granted tabs."""
        return [tab.url for tab in self._granted.values()]

    @property
    def target_info(self) -> dict[str, Any]:
        """The page as a `Target.TargetInfo` of CDP."""
        info = {
            "targetId": self.target_id,
            "type": "page",
            "title": self.title,
            "url": self.url,
            "attached": self._attached,
            "canAccessOpener": False,
            "browserContextId": CONTEXT,
        }
        opener = self._granted.get(self.opener) if self.opener is not None else None
        return info | {"openerId": opener.target_id} if opener else info

    def update(self, info: Mapping[str, Any]) -> None:
        """Take what the extension says of the tab."""
        self.target_id = str(info.get("targetId") or self.target_id)
        self.title, self.url = str(info.get("title", "")), str(info.get("url", ""))
        opener = info.get("openerTabId")
        self.opener = opener if isinstance(opener, int) else self.opener

    def command(
        self,
        session: str,
        method: str,
        params: Mapping[str, Any],
        then: Callable[[Message], None] = ignore,
    ) -> None:
        """Send a command to a target of the tab; `then` gets the answer."""
        if not self._attached:
            then({"error": {"code": -32000, "message": "The tab cannot be reached now."}})
            return
        request = {"type": "command", "tabId": self.number, "method": method, "params": params}
        self._peer.ask({**request, "sessionId": session} if session else request, then)

    async def hold(self, client: ClientPort) -> None:
        """Attach the tab unless it is; raises `CdpFailure`."""
        async with self._lock:
            self._users.add(client)
            if self._attached:
                return
            self._is_needed = True
            answer = await self._peer.request("attach", tabId=self.number)
            self.target_id = str(answer.get("targetId") or self.target_id)
            self._came()

    async def release(self, client: ClientPort) -> None:
        """Let the tab go; it is detached when nobody uses it, which drops all its settings."""
        self._users.discard(client)
        for channel in list(self.channels.values()):
            channel.leave(client)
        async with self._lock:
            if self._users or not self._is_needed:
                return
            self._is_needed = self._attached = False
            self.channels.clear()
            # Awaited with the lock held: the next client finds the tab clean, or not at all.
            await self._peer.request("detach", tabId=self.number)

    def lost(self) -> None:
        """The debugger is gone: so are all sessions."""
        self._attached = False
        if page := self.channels.get(""):
            page.end()
        self.channels.clear()

    def back(self) -> None:
        """The debugger is there again, with nothing set."""
        if not self._attached:
            self._came()

    def _came(self) -> None:
        self._attached = True
        # Else clicks in a tab that is not in front hang: the page believes to be out of focus.
        self.command("", "Emulation.setFocusEmulationEnabled", {"enabled": True})
