"""The browser agent at work in the user's own Chrome."""

import asyncio

import pytest

from strap_browser.relay import hosting
from strap_browser.relay.pairing import Pairing
from tests.plugins.browser.relay import scripted
from tests.plugins.browser.relay.club import ROUTES, visit
from tests.plugins.browser.runs.lab import laboratory

pytestmark = pytest.mark.anyio


async def test_a_run_has_the_users_logins_and_leaves_the_tabs_alone(
    home, unused_port, chromium, serve_site, monkeypatch
):
    site = serve_site(ROUTES)
    monkeypatch.setattr(hosting, "extension_id", lambda: scripted.ID)
    secret = Pairing(home).renew()
    async with laboratory(home, site, relay_port=unused_port) as lab:
        launch = {"resource": "browser", "action": "launch", "profile": "chrome"}
        launched = asyncio.create_task(lab.web(**launch))
        async with scripted.extension(unused_port, secret, chromium) as extension:
            await launched
            number = await extension.grant(f"{site}/login")
            await visit(lab, site)
            for _ in range(200):  # its own tabs are closed
                if list(extension.tabs) == [number]:
                    break
                await asyncio.sleep(0.02)
            assert list(extension.tabs) == [number]
            assert extension.tabs[number]["url"] == f"{site}/login"
