"""The profile `chrome` as callers see it: the tabs that the user granted, and nothing else."""

import asyncio
import json

import pytest

from strap_browser.relay import hosting
from strap_browser.relay.pairing import Pairing
from tests.plugins.browser.relay import scripted

pytestmark = pytest.mark.anyio
FORM = """<title>Form</title><label>Name <input></label>
<button onclick="document.querySelector('p').textContent = 'Hello ' + \
document.querySelector('input').value">Greet</button><p></p>"""


@pytest.fixture(autouse=True)
def known_extension(monkeypatch):
    monkeypatch.setattr(hosting, "extension_id", lambda: scripted.ID)


@pytest.fixture
def pairing(home):
    made = Pairing(home)
    made.renew()
    return made


@pytest.fixture
async def web(open_web, pairing, unused_port):
    async with open_web(relay_port=unused_port) as opened:
        yield opened


@pytest.fixture
async def chrome(web, pairing, unused_port, chromium):
    """The scripted extension, connected to the relay that strap hosts."""
    launched = asyncio.create_task(web(resource="browser", action="launch", profile="chrome"))
    async with scripted.extension(unused_port, pairing.read(), chromium) as made:
        await launched
        yield made


@pytest.fixture
def browse(web):
    async def call(action, **arguments):
        return (await web(resource="browser", action=action, profile="chrome", **arguments)).text

    return call


async def status(browse, **expected):
    """The profile's status, as soon as it is as expected."""
    for _ in range(200):
        (entry,) = json.loads(await browse("status"))["profiles"]
        if all(entry[name] == value for name, value in expected.items()):
            break
        await asyncio.sleep(0.02)
    assert {name: entry[name] for name in expected} == expected
    return entry


async def pages(browse, number):
    """The list of pages, as soon as there are so many."""
    for _ in range(200):
        listed = await browse("list_pages")
        if listed.count("\nt") + listed.startswith("t") == number:
            break
        await asyncio.sleep(0.02)
    return listed


async def test_granted_tabs_are_listed_and_driven(browse, chrome, serve_site):
    site = serve_site({"/form": FORM, "/other": "<title>Other</title>"})
    await chrome.grant(f"{site}/other")
    await chrome.grant(f"{site}/form")
    entry = await status(browse, page_count=2)
    assert entry["running"]
    assert entry["extension_connected"]
    listed = dict(line.split(" ", 1) for line in (await pages(browse, 2)).splitlines())
    form = next(page for page, line in listed.items() if line.endswith("/form Form"))
    assert set(listed) == {"t1", "t2"}
    assert set(listed.values()) == {f"{site}/form Form", f"{site}/other Other"}
    assert "Filled" in await browse("fill", target_id=form, selector="input", value="Ada")
    assert "Clicked" in await browse("click", selector="button")
    assert "Hello Ada" in await browse("text")
    assert "Disconnected" in await browse("close")
