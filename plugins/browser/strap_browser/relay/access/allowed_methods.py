"""Allow-list of commands to a granted tab, and of schemes it may go to."""

import re
from collections.abc import Mapping
from typing import Any

SCHEMES = frozenset({"http", "https", "data", "blob"})
DOMAINS = frozenset({
    "Accessibility", "Animation", "CSS", "DOM", "DOMSnapshot", "Emulation", "Fetch", "Input",
    "Inspector", "IO", "LayerTree", "Log", "Network", "Overlay", "Page", "Performance", "Runtime",
})  # fmt: skip
"""Domains that act on the tab alone; all their methods but those of `FORBIDDEN` are allowed."""
FURTHER = frozenset({
    "Browser.getVersion", "Browser.getWindowBounds", "Browser.getWindowForTarget",
    "Storage.getCookies", "Storage.getStorageKeyForFrame", "Storage.setCookies",
    "Target.setAutoAttach",
})  # fmt: skip
FORBIDDEN = frozenset({
    # They concern the whole profile, of which only some tabs were granted.
    "Network.clearBrowserCache", "Network.clearBrowserCookies", "Network.enableDeviceBoundSessions",
    "Page.setDownloadBehavior",
    # They read or write files of this machine, or reach other servers as the user.
    "DOM.getFileInfo", "DOM.setFileInputFiles", "Network.loadNetworkResource",
    "Network.setCookieControls",
    # They end more than the page.
    "Page.close", "Page.crash",
})  # fmt: skip
DENIED = -32601
"""The code of a refusal: to the client the method is not there (JSON-RPC 2.0, 5.1)."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def refusal(method: object, params: Mapping[str, Any]) -> str:
    """Return why the tab is not asked for this, '' if it may be."""
    if not isinstance(method, str):
        return "A command has a method."
    domain, dot, _ = method.partition(".")
    allowed = method in FURTHER or (dot and domain in DOMAINS)
    if not allowed or method in FORBIDDEN:
        return f"The relay does not pass on {method[:100]!r}."
    if method == "Page.navigate":
        return address_refusal(params.get("url"))
    if method == "Input.dispatchDragEvent" and (params.get("data") or {}).get("files"):
        return "The relay drops no files of this computer."
    return ""


def address_refusal(url: object) -> str:
    """Return why a tab may not be sent to `url`, '' if it may be: web addresses only.

    Browsers ignore control characters around and some within an address (WHATWG URL, 4.4), so
    they are taken out before the scheme is read.
    """
    text = re.sub(r"[\t\n\r]", "", url) if isinstance(url, str) else ""
    text = text.lstrip("".join(map(chr, range(0x21))))
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() in SCHEMES:
        return ""
    if re.fullmatch(r"about:blank([?#].*)?", text, re.IGNORECASE | re.DOTALL):
        return ""
    return "The relay opens http, https, about:blank, data and blob addresses only."
