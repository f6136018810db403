"""Endpoint of a browser: its address, and how pages are made there."""

import asyncio
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from strap import record
from strap_browser.cdp.connection import CdpConnection
from strap_browser.proxy.control import ProxyControl


@record
class Endpoint:
    """A running browser: where to connect, and how pages are made there."""

    address: str
    """WebSocket or HTTP address of its Chrome DevTools protocol."""
    artifacts: Path | None = None
    """Directory for downloads on their way, the same for every process that connects."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header fields to send when connecting."""
    granted: bool = False
    """Whether its pages are tabs that the user granted: found, not made, and closed only on
    request; contexts, permissions and downloads are the user's."""
    viewport: tuple[int, int] | None = None
    """Size to give every page; None leaves pages as large as their window."""
    locale: str | None = None
    """Language of its pages, where it is not the browser's own."""
    extra_headers: Mapping[str, str] | None = None
    """Header fields that every request of a page carries."""
    local: bool = True
    """Whether it runs on this machine, so that its files are here."""
    interceptors: tuple[Any, ...] = ()
    """Interceptors that decide on all of its requests (`Interceptor`)."""
    scripts: tuple[str, ...] = ()
    """Scripts that run in each of its documents before any of the page's own."""
    fresh: bool = False
    """Whether it was launched just now: its blank page is free to be used."""
    own: bool = False
    """Whether it is strap's own, so that its pages may be made easier to see into."""
    gate: ProxyControl | None = None
    """The proxy that its traffic passes, None where it passes none."""
    cdp: CdpConnection | None = None
    """The shortest way to it, its pipe, where this process launched it."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the browser is known to be gone."""
