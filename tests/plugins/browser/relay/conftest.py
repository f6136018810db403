"""A relay on a free port, a Chromium, and a scripted extension between them."""

from contextlib import AsyncExitStack

import pytest

from strap import Guard
from strap_browser.chromium.launch import start
from strap_browser.relay.access.pairing import Pairing, bearer
from strap_browser.relay.server import Relay
from strap_browser.settings.browser import BrowserSettings
from tests.plugins.browser.relay import scripted


@pytest.fixture(scope="module")
async def chromium(tmp_path_factory):
    """The address of a Chromium that all tests of a module share."""
    data = tmp_path_factory.mktemp("chromium")
    started = await start(BrowserSettings(headless=True), data, 0, Guard("all"))
    yield started.browser.address
    await started.stop()


@pytest.fixture
def pairing(tmp_path):
    made = Pairing(tmp_path / "home")
    made.renew()
    return made


@pytest.fixture
async def relay(pairing):
    made = Relay(pairing, scripted.ID, 0)
    await made.start()
    yield made
    await made.aclose()


@pytest.fixture
async def extension(relay, pairing, chromium):
    async with scripted.extension(relay.port, pairing.read(), chromium) as made:
        yield made


@pytest.fixture(scope="module")
async def playwright():
    from playwright.async_api import async_playwright

    async with async_playwright() as made:
        yield made


@pytest.fixture
async def connect(playwright, relay, pairing):
    """Connect Playwright to the relay, as strap does."""
    async with AsyncExitStack() as stack:

        async def opened():
            browser = await playwright.chromium.connect_over_cdp(
                f"ws://127.0.0.1:{relay.port}/relay/cdp",
                headers=bearer(pairing.read()),
                no_defaults=True,
                timeout=10_000,
            )
            stack.push_async_callback(browser.close)
            return browser

        yield opened
