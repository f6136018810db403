"""Driver `cdp`: a browser that somebody else runs, at an endpoint of the configuration."""

import asyncio
import json
import shutil
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from strap import ActionError, Guard, Secrets, StrapError, make_private
from strap_browser.drivers.base import DriverStatus, Release
from strap_browser.drivers.remote_address import ANSWER_LIMIT, RemoteAddress
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream
from strap_browser.settings.browser import ProfileSettings

MOST_BYTES = 65_536
"""Bytes that are read of an answer, of which a browser's has some hundred."""


class RemoteDriver:
    """Attaches to a browser and leaves it; it is neither launched nor ended."""

    name = "cdp"
    granted = False
    upstream: Upstream | None = None
    guarded = False

    def __init__(
        self, profile: str, settings: ProfileSettings, secrets: Secrets, root: Path, guard: Guard
    ) -> None:
        assert settings.cdp_url is not None
        self._profile = profile
        self._settings = settings
        self._downloads = root / "downloads"
        self._at = RemoteAddress(settings.cdp_url, settings.headers, secrets)
        if self._at.is_local:
            guard.reserve(self._at.port)

    async def status(self) -> DriverStatus:
        """Tell whether the endpoint answers."""
        running = bool(await asyncio.to_thread(self._find))
        return DriverStatus(running=running, cdp_url=self._at.shown)

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return the endpoint if it answers; raises `ActionError` instead if `launch`."""
        self._at.url()  # which says what is wrong with a secret
        address = await asyncio.to_thread(self._find)
        if not address:
            if not launch:
                return None
            raise ActionError(
                f"Cannot launch the browser of profile {self._profile!r}:"
                f" it runs elsewhere, and {self._at.shown} does not answer.",
                hint="Start it there; the operator sets its cdp_url.",
                code="not_launchable",
            )
        if self._at.is_local:
            make_private(self._downloads)
        return Endpoint(
            address=address,
            headers=self._at.headers(),
            artifacts=self._downloads if self._at.is_local else None,
            local=self._at.is_local,
            viewport=self._settings.viewport,
            locale=self._settings.locale,
            extra_headers=self._settings.extra_headers,
        )

    async def release(self, *, force: bool = False) -> Release:
        """Leave the browser as it is."""
        shutil.rmtree(self._downloads, ignore_errors=True)
        return "disconnected"

    def _find(self) -> str:
        """Return the WebSocket address of the browser, "" where nobody answers."""
        try:
            url = self._at.url()
            if self._at.scheme in ("ws", "wss"):
                return url if self._at.answers() else ""
            return self._ask(urlsplit(url))
        except (OSError, HTTPException, KeyError, TypeError, ValueError, StrapError):
            return ""

    def _ask(self, parts: SplitResult) -> str:
        """Return the address that the debugging port tells (`/json/version`)."""
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(self._at.host, self._at.port, timeout=ANSWER_LIMIT)
        query = f"?{parts.query}" if parts.query else ""
        try:
            path = f"{parts.path.rstrip('/')}/json/version{query}"
            connection.request("GET", path, headers=self._at.headers())
            told = json.loads(connection.getresponse().read(MOST_BYTES))
            return str(told["webSocketDebuggerUrl"])
        finally:
            connection.close()
