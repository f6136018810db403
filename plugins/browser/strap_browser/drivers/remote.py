"""Driver `cdp`: a browser that somebody else runs, at an endpoint of the configuration."""

import asyncio
import json
import shutil
import socket
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from strap import ActionError, Guard, Secrets, StrapError, make_private
from strap_browser.drivers.base import DriverStatus, Release
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream
from strap_browser.settings.browser import ProfileSettings

ANSWER_LIMIT = 2.0
"""Seconds for an answer of what listens there already."""
MOST_BYTES = 65_536
"""Bytes that are read of an answer, of which a browser's has some hundred."""
PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


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
        self._secrets = secrets
        self._downloads = root / "downloads"
        self._url = settings.cdp_url.get_secret_value()
        self._parts = urlsplit(self._url)
        if self._is_local:
            guard.reserve(self._port)

    async def status(self) -> DriverStatus:
        """Tell whether the endpoint answers."""
        return DriverStatus(running=bool(await asyncio.to_thread(self._find)), cdp_url=self._shown)

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return the endpoint if it answers; raises `ActionError` instead if `launch`."""
        self._secrets.fill(self._url, self._url)  # which says what is wrong with a secret
        address = await asyncio.to_thread(self._find)
        if not address:
            if not launch:
                return None
            raise ActionError(
                f"Cannot launch the browser of profile {self._profile!r}:"
                f" it runs elsewhere, and {self._shown} does not answer.",
                hint="Start it there; the operator sets its cdp_url.",
                code="not_launchable",
            )
        if self._is_local:
            make_private(self._downloads)
        return Endpoint(
            address=address,
            headers=self._headers(),
            artifacts=self._downloads if self._is_local else None,
            local=self._is_local,
            viewport=self._settings.viewport,
            locale=self._settings.locale,
            extra_headers=self._settings.extra_headers,
        )

    async def release(self, *, force: bool = False) -> Release:
        """Leave the browser as it is."""
        shutil.rmtree(self._downloads, ignore_errors=True)
        return "disconnected"

    @property
    def _port(self) -> int:
        return self._parts.port or PORTS[self._parts.scheme]

    @property
    def _host(self) -> str:
        return self._parts.hostname or ""

    @property
    def _is_local(self) -> bool:
        """Whether the browser runs on this machine, so that its files are here."""
        with suppress(ValueError):
            return ip_address(self._host).is_loopback
        return self._host == "localhost"

    @property
    def _shown(self) -> str:
        """The address without what may be a credential in it."""
        netloc = self._parts.netloc.rpartition("@")[2]
        return SplitResult(self._parts.scheme, netloc, "", "", "").geturl()

    def _headers(self) -> Mapping[str, str]:
        given = self._settings.headers or {}
        return {
            name: self._secrets.fill(value.get_secret_value(), self._url)
            for name, value in given.items()
        }

    def _find(self) -> str:
        """Return the WebSocket address of the browser, "" where nobody answers.

        What listens at a WebSocket is not asked more than that.
        """
        try:
            url = self._secrets.fill(self._url, self._url)
            if self._parts.scheme in ("ws", "wss"):
                socket.create_connection((self._host, self._port), ANSWER_LIMIT).close()
                return url
            return self._ask(urlsplit(url))
        except (OSError, HTTPException, KeyError, TypeError, ValueError, StrapError):
            return ""

    def _ask(self, parts: SplitResult) -> str:
        """Return the address that the debugging port tells (`/json/version`)."""
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(self._host, self._port, timeout=ANSWER_LIMIT)
        query = f"?{parts.query}" if parts.query else ""
        try:
            path = f"{parts.path.rstrip('/')}/json/version{query}"
            connection.request("GET", path, headers=self._headers())
            told = json.loads(connection.getresponse().read(MOST_BYTES))
            return str(told["webSocketDebuggerUrl"])
        finally:
            connection.close()
