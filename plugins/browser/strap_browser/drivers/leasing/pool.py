"""The browsers that this process has of services: so many of each, noted until they are back."""

import asyncio
import logging
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.common.tasks import Tasks
from strap_browser.drivers.leasing.leftovers import LeaseNotes, abandoned

if TYPE_CHECKING:
    from strap_browser.drivers.leasing.service import Lease, Service
    from strap_browser.settings.leasing import LeaseSettings

log = logging.getLogger(__name__)
HASTE = 1.0
"""Seconds to give everything back when the process ends, which has less than two."""


class LeasePool:
    """The browsers of one profile; each that is taken is given back once."""

    def __init__(
        self, profile: str, service: "Service", settings: "LeaseSettings", notes: LeaseNotes
    ) -> None:
        self.service = service
        self.most = settings.max_browsers
        self.idle_s = settings.idle_s
        self._profile = profile
        self._queue_s = settings.queue_s
        self._notes = notes
        self._places = asyncio.Semaphore(self.most)
        self._alive: dict[str, asyncio.Task[None]] = {}
        self._tasks = Tasks()

    def __len__(self) -> int:
        return len(self._alive)

    async def take(self) -> "Lease":
        """Return a browser; raises `ActionError` (code "full" where there is none for too long)."""
        try:
            async with asyncio.timeout(self._queue_s):
                await self._places.acquire()
        except TimeoutError:
            raise ActionError(
                f"{self.most} browsers of profile {self._profile!r} are lent, which is the limit.",
                hint="Repeat the call when one is given back.",
                code="full",
                retryable=True,
            ) from None
        # In a task of its own: a browser on its way is not to be lost with who waited for it.
        making = self._tasks(self._make())
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            if not making.done() or not (making.cancelled() or making.exception()):
                making.add_done_callback(self._unwanted)
            raise

    async def keeps(self, lease: "Lease") -> bool:
        """Whether the service still has the browser, as far as it tells."""
        return await self.service.keeps(lease.id)

    async def give_back(self, lease: "Lease") -> None:
        """Give a browser back, once; what fails is tried again at the next start."""
        staying = self._alive.pop(lease.id, None)
        if staying is None:
            return
        staying.cancel()
        try:
            if await self.service.release(lease.id):
                self._notes.remove(self._profile, lease.id)
            else:
                log.warning("A browser of profile %r was not given back", self._profile)
        finally:
            self._places.release()

    async def aclose(self) -> None:
        """Give back what is left, as far as there is time."""
        from strap_browser.drivers.leasing.service import Lease

        with suppress(TimeoutError):
            async with asyncio.timeout(HASTE):
                leases = [Lease(id=lease, address="") for lease in self._alive]
                await asyncio.gather(*map(self.give_back, leases))
        await self._tasks.aclose()

    async def _make(self) -> "Lease":
        try:
            lease = await self.service.create(secrets.token_hex(8))
        except BaseException:
            self._places.release()
            raise
        if self.service.recipe.release is not None:
            with suppress(OSError):  # a full disk is no reason to have no browser
                self._notes.add(self._profile, lease.id)
        self._alive[lease.id] = self._tasks(self._stay(lease.id))
        return lease

    async def _stay(self, lease_id: str) -> None:
        request = self.service.recipe.keep_alive
        while request is not None:
            await asyncio.sleep(request.every)
            if not await self.service.keeps(lease_id):
                log.info("A browser of profile %r could not be kept", self._profile)

    def _unwanted(self, making: "asyncio.Task[Lease]") -> None:
        if not making.cancelled() and making.exception() is None:
            self._tasks(self.give_back(making.result()))


class Leases:
    """The pools of all profiles, and what processes that were killed had of their services."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "leases"
        self._notes = LeaseNotes(self._folder)
        self._pools: dict[str, LeasePool] = {}
        self._tasks = Tasks()

    def pool(self, profile: str, service: "Service", settings: "LeaseSettings") -> LeasePool:
        """Make the pool of a profile."""
        made = self._pools[profile] = LeasePool(profile, service, settings, self._notes)
        return made

    def __len__(self) -> int:
        return sum(map(len, self._pools.values()))

    def begin(self) -> None:
        """Give back in the background what nobody has any more."""
        if self._pools:
            self._tasks(self._sweep())

    async def aclose(self) -> None:
        """Give back everything."""
        await self._tasks.aclose()
        await asyncio.gather(*(pool.aclose() for pool in self._pools.values()))
        self._notes.close()

    async def _sweep(self) -> None:
        for path in self._folder.glob("*.jsonl") if self._folder.is_dir() else ():
            with suppress(OSError), abandoned(path) as left:
                for profile, lease_id in list(left):
                    pool = self._pools.get(profile)
                    if pool is not None and await pool.service.release(lease_id):
                        left.discard((profile, lease_id))
