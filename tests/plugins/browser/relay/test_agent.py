"""The browser agent at work in the user's own Chrome."""

import asyncio
import json

import pytest

from strap_browser.relay import hosting
from strap_browser.relay.pairing import Pairing
from tests.plugins.browser.relay import scripted
from tests.plugins.browser.runs.lab import click, laboratory
from tests.site.model import act, done
from tests.site.server import Reply

pytestmark = pytest.mark.anyio


async def test_a_run_has_the_users_logins_and_leaves_the_tabs_alone(
    home, unused_port, chromium, serve_site, monkeypatch
):
    def club(request):
        return f"<title>Club</title><h1>{request.headers.get('cookie', 'nobody')}</h1>"

    site = serve_site({
        "/login": Reply(headers={"Set-Cookie": "member=ada"}, body="<title>In</title>Hello"),
        "/": '<title>Door</title><a href="/club">Club</a>',
        "/club": club,
    })  # fmt: skip
    monkeypatch.setattr(hosting, "extension_id", lambda: scripted.ID)
    secret = Pairing(home).renew()
    async with laboratory(home, site, relay_port=unused_port) as lab:
        launch = {"resource": "browser", "action": "launch", "profile": "chrome"}
        launched = asyncio.create_task(lab.web(**launch))
        async with scripted.extension(unused_port, secret, chromium) as extension:
            await launched
            number = await extension.grant(f"{site}/login")
            result = await lab.raw(
                click("Club"),
                act("navigate", url=f"{site}/club", new_tab=True),
                done("ok"),
                profile="chrome",
            )
            answer = json.loads(result.text)
            assert (answer["status"], answer["result"]) == ("success", "ok"), answer
            assert answer["artifacts"]["screenshots"] >= 2
            seen = str([body["messages"] for body in lab.model.asked])
            assert "member=ada" in seen
            assert "/login" not in seen
            for _ in range(200):  # its own tabs are closed
                if list(extension.tabs) == [number]:
                    break
                await asyncio.sleep(0.02)
            assert list(extension.tabs) == [number]
            assert extension.tabs[number]["url"] == f"{site}/login"
