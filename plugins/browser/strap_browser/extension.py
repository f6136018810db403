"""Driver `extension`: the user's own Chrome, which connects by itself and is never launched."""

import asyncio
import time
from pathlib import Path

from strap import ActionError, Guard
from strap_browser.drivers import Endpoint, Release, Sight
from strap_browser.gate.upstream import Upstream
from strap_browser.relay.hosting import Host
from strap_browser.relay.pairing import Pairing

PATIENCE = 3.0
"""Seconds that the extension gets to connect to a relay that has just begun to listen."""
POLL = 0.05


class ExtensionDriver:
    """Reaches the tabs that the user granted, through the relay of this or another process."""

    name = "extension"
    upstream: Upstream | None = None
    guarded = False
    granted = True

    def __init__(self, profile: str, home: Path, port: int, guard: Guard) -> None:
        self._profile = profile
        self._pairing = Pairing(home)
        self._host = Host(self._pairing, port)
        self._begun = 0.0
        guard.reserve(port)

    async def look(self) -> Sight:
        """Tell whether the extension is connected, to whichever process hosts the relay."""
        status = await self._host.status() or {}
        connected = bool(status.get("connected"))
        return Sight(
            running=connected,
            cdp_url=self._host.address,
            facts={"extension_connected": connected},
            pages=int(status.get("pages", 0)),
        )

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return where the tabs are reached, None unless the extension is connected.

        Raises `ActionError` instead where it is not paired, or on `launch`: Chrome is the user's.
        """
        paired = self._pairing.read() is not None
        if paired:
            await self._listen()
        if not (paired and await self._connects()):
            if launch:
                raise self._not_launchable()
            if not paired:
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

    async def _listen(self) -> None:
        if not self._begun:
            self._begun = time.monotonic()
        await self._host.begin()

    async def _connects(self) -> bool:
        """Whether the extension is connected; waits for it only where strap is new here."""
        while not (await self.look()).running:
            if not self._begun or time.monotonic() - self._begun > PATIENCE:
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
