"""Addresses of new pages, which browser-use loses where they come while it attaches.

A pop-up has no address when it is attached, and gets one when it has loaded. browser-use drops what
is told of a page until it has answered for the attachment, and takes a page without an address for
an empty one, for good: the agent would be shown nothing.
"""

from contextlib import suppress
from typing import Any

PAGES = ("page", "tab")


def install() -> None:
    """Ask for the address of each new page once browser-use knows the page."""
    from browser_use.browser.session_manager import SessionManager

    manager: Any = SessionManager
    attach = manager._handle_target_attached  # noqa: SLF001 - not public

    async def attached(self: Any, event: Any) -> None:
        await attach(self, event)
        info = event["targetInfo"]
        if info["type"] in PAGES and not info["url"].startswith("http"):
            await _tell(self, info["targetId"])

    manager._handle_target_attached = attached  # noqa: SLF001 - not public


async def _tell(manager: Any, target: str) -> None:
    """Hand over what the browser knows of a page by now; one that is gone has nothing to tell."""
    client = manager.browser_session._cdp_client_root  # noqa: SLF001 - not public
    if client is None:
        return
    with suppress(RuntimeError, ConnectionError, TimeoutError):
        info = await client.send.Target.getTargetInfo(params={"targetId": target})
        await manager._handle_target_info_changed(info)  # noqa: SLF001 - not public
