"""Driver `playwright`: Chromium of a Playwright server (`playwright launch-server`, `ws://…`)."""

import asyncio
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from strap import ActionError, install_command
from strap_browser.cdp.connection import CdpConnection
from strap_browser.drivers.attached import AttachedDriver
from strap_browser.drivers.base import DriverStatus, Release
from strap_browser.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

CONNECT_LIMIT = 15.0
"""Seconds to connect: the server launches a browser for each client, on a machine of its own."""


class PlaywrightServerDriver(AttachedDriver):
    """Has a server launch a browser for this process, and leaves it, which ends that browser.

    It is strap's alone, so that its pages are set up as those of a browser that strap launched.
    Playwright brings the messages there, no more: pages are driven by strap's own engine.
    """

    name = "playwright"

    def __init__(self, *terms: Any) -> None:
        super().__init__(*terms)
        self._client: Playwright | None = None
        self._endpoint: Endpoint | None = None

    async def status(self) -> DriverStatus:
        """Tell whether the server answers."""
        running = await asyncio.to_thread(self._at.answers)
        return DriverStatus(running=running, cdp_url=self._at.shown)

    async def acquire(self, *, launch: bool) -> Endpoint | None:
        """Connect to the server, None where it does not answer; raises `ActionError`."""
        await self._at.obtain()
        if self._endpoint is not None and not self._endpoint.ended.is_set():
            return self._endpoint
        if not await asyncio.to_thread(self._at.answers):
            if not launch:
                return None
            raise self._silent(
                "Start `playwright launch-server` there; the operator sets playwright_url."
            )
        await self._leave()
        try:
            self._endpoint = await self._connect()
        except BaseException:
            await self._leave()
            raise
        return self._endpoint

    async def release(self, *, force: bool = False) -> Release:
        """Leave the server."""
        await self._leave()
        return await super().release(force=force)

    async def _connect(self) -> Endpoint:
        from strap_browser.cdp.playwright_tunnel import PlaywrightTunnel

        browser = await self._browser()
        ended = asyncio.Event()
        browser.on("disconnected", lambda _: ended.set())
        cdp = CdpConnection(PlaywrightTunnel(browser, await browser.new_browser_cdp_session()))
        await cdp.open()
        return self._reached(self._at.shown, cdp=cdp, ended=ended, own=True)

    async def _browser(self) -> "Browser":
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError:
            raise ActionError(
                "Profiles of driver 'playwright' need the package playwright.",
                hint=f"Install it: {install_command('strap-web[playwright]')}",
                code="missing_extra",
            ) from None
        self._client = await async_playwright().start()
        headers = dict(self._at.headers())
        try:
            return await self._client.chromium.connect(
                self._at.url(), headers=headers, timeout=CONNECT_LIMIT * 1000
            )
        except Error as error:
            why = error.message.partition("\n")[0]
            raise ActionError(
                f"The Playwright server at {self._at.shown} gave no Chromium: {why}",
                hint=f"It has to be of Playwright {_release()}, and to launch Chromium.",
                code="connect",
                retryable=True,
            ) from None

    async def _leave(self) -> None:
        endpoint, self._endpoint = self._endpoint, None
        client, self._client = self._client, None
        if endpoint is not None and endpoint.cdp is not None:
            with suppress(Exception):  # it may be gone already
                await endpoint.cdp.aclose()
        if client is not None:
            await client.stop()


def _release() -> str:
    major, minor, *_ = version("playwright").split(".")
    return f"{major}.{minor}"
