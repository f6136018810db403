"""Driver `firefox`: a Firefox that strap launches, for one process at a time."""

import asyncio
import fcntl
import os
import shutil
from pathlib import Path

from strap import ActionError, Guard, record
from strap_browser.api import (
    EXIT_LIMIT,
    LAUNCH_HINT,
    QUIT_LIMIT,
    BrowserSettings,
    Capability,
    CdpConnection,
    DriverStatus,
    Endpoint,
    GuardProxy,
    Release,
    find_firefox,
    is_windowless,
    make_directories,
    try_lock,
    upstream_of,
    writing,
)
from strap_firefox.preferences import write_preferences
from strap_firefox.process import Firefox


@record
class _Running:
    firefox: Firefox
    proxy: GuardProxy
    cdp: CdpConnection
    headless: bool
    lock: int
    """The descriptor that keeps other processes from the profile."""


class FirefoxDriver:
    """The Firefox of a profile directory."""

    name = "firefox"
    guarded = True
    can: frozenset[Capability] = frozenset({"launch"})
    browser = "Firefox"
    start_hint = LAUNCH_HINT

    def __init__(
        self, root: Path, settings: BrowserSettings, guard: Guard, configured: Path | None
    ) -> None:
        """`configured` is the Firefox to launch, None for the first that is found."""
        self.upstream = upstream_of(settings)
        self._root = root
        self._settings = settings
        self._guard = guard
        self._configured = configured
        self._running: _Running | None = None
        self._watch: asyncio.Task[None] | None = None

    async def status(self) -> DriverStatus:
        """Tell whether the browser runs in this process; starts nothing."""
        running = self._running is not None
        return DriverStatus(running=running, cdp_url="", facts={"experimental": True})

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Return the running browser, else launch one, or return None if `launch` is false."""
        await self._drop_dead()
        fresh = self._running is None
        if self._running is None:
            if not launch:
                return None
            self._running = await self._launch()
            self._watch = asyncio.create_task(self._collect(self._running), name="watch browser")
        running = self._running
        return Endpoint(
            address=running.firefox.address,
            artifacts=self._root / "downloads",
            viewport=self._settings.viewport if running.headless else None,
            locale=self._settings.locale,
            extra_headers=self._settings.extra_headers,
            fresh=fresh,
            gate=running.proxy.gate,
            own=True,
            cdp=running.cdp,
            ended=running.firefox.ended,
        )

    async def release(self, *, force: bool = False) -> Release:
        """End the browser."""
        if self._running is None:
            return "foreign"
        await self._running.firefox.stop(EXIT_LIMIT if force else QUIT_LIMIT)
        if self._watch is not None:
            await self._watch
        return "stopped"

    async def _drop_dead(self) -> None:
        """End a browser to which there is no connection any more, which a second one gets not."""
        if self._running is not None and self._running.cdp.closed.is_set():
            await self.release()

    async def _launch(self) -> _Running:
        executable = find_firefox(self._configured)
        data = self._root / "firefox"
        make_directories(self._root, data, self._root / "downloads")
        lock = _locked(data)
        proxy = GuardProxy(self._guard, self.upstream)
        firefox = None
        try:
            await proxy.start()
            with writing(self._root):
                write_preferences(data, self._settings, proxy.gate)
            headless = is_windowless(self._settings)
            command = _command(executable, data, headless=headless)
            firefox = await Firefox.launch(command, self._variables(data, headless=headless))
            cdp = await firefox.connect()
            self._guard.reserve(firefox.port, "devtools")
        except BaseException:
            if firefox is not None:
                await firefox.stop(EXIT_LIMIT)
            await proxy.aclose()
            os.close(lock)
            raise
        return _Running(firefox=firefox, proxy=proxy, cdp=cdp, headless=headless, lock=lock)

    def _variables(self, data: Path, *, headless: bool) -> dict[str, str]:
        """Return what is added to its environment.

        Without a window, where it needs nothing of the user's desktop, it leaves their home alone.
        """
        own = {"MOZ_CRASHREPORTER_DISABLE": "1"}
        if headless:
            own |= {"XDG_CACHE_HOME": str(data / "cache"), "XDG_CONFIG_HOME": str(data / "config")}
        return own | ({"TZ": self._settings.timezone} if self._settings.timezone else {})

    async def _collect(self, running: _Running) -> None:
        await running.firefox.ended.wait()
        await running.firefox.stop()
        self._guard.release(running.firefox.port)
        await running.cdp.aclose()
        await running.proxy.aclose()
        shutil.rmtree(self._root / "downloads", ignore_errors=True)
        os.close(running.lock)
        if self._running is running:
            self._running = None


def _command(executable: Path, data: Path, *, headless: bool) -> list[str]:
    port = ("--remote-debugging-port", "0")
    window = ("--headless",) if headless else ()
    return [str(executable), *window, "--no-remote", "--profile", str(data), *port, "about:blank"]


def _locked(data: Path) -> int:
    descriptor = os.open(data, os.O_RDONLY)
    if try_lock(descriptor, fcntl.LOCK_EX):
        return descriptor
    os.close(descriptor)
    raise ActionError(
        f"Another process uses the Firefox of {str(data)!r}.",
        hint="Close it there, or use another profile.",
        code="profile_in_use",
    )
