"""The tabs that the user granted, on one connection of the extension."""

from collections.abc import Mapping
from typing import Any, Protocol

from strap_browser.relay.extension_peer import ExtensionPeer
from strap_browser.relay.shared_tab import SharedTab
from strap_browser.relay.target_sessions import ClientPort


class GrantedTabs:
    """The granted tabs by the numbers that `peer` has for them."""

    def __init__(self, peer: ExtensionPeer) -> None:
        self.peer = peer
        self.tabs: dict[int, SharedTab] = {}

    def take(self, info: Mapping[str, Any]) -> SharedTab:
        """Return the tab that `info` tells of, which may be new."""
        number = int(info["tabId"])
        known = self.tabs.get(number)
        if known is None:
            known = self.tabs[number] = SharedTab(self.peer, number, self.tabs)
        known.update(info)
        return known

    @property
    def urls(self) -> list[str]:
        """The addresses of all of them."""
        return [tab.url for tab in self.tabs.values()]


class TabRegistry(Protocol):
    """Tabs that a client may find."""

    granted: GrantedTabs | None
    """None while no extension is connected."""

    def status(self) -> dict[str, Any]:
        """Return what strap tells of the profile."""

    def keeps_from(self, client: ClientPort) -> bool:
        """Whether a person has the tabs in hand in another process than the client's."""

    def hold(self, client: ClientPort, *, on: bool) -> None:
        """Keep the tabs for the client's process, or no more; raises `CdpFailure`."""

    def grant(self, granted: GrantedTabs, info: Mapping[str, Any]) -> SharedTab:
        """Note a tab that is granted from now on; it may be known already."""
