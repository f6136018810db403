"""The driver `spawned`: a Chromium started by the command in the profile's `options`."""

import asyncio
import tempfile

from strap import ActionError, BrowserDriver, hookimpl
from strap_browser.api import LAUNCH_HINT, DriverOrder, DriverStatus, Endpoint

START_LIMIT = 20.0
"""Seconds until the browser has told its address: a cold disk takes some."""


@hookimpl
def strap_register_drivers(config):
    """The driver of this plugin."""
    return [BrowserDriver(name="spawned", make=f"{__name__}:SpawnedDriver")]


class SpawnedDriver:
    """Starts the command with `--remote-debugging-port=0`, and ends it when it is let go."""

    name = "spawned"
    browser = "Chromium"
    can = frozenset({"launch", "devtools"})
    start_hint = LAUNCH_HINT
    guarded = False
    upstream = None

    def __init__(self, order: DriverOrder) -> None:
        self.command = order.settings.options.get("command", ["chromium", "--headless"])
        self.process = self.folder = None
        self.address = ""

    async def status(self):
        """Tell whether it runs."""
        return DriverStatus(running=self.process is not None, cdp_url=self.address)

    async def acquire(self, *, launch):
        """Return where the browser is, launched if need be."""
        if self.process is None or self.process.returncode is not None:
            if not launch:
                return None
            self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            where = (f"--user-data-dir={self.folder.name}", "--remote-debugging-port=0")
            self.process = await asyncio.create_subprocess_exec(
                *self.command, *where, "about:blank", stderr=asyncio.subprocess.PIPE
            )
            self.address = await self._listening()
        return Endpoint(address=self.address)

    async def _listening(self):
        try:
            async with asyncio.timeout(START_LIMIT):
                async for line in self.process.stderr:
                    if line.startswith(b"DevTools listening on "):
                        return line.split()[-1].decode()
        except TimeoutError:
            pass
        await self.release()
        raise ActionError(f"{self.command[0]!r} did not start.", hint="Try it in a shell.")

    async def release(self, *, force=False):
        """End it."""
        if self.process is None:
            return "foreign"
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()
        self.folder.cleanup()
        self.process = None
        return "stopped"
