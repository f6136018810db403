"""Profiles whose browsers are lent: one for all callers, or one for each; idle ones go back."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from strap_browser.drivers.leased import LeasedDriver
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.pages.profile import FORGOTTEN, Profile

LOOK = 15.0
"""Seconds between two looks whether a browser is idle, at most."""


class LeasedProfile(Profile):
    """A profile with one browser, which is given back when nobody has used it for a while."""

    driver: LeasedDriver

    def __init__(self, name: str, driver: LeasedDriver, *more: Any, **terms: Any) -> None:
        super().__init__(name, driver, *more, **terms)
        self.used = time.monotonic()
        """When it was last looked for."""
        self._tasks(self._watch())

    async def _watch(self) -> None:
        idle_s = self.driver.pool.idle_s
        while True:
            await asyncio.sleep(min(LOOK, idle_s / 4))
            if self.driver.lease is not None:
                await self._rest(idle_s)

    def _is_idle(self, seconds: float) -> bool:
        sessions = self._sessions.values()
        if any(tab.turns.taken for session in sessions for tab in session.tabs.values()):
            return False
        used = max([self.used, *(session.used for session in sessions)])
        return time.monotonic() - used > seconds

    async def _open(self, *, launch: bool) -> BrowserConnection:
        connection = await super()._open(launch=launch)
        self.used = time.monotonic()
        return connection

    async def _rest(self, idle_s: float) -> None:
        async with self._lock:
            if not self._is_idle(idle_s):
                return
            if self._connection is not None:
                await self._connection.aclose()
            await self.driver.release()


class LentToEach(Profile):
    """A profile of which each caller has a browser, and a `LeasedProfile` around it, of its own."""

    driver: LeasedDriver

    def __init__(self, name: str, make: Callable[[], LeasedProfile], *more: Any, **terms: Any):
        super().__init__(name, *more, **terms)
        self._make = make
        self._parts: dict[str, LeasedProfile] = {}

    def part(self, key: str) -> Profile:
        """Return the caller's own part."""
        part = self._parts.pop(key, None)
        if part is None:
            self._forget()
            part = self._make()
        part.used = time.monotonic()
        self._parts[key] = part
        return part

    def known(self, key: str) -> Any:
        """Return the session of a caller that has one."""
        part = self._parts.get(key)
        return part.known(key) if part else None

    @property
    def callers(self) -> tuple[str, ...]:
        """The keys of the callers that have a session."""
        return tuple(key for key, part in self._parts.items() if part.known(key))

    async def status(self, key: str) -> dict[str, Any]:
        """Return the profile's entry of `status`, as the caller sees it."""
        part = self._parts.get(key)
        return await (part.status(key) if part else super().status(key))

    async def end_session(self, key: str) -> None:
        """Give back the browser of a caller that is gone."""
        ended = [k for k in self._parts if k == key or k.startswith(f"{key}/")]
        await asyncio.gather(*(self._parts.pop(k).aclose() for k in ended))

    async def aclose(self) -> None:
        """Give back every browser."""
        await asyncio.gather(*(part.aclose() for part in self._parts.values()))
        await super().aclose()

    def _forget(self) -> None:
        """Forget callers that never say that they are gone, and have nothing any more."""
        before = time.monotonic() - FORGOTTEN
        for key, part in list(self._parts.items()):
            if part.driver.lease is None and part.used < before:
                self._tasks(self._parts.pop(key).aclose())
