"""The profile `chrome` as callers see it: the tabs that the user granted, and nothing else."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE

import pytest

from strap_browser.relay import host
from strap_browser.relay.access.pairing import Pairing
from tests.plugins.browser.relay import scripted
from tests.support.caller import Caller
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
FORM = """<title>Form</title><label>Name <input></label>
<button onclick="document.querySelector('p').textContent = 'Hello ' + \
document.querySelector('input').value">Greet</button><p></p>"""


@pytest.fixture(autouse=True)
def known_extension(monkeypatch):
    monkeypatch.setattr(host, "extension_id", lambda: scripted.ID)


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
    return Caller(web, profile="chrome")


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


async def newest(browse, number):
    """The id of the page that is listed last, as soon as there are so many."""
    return (await pages(browse, number)).splitlines()[-1].split()[0]


async def test_granted_tabs_are_listed_and_driven(browse, chrome, serve_site):
    site = serve_site({"/form": FORM, "/other": "<title>Other</title>"})
    await chrome.grant(f"{site}/other")
    await chrome.grant(f"{site}/form")
    entry = await status(browse, page_count=2)
    assert entry["running"]
    assert entry["extension_connected"]
    await pages(browse, 2)

    async def loaded():
        return {"Form", "Other"} <= set((await browse("list_pages")).split())

    await eventually(loaded)
    listed = dict(line.split(" ", 1) for line in (await browse("list_pages")).splitlines())
    form = next(page for page, line in listed.items() if line.endswith("/form Form"))
    assert set(listed) == {"t1", "t2"}
    assert set(listed.values()) == {f"{site}/form Form", f"{site}/other Other"}
    assert "Filled" in await browse("fill", target_id=form, selector="input", value="Ada")
    assert "Clicked" in await browse("click", selector="button")
    assert "Hello Ada" in await browse("text")
    assert "Disconnected" in await browse("close")


async def test_chrome_and_its_tabs_outlive_everything_strap_does(browse, chrome, serve_site, web):
    site = serve_site({"/": "<title>Mine</title>"})
    number = await chrome.grant(f"{site}/")
    await pages(browse, 1)
    assert "Mine" in await browse("evaluate", text="document.title")
    expected = "Disconnected from profile 'chrome': Chrome and its tabs stay open."
    assert await browse("close") == expected
    await web.router._lifespans["browser"]._ready.result()[0].end_session("local/local")
    assert list(chrome.tabs) == [number]
    assert "close" not in chrome.asked
    assert chrome.asked[-1] == "detach"
    assert "Mine" in await browse("evaluate", text="document.title")
    assert "connected" not in await status(browse, page_count=1)


async def test_without_a_granted_tab_only_new_pages_are_opened(browse, chrome, serve_site, web):
    site = serve_site({"/": "<title>New</title><p>Text"})
    for action in ("snapshot", "text", "console", "close_page", "click"):
        extra = {"selector": "p"} if action == "click" else {}
        error = await web.fails(resource="browser", action=action, profile="chrome", **extra)
        assert error.message == "No tab of Chrome is granted.", error
        assert "click strap's icon" in error.hint
    assert (await browse("list_pages")).startswith("No tab of Chrome is granted.")
    assert chrome.tabs == {}
    assert "New" in await browse("navigate", url=f"{site}/")
    assert chrome.asked.count("create") == 1
    assert "Closed page" in await browse("close_page")
    assert chrome.tabs == {}


async def test_a_tab_that_the_user_takes_back_is_told_of_once(browse, chrome, serve_site, web):
    site = serve_site({"/a": "<title>A</title>", "/b": "<title>B</title>"})
    await chrome.grant(f"{site}/a")
    await pages(browse, 1)
    second = await chrome.grant(f"{site}/b")
    page = await newest(browse, 2)
    assert "B" in await browse("evaluate", text="document.title", target_id=page)
    await chrome.revoke(second)
    await status(browse, page_count=1)
    error = await web.fails(
        resource="browser", action="evaluate", profile="chrome", text="document.title"
    )
    assert error.code == "page_lost"
    assert "A" in await browse("evaluate", text="document.title")


async def test_what_is_the_users_alone_is_refused_in_words(chrome, web, browse):
    await chrome.grant()
    await pages(browse, 1)
    for action, fields in (("downloads", {}), ("setup_state", {"state_id": "x"})):
        error = await web.fails(resource="browser", action=action, profile="chrome", **fields)
        assert error.code == "unsupported", action
        assert "the user's own Chrome" in error.message


async def test_a_page_that_hangs_is_not_closed(chrome, web, browse, serve_site):
    site = serve_site({"/": "<title>Loop</title>"})
    number = await chrome.grant(f"{site}/")
    await pages(browse, 1)
    loop = {"action": "evaluate", "text": "while (true);", "timeout": 1}
    await web.fails(resource="browser", profile="chrome", **loop)
    assert list(chrome.tabs) == [number]


async def test_callers_over_http_share_the_granted_tabs(chrome, web, browse, serve_site):
    site = serve_site({"/": "<title>Shared</title>"})
    await chrome.grant(f"{site}/")
    await pages(browse, 1)
    other = web.as_caller("other")
    title = {"resource": "browser", "action": "evaluate", "text": "document.title"}

    async def loaded():
        return "Shared" in (await other(profile="chrome", **title)).text

    await eventually(loaded)  # the tab is granted while it is on its way
    assert "Shared" in await browse("evaluate", text="document.title")


@pytest.fixture
async def other_host(home, pairing, unused_port):
    """Another process of strap, which came first."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.relay_host", str(home), str(unused_port),
        scripted.ID,
        stdout=PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(60):
            assert await process.stdout.readline() == b"listening\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_when_the_hosting_process_is_killed_another_takes_over(
    other_host, web, browse, pairing, unused_port, chromium, serve_site
):
    site = serve_site({"/": "<title>Still here</title>"})
    async with scripted.extension(unused_port, pairing.read(), chromium) as first:
        await first.grant(f"{site}/")
        await browse("launch")
        await pages(browse, 1)
        assert "Still here" in await browse("evaluate", text="document.title")
        other_host.kill()
        await other_host.wait()
        await asyncio.wait_for(first.ended.wait(), 10)
        tabs = first.tabs
    killed = asyncio.get_running_loop().time()
    async with scripted.extension(unused_port, pairing.read(), chromium) as second:
        assert asyncio.get_running_loop().time() - killed < 10
        for tab in tabs.values():
            tab.pop("session", None)
            second.tabs[tab["tabId"]] = tab
            second.say({"type": "granted", "tab": tab})
        await pages(browse, 1)
        assert "Still here" in await browse("evaluate", text="document.title")
