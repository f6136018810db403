"""State of the relay: the connected Chrome, the clients, and what happens to the tabs."""

import time
from collections.abc import Mapping
from typing import Any

from strap_browser.relay.browser_session import BrowserSession
from strap_browser.relay.granted_tabs import GrantedTabs
from strap_browser.relay.messages import withheld
from strap_browser.relay.outbox import GOING_AWAY, Message
from strap_browser.relay.shared_tab import SharedTab
from strap_browser.relay.target_sessions import ClientPort

REPLACED = 4409
"""Close code for an extension when another connection of it takes the place."""


class Hub:
    """Brings the extension's messages to the clients, without waiting for anybody."""

    def __init__(self) -> None:
        self.granted: GrantedTabs | None = None
        self.clients: set[BrowserSession] = set()
        self._holders: set[BrowserSession] = set()
        """Those of one process in which a person has the tabs in hand."""

    def status(self) -> dict[str, Any]:
        """Return what strap tells of the profile."""
        granted = self.granted
        return {
            "connected": granted is not None,
            "pages": len(granted.tabs) if granted else 0,
            "browser": granted.peer.product if granted else "",
            "version": granted.peer.extension_version if granted else "",
        }

    def keeps_from(self, client: ClientPort) -> bool:
        """Whether a person has the tabs in hand in another process than the client's."""
        return any(holder.party != client.party for holder in self._holders)

    def hold(self, client: ClientPort, *, on: bool) -> None:
        """Keep the tabs for the client's process, or no more; raises `CdpFailure`."""
        holder = next((known for known in self.clients if known is client), None)
        if self.keeps_from(client):
            raise withheld()
        if holder is None or on == (holder in self._holders):
            return
        if not on:
            self._let_go(holder)
            return
        self._holders.add(holder)
        for other in self.clients:
            if self.keeps_from(other):
                other.lose_tabs()

    def leave(self, client: BrowserSession) -> None:
        """A client is gone, and keeps nothing any more."""
        self.clients.discard(client)
        self._let_go(client)

    def _let_go(self, client: BrowserSession) -> None:
        if client not in self._holders:
            return
        self._holders.discard(client)
        if self._holders or self.granted is None:
            return
        for other in self.clients:
            if other.party != client.party:
                for tab in self.granted.tabs.values():
                    other.tab_came(tab)

    def connect(self, granted: GrantedTabs) -> None:
        """A Chrome connected and named its tabs; one that was there before has to go."""
        if self.granted is not None:
            self.granted.peer.outbox.close(REPLACED, "replaced")
            self.disconnect(self.granted)
        self.granted = granted

    def disconnect(self, granted: GrantedTabs) -> None:
        """A Chrome is gone, and with it every session: clients connect again."""
        granted.peer.end()
        if self.granted is granted:
            self.granted = None
            for client in self.clients:
                client.outbox.close(GOING_AWAY, "The extension is gone.")

    def take(self, granted: GrantedTabs, message: Message) -> None:
        """Carry out what the extension says; raises `KeyError`, `TypeError` or `ValueError`."""
        granted.peer.heard = time.monotonic()
        kind = message.get("type")
        if kind is None:
            granted.peer.reply(message)
        elif kind == "granted":
            self.grant(granted, message["tab"])
        elif kind == "changed":
            self._changed(granted, message["tab"])
        elif kind in ("event", "detached", "attached", "revoked"):
            tab = granted.tabs.get(message["tabId"])
            if tab is not None:
                self._about(kind, granted, tab, message)

    def grant(self, granted: GrantedTabs, info: Mapping[str, Any]) -> SharedTab:
        """Note a tab that is granted from now on; it may be known already."""
        new = int(info["tabId"]) not in granted.tabs
        tab = granted.take(info)
        if new:
            self._came(tab)
        return tab

    def _changed(self, granted: GrantedTabs, info: Mapping[str, Any]) -> None:
        if int(info["tabId"]) in granted.tabs:
            tab = granted.take(info)
            for client in self.clients:
                client.tab_changed(tab)

    def _about(self, kind: str, granted: GrantedTabs, tab: SharedTab, message: Message) -> None:
        if kind == "event":
            channel = tab.channels.get(message.get("sessionId") or "")
            if channel is not None:
                channel.event(str(message["method"]), message.get("params") or {})
        elif kind == "attached":
            tab.back()
            self._came(tab)
        else:
            gone = kind == "revoked"
            if gone:
                granted.tabs.pop(tab.number, None)
            tab.lost()
            for client in self.clients:
                client.tab_lost(tab, gone=gone)

    def _came(self, tab: SharedTab) -> None:
        for client in self.clients:
            client.tab_came(tab)
