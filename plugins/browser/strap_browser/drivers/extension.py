"""Driver `extension`: the user's own Chrome, which connects by itself and is never launched."""

import asyncio
import time
from pathlib import Path
from typing import Any

from strap import ActionError, Guard
from strap_browser.drivers.base import Capability, DriverStatus, Release
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import Upstream
from strap_browser.relay.access.pairing import Pairing
from strap_browser.relay.host import Host

PATIENCE = 12.0
"""Seconds that the extension gets to connect to a relay that has just begun to listen: it looks
for one every five, and Chrome may slow it down."""
POLL = 0.2
NEW = "strap began to listen just now; Chrome connects within some seconds: ask again"


class ExtensionDriver:
    """Reaches the tabs that the user granted, through the relay of this or another process."""

    name = "extension"
    upstream: Upstream | None = None
    guarded = False
    can: frozenset[Capability] = frozenset({"devtools", "agent", "user_tabs"})
    browser = "Chromium"
    start_hint = (
        "It connects via the Chrome extension. Ensure the Nebo extension is active in Chrome."
    )

    def __init__(self, profile: str, home: Path, port: int, guard: Guard) -> None:
        self._profile = profile
        self._pairing = Pairing(home)
        self._host = Host(self._pairing, port, guard)
        self._begun: float | None = None
        guard.reserve(port)

    async def status(self) -> DriverStatus:
        """Tell whether the extension is connected, to whichever process hosts the relay.

        Begins to listen where Chrome is paired, so that it finds strap from now on.
        """
        await self._listen()
        status = await self._host.status() or {}
        facts: dict[str, Any] = {"extension_connected": bool(status.get("connected"))}
        if not facts["extension_connected"] and self._is_new:
            facts["note"] = NEW
        return DriverStatus(
            running=facts["extension_connected"],
            cdp_url=self._host.address,
            facts=facts,
            pages=int(status.get("pages", 0)),
        )

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return where the tabs are reached, None unless the extension is connected.

        Raises `ActionError` instead where it is not paired, or on `launch`: Chrome is the user's.
        """
        if not await self._connects():
            if launch:
                raise self._not_launchable()
            if self._pairing.read() is None:
                raise not_paired(self._profile)
            return None
        try:
            headers = await self._host.token()
        except OSError:
            return None
        return Endpoint(address=self._host.address, headers=headers, granted=True)

    async def release(self, *, force: bool = False) -> Release:
        """Disconnect from the relay; Chrome runs on. With `force` the process ends."""
        if force:
            await self._host.aclose()
        return "disconnected"

    @property
    def _is_new(self) -> bool:
        return self._begun is not None and time.monotonic() - self._begun < PATIENCE

    async def _listen(self) -> None:
        if self._pairing.read() is not None:
            if self._begun is None:
                self._begun = time.monotonic()
            await self._host.begin()

    async def _connects(self) -> bool:
        """Whether the extension is connected; waits for it only where strap is new here."""
        while not (await self.status()).running:
            if not self._is_new:
                return False
            await asyncio.sleep(POLL)
        return True

    def _not_launchable(self) -> ActionError:
        return ActionError(
            f"Cannot launch the {self._profile} profile — it connects via the Chrome extension.",
            hint="Ensure the Nebo extension is active in Chrome.",
            code="not_launchable",
        )


def not_paired(profile: str) -> ActionError:
    """Return the error of a page action before the user has paired Chrome with strap."""
    return ActionError(
        f"Browser not running for profile {profile!r}.",
        hint="Chrome is not paired with strap yet: `strap chrome pair` tells how.",
        code="not_running",
    )
