"""What the relay knows: the connected Chrome, the clients, and what happens to the tabs."""

import time
from collections.abc import Mapping
from typing import Any

from strap_browser.relay.cdp_client import CdpClient
from strap_browser.relay.extension_peer import ExtensionPeer
from strap_browser.relay.outbox import GOING_AWAY, Message
from strap_browser.relay.shared_tab import SharedTab

REPLACED = 4409
"""Close code for an extension when another connection of it takes the place."""


class Hub:
    """Brings the extension's messages to the clients, without waiting for anybody."""

    def __init__(self) -> None:
        self.chrome: ExtensionPeer | None = None
        self.clients: set[CdpClient] = set()

    def status(self) -> dict[str, Any]:
        """Return what strap tells of the profile."""
        chrome = self.chrome
        return {
            "connected": chrome is not None,
            "pages": len(chrome.tabs) if chrome else 0,
            "browser": chrome.product if chrome else "",
            "version": chrome.extension_version if chrome else "",
        }

    def connect(self, chrome: ExtensionPeer) -> None:
        """A Chrome connected and named its tabs; one that was there before has to go."""
        if self.chrome is not None:
            self.chrome.outbox.close(REPLACED, "replaced")
            self.disconnect(self.chrome)
        self.chrome = chrome

    def disconnect(self, chrome: ExtensionPeer) -> None:
        """A Chrome is gone, and with it every session: clients connect again."""
        chrome.end()
        if self.chrome is chrome:
            self.chrome = None
            for client in self.clients:
                client.outbox.close(GOING_AWAY, "The extension is gone.")

    def take(self, chrome: ExtensionPeer, message: Message) -> None:
        """Carry out what the extension says; raises `KeyError`, `TypeError` or `ValueError`."""
        chrome.heard = time.monotonic()
        kind = message.get("type")
        if kind is None:
            chrome.reply(message)
        elif kind == "granted":
            self.granted(chrome, message["tab"])
        elif kind == "changed":
            self._changed(chrome, message["tab"])
        elif kind in ("event", "detached", "attached", "revoked"):
            tab = chrome.tabs.get(message["tabId"])
            if tab is not None:
                self._about(kind, tab, message)

    def granted(self, chrome: ExtensionPeer, info: Mapping[str, Any]) -> SharedTab:
        """Note a tab that is granted from now on; it may be known already."""
        new = int(info["tabId"]) not in chrome.tabs
        tab = chrome.tab(info)
        if new:
            self._came(tab)
        return tab

    def _changed(self, chrome: ExtensionPeer, info: Mapping[str, Any]) -> None:
        if int(info["tabId"]) in chrome.tabs:
            tab = chrome.tab(info)
            for client in self.clients:
                client.root.tab_changed(tab)

    def _about(self, kind: str, tab: SharedTab, message: Message) -> None:
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
                tab.chrome.tabs.pop(tab.number, None)
            tab.lost()
            for client in self.clients:
                client.root.tab_lost(tab, gone=gone)

    def _came(self, tab: SharedTab) -> None:
        for client in self.clients:
            client.root.tab_came(tab)
