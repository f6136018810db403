"""Playwright's driver process, and how it connects to browsers."""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from strap import ActionError, Environment
from strap_browser.content.script import install
from strap_browser.engine.endpoint import Endpoint
from strap_browser.engine.playwright.driver import start_driver
from strap_browser.engine.playwright.errors import Error

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

log = logging.getLogger(__name__)
CHECK_LIMIT = 2.0
"""Seconds in which the driver answers a question that touches no browser, if it lives."""
CONNECT_LIMIT = 10.0
"""Seconds to connect: a page that hangs keeps Playwright from it, and the call has 30 in all."""
END_LIMIT = 10.0
"""Seconds for the driver to end: it does so in 0.1, but not on a machine that is overloaded."""


class Connector:
    """Starts Playwright's driver when it is first needed, and connects to browsers with it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._starting: asyncio.Task[Playwright] | None = None
        self._lost: list[asyncio.Event] = []
        """What the driver sets when it ends: its connections do as well."""

    def prepare(self) -> None:
        """Begin to start the driver, for whom it will be needed soon."""
        if self._starting is None:
            self._lost = []
            starting = start_driver(self._environment, partial(_set_all, self._lost))
            self._starting = asyncio.create_task(starting, name="start playwright")

    async def connect(self, endpoint: Endpoint, engine: str, lost: asyncio.Event) -> "Browser":
        """Connect to a running browser; raises `ActionError` (code "connect").

        Its pages are asked by the selector engine of that name. `lost` is set when the connection
        has ended.
        """
        browser = await self._connect_anew(endpoint, engine)
        browser.on("disconnected", lambda _: lost.set())
        self._lost.append(lost)
        return browser

    async def _connect_anew(self, endpoint: Endpoint, engine: str) -> "Browser":
        """Connect, with another driver where that which there is has died."""
        try:
            return await self._connect(endpoint, engine)
        except Error as error:
            if not await self._driver_died():
                raise _refused(error) from None
        await self._stop()
        try:
            return await self._connect(endpoint, engine)
        except Error as error:
            raise _refused(error) from None

    async def aclose(self) -> None:
        """Stop the driver."""
        await self._stop()

    async def _connect(self, endpoint: Endpoint, engine: str) -> "Browser":
        self.prepare()
        assert self._starting is not None
        playwright = await asyncio.shield(self._starting)
        browser = await playwright.chromium.connect_over_cdp(
            endpoint.address,
            timeout=CONNECT_LIMIT * 1000,
            is_local=endpoint.local,
            artifacts_dir=endpoint.artifacts,
            headers=dict(endpoint.headers),
            # In the user's own browser nothing is set that was not asked for.
            no_defaults=endpoint.granted,
        )
        await install(playwright, engine)
        return browser

    async def _driver_died(self) -> bool:
        assert self._starting is not None
        try:
            playwright = await self._starting
            async with asyncio.timeout(CHECK_LIMIT):
                await (await playwright.request.new_context()).dispose()
        except (Error, TimeoutError):
            return True
        return False

    async def _stop(self) -> None:
        starting, self._starting = self._starting, None
        if starting is None:
            return
        # Not cancelled when the time is up: half-started, the driver would be nobody's.
        await asyncio.wait({asyncio.create_task(_end(starting))}, timeout=END_LIMIT)


async def _end(starting: "asyncio.Task[Playwright]") -> None:
    with suppress(Exception):
        await (await starting).stop()


def _set_all(events: list[asyncio.Event]) -> None:
    for event in events:
        event.set()


def _refused(error: Exception) -> ActionError:
    log.info("Connecting failed: %s", error)
    return ActionError(
        f"The browser did not accept a connection within {CONNECT_LIMIT:g} s.",
        hint="A page in it may hang: `close` the profile and `launch` it again.",
        code="connect",
        retryable=True,
    )
