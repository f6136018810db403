"""Driver `lease`: a browser that a grid or a service lends for as long as it is used."""

import shutil
from pathlib import Path
from urllib.parse import urlsplit

from strap import Guard, Secrets
from strap_browser.drivers.attached import AttachedDriver
from strap_browser.drivers.base import LAUNCH_HINT, DriverStatus, Release
from strap_browser.drivers.leasing.pool import LeasePool
from strap_browser.drivers.leasing.service import Lease
from strap_browser.drivers.remote_address import PORTS, is_loopback
from strap_browser.engine.endpoint import Endpoint
from strap_browser.settings.browser import ProfileSettings


class LeasedDriver(AttachedDriver):
    """Has one browser of a pool at a time, from a launch until it is released."""

    name = "lease"
    start_hint = LAUNCH_HINT

    def __init__(
        self,
        profile: str,
        settings: ProfileSettings,
        secrets: Secrets,
        root: Path,
        guard: Guard,
        pool: LeasePool,
    ) -> None:
        super().__init__(profile, settings, secrets, root, guard)
        self.pool = pool
        self.lease: Lease | None = None
        self._terms = (profile, settings, secrets, root, guard, pool)
        self._guard = guard
        self._port = 0

    def another(self) -> "LeasedDriver":
        """Return a driver for another browser of the same pool."""
        return LeasedDriver(*self._terms)

    async def status(self) -> DriverStatus:
        """Tell whether a browser is lent; asks nobody."""
        facts = {"provider": self._settings.provider, "leases": len(self.pool)}
        return DriverStatus(
            running=self.lease is not None, cdp_url=self.pool.service.at.shown, facts=facts
        )

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return the browser that is lent, if it is still there, else another if `launch`."""
        if self.lease is not None:
            if await self.pool.keeps(self.lease):
                return self._endpoint(self.lease)
            await self._drop()
        if not launch:
            return None
        self.lease = await self.pool.take()
        self._reserve(self.lease)
        return self._endpoint(self.lease)

    async def release(self, *, force: bool = False) -> Release:
        """Give the browser back."""
        await self._drop()
        shutil.rmtree(self._downloads, ignore_errors=True)
        return "stopped"

    def _endpoint(self, lease: Lease) -> Endpoint:
        return self._reached(lease.address, headers=lease.headers)

    def _reserve(self, lease: Lease) -> None:
        """Keep calls from the debugging port of a browser on this machine."""
        parts = urlsplit(lease.address)
        if is_loopback(parts.hostname or ""):
            self._port = parts.port or PORTS[parts.scheme]
            self._guard.reserve(self._port)

    async def _drop(self) -> None:
        lease, self.lease = self.lease, None
        if lease is None:
            return
        try:
            await self.pool.give_back(lease)
        finally:
            if self._port and self._port != self._at.port:
                self._guard.release(self._port)
            self._port = 0
