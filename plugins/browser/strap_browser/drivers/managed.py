"""Driver `nebo`: a Chromium that strap launches, shared by all processes of the same home."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from strap import ActionError, Guard
from strap_browser.chromium.browser_process import EXIT_LIMIT, QUIT_LIMIT
from strap_browser.chromium.launch import LaunchedBrowser, start
from strap_browser.chromium.network_rules import NetworkRules
from strap_browser.chromium.process import Chromium
from strap_browser.chromium.profile_directory import (
    ProfileDirectory,
    RunningRecord,
    SharedProfileLock,
)
from strap_browser.chromium.spawn import PrestartedChromium
from strap_browser.drivers.base import LAUNCH_HINT, Capability, DriverStatus, Release
from strap_browser.engine.endpoint import Endpoint
from strap_browser.proxy.upstream import upstream_of
from strap_browser.settings.browser import BrowserSettings


class ManagedDriver:
    """The browser of a profile directory: launched here, or found in another process."""

    name = "nebo"
    guarded = True
    can: frozenset[Capability] = frozenset({"devtools", "agent", "agent_page", "launch", "reclaim"})
    browser = "Chromium"
    start_hint = LAUNCH_HINT

    def __init__(
        self,
        root: Path,
        settings: BrowserSettings,
        guard: Guard,
        take_early: Callable[[], PrestartedChromium | None] | None = None,
    ) -> None:
        """`take_early` returns the browser if it was started already."""
        self._settings = settings
        self._guard = guard
        self.upstream = upstream_of(settings)
        self._directory = ProfileDirectory(root)
        self._terms = NetworkRules(guard, settings)
        self._take_early = take_early
        self._browser: Chromium | None = None
        self._running: RunningRecord | None = None
        """The browser that this process launched or joined."""
        self._presence: SharedProfileLock | None = None
        self._watch: asyncio.Task[None] | None = None

    async def status(self) -> DriverStatus:
        """Tell whether the browser runs, in this process or another; starts nothing."""
        running = self._running if self._browser else self._directory.read()
        if running and (self._browser or await running.answers()):
            facts = {}
            if not (self._browser or self._terms.fit(running.terms)):
                facts = {"note": f"runs {self._terms.why_not(running.mode)}: it cannot be joined"}
            return DriverStatus(
                running=True, cdp_url=f"http://127.0.0.1:{running.port}", facts=facts
            )
        return DriverStatus(
            running=False, cdp_url=f"http://127.0.0.1:{self._settings.port or 9222}"
        )

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Join the running browser, else launch one, or return None if `launch` is false."""
        if not launch and not self._browser and self._directory.read() is None:
            return None
        fresh = False
        early = self._take_early() if launch and self._take_early else None
        try:
            async with self._directory.exclusive(early):
                await self._drop_dead()
                if self._browser is None:
                    fresh = await self._find(early, launch=launch)
        finally:
            if early is not None:
                early.abandon()
        if self._running is None:
            return None
        return Endpoint(
            address=self._running.address,
            artifacts=self._directory.downloads,
            viewport=self._settings.viewport if self._running.headless else None,
            locale=self._settings.locale,
            extra_headers=self._settings.extra_headers,
            fresh=fresh,
            gate=self._running.gate,
            own=True,
            cdp=self._browser.cdp if self._browser else None,
            ended=self._browser.ended if self._browser else asyncio.Event(),
        )

    async def release(self, *, force: bool = False) -> Release:
        """Let go of the browser; end it if it is ours and (unless `force`) nobody else's."""
        browser = self._browser
        if browser is None:
            self._leave()
            return "foreign"
        if force:  # the process is ending and waits for nobody
            await self._stop(browser, EXIT_LIMIT)
            return "stopped"
        async with self._directory.exclusive():
            if not self._alone():
                return "used"
            await self._stop(browser)
        return "stopped"

    async def _drop_dead(self) -> None:
        browser, running = self._browser, self._running
        if browser is not None and running is not None and not await running.answers():
            await self._stop(browser)

    def _alone(self) -> bool:
        presence = SharedProfileLock(self._directory.data)
        try:
            return presence.alone()
        finally:
            presence.end()

    async def _find(self, early: PrestartedChromium | None, *, launch: bool) -> bool:
        self._leave()
        running = self._directory.read()
        if running is not None and await running.answers():
            if not self._terms.fit(running.terms):
                raise self._terms.refused(self._directory.root.name, running.mode, running.owner)
            self._join(running)
            return False
        if launch:
            await self._launch(early)
        return launch

    def _join(self, running: RunningRecord) -> None:
        self._running = running
        self._presence = SharedProfileLock(self._directory.data)
        self._guard.reserve(running.port)

    def _leave(self) -> None:
        running, self._running = self._running, None
        presence, self._presence = self._presence, None
        if running is not None:
            self._guard.release(running.port)
        if presence is not None:
            presence.end()

    async def _launch(self, early: PrestartedChromium | None) -> None:
        if early is None:
            await self._directory.clear()
        else:  # it holds the lock of the profile, and nothing was in its way
            self._directory.clear_downloads()
        started = await start(
            self._settings, self._directory.data, self._settings.port, self._guard, early
        )
        browser = started.browser
        running = RunningRecord(
            address=browser.address,
            pid=browser.pid,
            owner=os.getpid(),
            headless=started.headless,
            mode=self._terms.mode,
            terms=self._terms.sealed(),
            gate=started.gate,
        )
        self._browser, self._running = browser, running
        self._guard.reserve(running.port, "devtools")
        self._watch = asyncio.create_task(self._collect(started), name="watch browser")
        try:
            self._directory.write(running)
        except ActionError:
            await self._stop(browser)
            raise

    async def _stop(self, browser: Chromium, patience: float = QUIT_LIMIT) -> None:
        await browser.stop(patience)
        self._ended(browser)
        if self._watch is not None:
            await self._watch

    async def _collect(self, started: LaunchedBrowser) -> None:
        await started.browser.ended.wait()
        await started.stop()
        self._ended(started.browser)

    def _ended(self, browser: Chromium) -> None:
        if self._browser is not browser or self._running is None:
            return
        self._directory.forget(self._running)
        self._directory.clear_downloads()
        self._browser = None
        self._leave()
