"""Starting a Chromium on a user data directory, around what may be in the way."""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from strap import Guard, record
from strap_browser.chromium.browser_process import PORT_IN_USE, QUIT_LIMIT, StartFailure
from strap_browser.chromium.command_line import (
    command_line,
    environment,
    executable_of,
    is_headless,
    may_use_sandbox,
)
from strap_browser.chromium.preferences import ask_nobody
from strap_browser.chromium.process import Chromium
from strap_browser.chromium.singleton_lock import Singleton
from strap_browser.chromium.spawn import PrestartedChromium, is_free
from strap_browser.proxy.control import ProxyControl
from strap_browser.proxy.guard_proxy import GuardProxy
from strap_browser.proxy.upstream import upstream_of
from strap_browser.settings.browser import BrowserSettings

log = logging.getLogger(__name__)
NO_SANDBOX = b"No usable sandbox"


@record
class LaunchedBrowser:
    """A browser that was started, and the proxy that its traffic passes."""

    browser: Chromium
    proxy: GuardProxy
    lock: Singleton
    headless: bool

    @property
    def gate(self) -> ProxyControl:
        """Address and secret of the proxy, for other processes that use the browser."""
        return self.proxy.gate

    async def stop(self, patience: float = QUIT_LIMIT) -> None:
        """End both; the browser gets `patience` seconds to quit."""
        try:
            await self.browser.stop(patience)
        finally:
            self.lock.remove(self.browser.pid)
            await self.proxy.aclose()


async def start(
    settings: BrowserSettings,
    data: Path,
    port: int,
    guard: Guard,
    early: PrestartedChromium | None = None,
) -> LaunchedBrowser:
    """Start a browser on the user data directory `data`, and the proxy that guards it.

    `port` 0 is any free one. One that was started `early` is used if it is what would be started,
    else ended. Raises `ActionError` where there is no browser or it does not start.
    """
    executable = executable_of(settings)
    headless = is_headless(settings, executable)
    lock, proxy = Singleton(data), None
    try:
        proxy = GuardProxy(guard, upstream_of(settings))
        await proxy.start(early.give_listener() if early else None)
        browser = await _launch(settings, executable, data, port, proxy.gate, early)
        lock.note()
    except BaseException:
        lock.remove()
        if proxy is not None:
            await proxy.aclose()
        raise
    return LaunchedBrowser(browser=browser, proxy=proxy, lock=lock, headless=headless)


async def _launch(
    settings: BrowserSettings,
    executable: Path,
    data: Path,
    port: int,
    gate: ProxyControl | None,
    early: PrestartedChromium | None,
) -> Chromium:
    """Launch, on another port or without the sandbox where that is the obstacle."""
    sandbox = may_use_sandbox(settings)
    variables = environment(settings, data)
    if early is not None:
        port = early.port
    elif not is_free(port):
        port = 0
    while True:
        command = command_line(executable, data, port, settings, sandbox=sandbox, gate=gate)
        try:
            if early is not None:
                ready, early = early, None
                if (ready.command, ready.environ) == (command, variables):
                    return await Chromium.adopt(ready)
                ready.abandon()
            with suppress(OSError):  # what else it cannot write it says itself
                await asyncio.to_thread(ask_nobody, str(data), headless="--headless" in command)
            return await Chromium.launch(command, variables)
        except StartFailure as failure:
            if port and PORT_IN_USE in failure.output:
                port = 0
            elif sandbox and NO_SANDBOX in failure.output and not settings.sandbox:
                log.warning("No user namespaces here: the browser runs without its sandbox")
                sandbox = False
            else:
                log.warning("%s\n%s", failure, failure.output.decode(errors="replace"))
                raise
