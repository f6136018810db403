"""Driver `cdp`: a browser that somebody else runs, at an endpoint of the configuration."""

import asyncio
import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from strap import StrapError
from strap_browser.drivers.attached import AttachedDriver
from strap_browser.drivers.base import DriverStatus
from strap_browser.drivers.remote_address import ANSWER_LIMIT
from strap_browser.engine.endpoint import Endpoint

MOST_BYTES = 65_536
"""Bytes that are read of an answer, of which a browser's has some hundred."""


class RemoteDriver(AttachedDriver):
    """Finds a browser by its debugging port or its WebSocket address."""

    name = "cdp"

    async def status(self) -> DriverStatus:
        """Tell whether the endpoint answers."""
        running = bool(await asyncio.to_thread(self._find))
        return DriverStatus(running=running, cdp_url=self._at.shown)

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return the endpoint if it answers; raises `ActionError` instead if `launch`."""
        await self._at.obtain()
        address = await asyncio.to_thread(self._find)
        if not address:
            if not launch:
                return None
            raise self._silent("Start it there; the operator sets its cdp_url.")
        return self._reached(address, headers=self._at.headers())

    def _find(self) -> str:
        try:
            url = self._at.url()
            if self._at.scheme in ("ws", "wss"):
                return url if self._at.answers() else ""
            return self._ask(urlsplit(url))
        except (OSError, HTTPException, KeyError, TypeError, ValueError, StrapError):
            return ""

    def _ask(self, parts: SplitResult) -> str:
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(self._at.host, self._at.port, timeout=ANSWER_LIMIT)
        query = f"?{parts.query}" if parts.query else ""
        try:
            path = f"{parts.path.rstrip('/')}/json/version{query}"
            connection.request("GET", path, headers=self._at.headers())
            answer = json.loads(connection.getresponse().read(MOST_BYTES))
            return str(answer["webSocketDebuggerUrl"])
        finally:
            connection.close()
