"""Playwright drives real pages through the relay."""

import pytest

pytestmark = pytest.mark.anyio


async def test_playwright_sees_the_granted_tabs_and_works_in_them(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title><button onclick=\"this.textContent='Yes'\">No"})
    await extension.grant(f"{site}/")
    browser = await connect()
    (page,) = browser.contexts[0].pages
    assert await page.title() == "Home"
    await page.click("button")
    assert await page.inner_text("button") == "Yes"
