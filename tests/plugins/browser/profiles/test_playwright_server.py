"""Driver `playwright`: a real server of Playwright's, which launches Chromium for strap."""

import asyncio
import os
import signal

import pytest

from strap import StartupError, testing
from tests.support.playwright_server import playwright_server
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def address(tmp_path_factory, anyio_backend):
    async with playwright_server(tmp_path_factory.mktemp("server")) as (address, _):
        yield address


@pytest.fixture
async def server_of_its_own(tmp_path):
    async with playwright_server(tmp_path) as started:
        yield started


def server(address, **more):
    return {"grid": {"driver": "playwright", "playwright_url": address} | more}


async def test_pages_are_driven_by_the_same_engine(open_web, caller, shop, address):
    async with open_web(profiles=server(address)) as web:
        call = caller(web, "grid")
        (entry,) = (await call.result("status")).data["profiles"]
        assert (entry["driver"], entry["running"]) == ("playwright", True)
        assert entry["guard"] == "navigations only"
        assert "Page" in await call("navigate", url=shop)
        shown = await call.until("In the frame")
        assert 'textbox "Name"' in shown
        await call("fill", selector="[aria-label=Name]", text="Ada")
        assert await call.run("document.querySelector('[aria-label=Name]').value") == "Ada"
        answer = await call("click", selector="text=Press")
        assert "Pressed" in answer
        assert "boom" in answer
        assert "Hit" in await call("click", selector="iframe >> button")
        assert "A confirm dialog is open: 'Sure?'" in await call("click", selector="text=Ask")
        await call("dialog", value="accept")
        assert await call.run("document.title") == "true"
        assert "GET 200" in await call("network")
        assert (await call.result("screenshot")).images
        assert "t2" in await call("click", selector="text=New window")
        assert "Second" in await call("snapshot", target_id="t2")
        assert "Closed 2 pages" in await call("close")


async def test_downloads(open_web, caller, shop, address, home):
    async with open_web(profiles=server(address)) as web:
        call = caller(web, "grid")
        await call("navigate", url=shop)
        await call("click", selector="text=Get")

        async def saved():
            return "(50 bytes)" in await call("downloads")

        await eventually(saved)
        assert (home / "outputs" / "downloads" / "a.txt").stat().st_size == 50


async def test_it_begins_without_cookies(open_web, caller, shop, address):
    for _ in range(2):
        async with open_web(profiles=server(address, viewport=[700, 400])) as web:
            call = caller(web, "grid")
            await call("navigate", url=shop)
            assert await call.run("[document.cookie, innerWidth]") == ["", 700]
            await call.run("document.cookie = 'a=b'")


async def test_the_agent_is_refused_by_name(open_web, address):
    async with open_web(profiles=server(address), model="openai/x", model_key="x") as web:
        task = {"action": "eval", "url": "http://127.0.0.1:1/", "task": "look", "profile": "grid"}
        answer = await web(resource="browser", **task)
        assert "eval does not work in profile 'grid'" in answer.data["summary"]


async def test_where_nothing_answers(open_web):
    async with open_web(profiles=server("ws://127.0.0.1:1/x")) as web:
        error = await web.fails(resource="browser", action="launch", profile="grid")
        assert str(error).startswith("Cannot launch the browser of profile 'grid'")
        assert "playwright launch-server" in str(error)


async def test_a_server_that_ends(open_web, caller, shop, server_of_its_own):
    address, process = server_of_its_own
    async with open_web(profiles=server(address)) as web:
        call = caller(web, "grid")
        await call("navigate", url=shop)
        waiting = asyncio.ensure_future(call.fails("wait", text="never", timeout=20))
        await asyncio.sleep(0.5)
        os.killpg(process.pid, signal.SIGKILL)
        assert (await waiting).code == "page_lost"

        async def running():
            return (await call.result("status")).data["profiles"][0]["running"]

        await becomes(running, False)
        error = await call.fails("navigate", url=shop)
        assert error.code in ("not_running", "not_launchable")


async def test_what_is_no_such_server_is_told(open_web, serve_site):
    site = serve_site({"/": "<title>No server</title>"})
    there = str(site).replace("http", "ws")
    async with open_web(profiles=server(there)) as web:
        error = await web.fails(resource="browser", action="launch", profile="grid")
        assert error.code == "connect"
        assert "gave no Chromium" in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "'playwright_url' is missing"),
        ({"playwright_url": "http://a:1"}, "profiles.grid.playwright_url.*must be like"),
        ({"playwright_url": ""}, "profiles.grid.playwright_url.*must be like"),
        ({"playwright_url": "ws://a:1", "cdp_url": "ws://a:1"}, "'cdp_url' does not go with"),
    ],
)
async def test_bad_settings_are_named(tmp_path, table, said):
    profiles = {"grid": {"driver": "playwright"} | table}
    with pytest.raises(StartupError, match=said):
        async with testing.router(home=tmp_path, plugins={"browser": {"profiles": profiles}}):
            pass
