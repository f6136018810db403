"""A Chromium that is reached in two ways: over its pipe, as strap does, and by Playwright."""

import pytest

from strap import Guard
from strap_browser.chromium.launch import start
from strap_browser.engine.browser_connection import BrowserConnection
from strap_browser.engine.endpoint import Endpoint
from strap_browser.settings.browser import BrowserSettings


@pytest.fixture(scope="module")
async def chromium(tmp_path_factory):
    started = await start(
        BrowserSettings(headless=True), tmp_path_factory.mktemp("chromium"), 0, Guard("all")
    )
    yield started.browser
    await started.stop()


@pytest.fixture(scope="module")
async def connection(chromium):
    endpoint = Endpoint(address=chromium.address, cdp=chromium.cdp, own=True)
    made = await BrowserConnection.open(endpoint)
    yield made
    await made.aclose()


@pytest.fixture(scope="module")
async def oracle(chromium):
    """Playwright's own view of the browser."""
    from playwright.async_api import async_playwright

    async with async_playwright() as made:
        browser = await made.chromium.connect_over_cdp(chromium.address)
        yield browser.contexts[0]
        await browser.close()
