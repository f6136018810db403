"""Answers without a browser: status, and the errors that name the next call."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.anyio

NOT_RUNNING = (
    "Browser not running for profile 'nebo'. "
    'Use `web(resource: browser, action: launch, profile: "nebo")` to start it.'
)
NEBO = {
    "name": "nebo",
    "driver": "nebo",
    "running": False,
    "page_count": 0,
    "cdp_url": "http://127.0.0.1:9222",
}
CHROME = {
    "name": "chrome",
    "driver": "extension",
    "running": False,
    "extension_connected": False,
    "page_count": 0,
    "cdp_url": "ws://127.0.0.1:27895/relay/cdp",
}


async def test_status_has_the_documented_shape_and_starts_nothing(browse, home):
    result = await browse("status")
    assert json.loads(result.text) == {"profiles": [NEBO, CHROME]}
    assert list(result.data["profiles"][1]) == list(CHROME)
    assert not home.exists()


async def test_status_of_one_profile_and_of_an_unknown_one(browse):
    assert (await browse("status", profile="chrome")).data == {"profiles": [CHROME]}
    for name in ("firefox", "no name", ""):
        (entry,) = (await browse("status", profile=name)).data["profiles"]
        assert entry["running"] is False
        assert entry["error"] == f"Unknown profile: {name!r} (valid: chrome, nebo)."


async def test_status_names_the_configured_port_and_profiles(open_web):
    settings = {"port": 9333, "profiles": {"work": {"driver": "nebo"}}}
    async with open_web(**settings) as web:
        profiles = (await web(resource="browser", action="status")).data["profiles"]
    assert [entry["name"] for entry in profiles] == ["nebo", "chrome", "work"]
    assert profiles[2]["cdp_url"] == "http://127.0.0.1:9333"


@pytest.mark.parametrize("action", ["visit", "run", "list_pages", "news", "another", "drop"])
async def test_a_page_action_names_the_call_that_starts_the_browser(action, fails, home):
    extra = {"visit": {"url": "http://127.0.0.1:1/"}, "run": {"text": "1"}}.get(action, {})
    assert str(await fails(action, **extra)) == NOT_RUNNING
    assert not home.exists()


async def test_chrome_is_never_launched_and_never_closed(browse, fails):
    assert str(await fails("launch", profile="chrome")) == (
        "Cannot launch the chrome profile — it connects via the Chrome extension. "
        "Ensure the Nebo extension is active in Chrome."
    )
    assert str(await fails("visit", profile="chrome", url="http://127.0.0.1:1/")).startswith(
        "Browser not running for profile 'chrome'."
    )
    closed = await browse("close", profile="chrome")
    assert closed.text == "The browser of profile 'chrome' is not running; nothing to close."


async def test_an_unknown_profile_is_the_callers_mistake(fails):
    error = await fails("launch", profile="firefox")
    assert str(error) == "Unknown profile: 'firefox' (valid: chrome, nebo)."
    assert "profile" in str(await fails("launch", profile="../etc"))


async def test_the_profile_left_out_is_that_of_the_last_call_that_worked(open_web):
    async with open_web(profiles={"work": {"driver": "nebo"}}) as web:
        await web(resource="browser", action="launch", profile="work")
        await web.fails(resource="browser", action="snapshot", profile="chrome")
        await web(resource="browser", action="close", profile="work")
        assert "'work'" in str(await web.fails(resource="browser", action="snapshot"))


async def test_a_missing_browser_names_the_command_that_installs_one(open_web, tmp_path):
    async with open_web(executable=str(tmp_path / "none")) as web:
        error = await web.fails(resource="browser", action="launch")
    assert error.code == "no_browser"
    assert "STRAP_BROWSER_PATH" in error.hint


async def test_a_browser_that_does_not_start_is_reported(open_web, tmp_path):
    broken = tmp_path / "chrome"
    broken.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    broken.chmod(0o755)
    async with open_web(executable=str(broken)) as web:
        error = await web.fails(resource="browser", action="launch")
        status = await web(resource="browser", action="status", profile="nebo")
    assert error.message == "The browser ended while it was starting."
    assert status.data["profiles"][0]["running"] is False


def test_listing_and_status_do_not_import_playwright(tmp_path):
    script = (
        "import asyncio, sys, strap\n"
        "async def main():\n"
        f"    async with strap.open_router(home={str(tmp_path)!r}) as web:\n"
        "        await web(resource='browser', action='status')\n"
        "asyncio.run(main())\n"
        "assert 'playwright.async_api' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_plugin_can_be_imported_where_there_is_no_fcntl():
    script = "import sys; sys.modules['fcntl'] = None; import strap_browser.plugin"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


async def test_a_call_that_fails_in_a_profile_leaves_the_others_where_they_were(
    browse, fails, serve_site
):
    await browse("launch")
    await browse("navigate", url=serve_site({"/": "<title>Home</title>"}))
    for action in ("launch", "snapshot", "list_pages", "new_page", "console", "navigate"):
        fields = {"url": "http://127.0.0.1/"} if action == "navigate" else {}
        await fails(action, profile="chrome", **fields)
        assert "Home" in (await browse("snapshot")).text, action
    await browse("status", profile="chrome")
    assert "Home" in (await browse("list_pages")).text
