"""Limits on pages and on the memory of browsers: what nobody uses goes, no more are opened."""

import asyncio
import time

import pytest

from strap import StrapError
from strap_browser.chromium.memory import weigh
from strap_browser.pages import memory
from tests.plugins.browser.lifecycle.machine import browser_pid
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
MB = 1024 * 1024
FILL = "(mb => { window.kept = new Uint8Array(mb << 20).fill(7); return 1 })"
MORE = 600
"""MB that a page takes of a sudden; what a browser takes by itself varies by far less."""


@pytest.fixture
def site(serve_site):
    return serve_site({"/": "<title>Home</title>", "/pop": "<title>Pop</title>"})


async def fails(web, action, *, within, but=""):
    """Call until there is an error, and none with the code `but`."""
    ends = time.monotonic() + within
    while time.monotonic() < ends:
        await asyncio.sleep(0.1)
        try:
            await web(resource="browser", action=action, session="a")
        except StrapError as error:
            if error.code != but:
                return error
    raise AssertionError(web.transcript)


def weight(home):
    return weigh((home / "profiles", home / "work"))


@pytest.fixture
async def usual(open_web, site, home):
    """Return the weight of a browser with two pages, in MB."""
    async with open_web(auto_launch=True) as web:
        for session in ("a", "b"):
            await web(resource="browser", action="navigate", url=site, session=session)
        found = weight(home)
        assert found.browsers == 1
        assert browser_pid(home)
        most = found.size
        for _ in range(10):  # it grows for a while
            await asyncio.sleep(0.2)
            most = max(most, weight(home).size)
    assert weight(home) == (0, 0)
    return most // MB


async def test_pages_that_nobody_uses_make_room_and_say_so(
    open_web, site, home, usual, monkeypatch
):
    monkeypatch.setattr(memory, "IDLE", 4.0)
    monkeypatch.setattr(memory, "INTERVAL", 0.2)
    limit = int((usual + MORE / 2) / memory.NEARLY)
    async with open_web(auto_launch=True, max_memory_mb=limit) as web:

        async def call(action, session, **fields):
            return await web(resource="browser", action=action, session=session, **fields)

        for session in ("a", "b"):
            await call("navigate", session, url=site)
        await call("evaluate", "a", text="document.cookie = 'kept=1'; 1")
        await call("evaluate", "a", text=f"setTimeout(() => {FILL}({MORE}), 500); 1")

        sizes = []

        async def keeps_b_busy():
            await call("text", "b")
            sizes.append(weight(home).size // MB)
            return sizes[-1] < usual + MORE / 2 < max(sizes)

        await eventually(keeps_b_busy)
        error = await fails(web, "snapshot", within=10, but="busy")  # until it is looked again
        assert error.code == "page_lost"
        assert "was closed: the browsers took too much memory." in str(error)
        await call("navigate", "a", url=site)
        told = await call("evaluate", "a", text="document.cookie")
        assert "kept=1" in told.text
        assert "Home" in (await call("snapshot", "b")).text


async def test_above_it_no_page_is_opened(open_web, site, home, usual, monkeypatch):
    monkeypatch.setattr(memory, "INTERVAL", 0.2)
    async with open_web(auto_launch=True, max_memory_mb=usual + MORE // 2) as web:
        await web(resource="browser", action="navigate", url=site, session="a")
        fill = f"{FILL}({MORE})"
        await web(resource="browser", action="evaluate", session="a", text=fill)
        refused = await fails(web, "new_page", within=20)
        assert (refused.code, refused.retryable) == ("busy", True)
        assert f"of the {usual + MORE // 2} that they may" in str(refused)
        pop = f"open('{site}/pop'); 1"
        await web(resource="browser", action="evaluate", session="a", text=pop)

        async def told():
            answer = await web(resource="browser", action="text", session="a")
            return "A new page was closed at once: The browsers take" in answer.text

        await eventually(told)
        run = {"task": "Look.", "url": str(site)}
        answer = await web(resource="browser", action="eval", session="a", **run)
        assert "The browsers take" in answer.text


async def test_a_browser_of_another_folder_does_not_count(open_web, site, home, tmp_path):
    async with open_web(auto_launch=True) as web:
        await web(resource="browser", action="navigate", url=site)
        assert weight(home).size > 50 * MB
        assert weight(tmp_path / "other") == (0, 0)


async def test_no_more_pages_are_opened_than_there_may_be(open_web, site):
    async with open_web(auto_launch=True, max_pages=2) as web:
        for session in ("a", "b"):
            await web(resource="browser", action="navigate", url=site, session=session)
        refused = await web.fails(resource="browser", action="navigate", url=site, session="c")
        assert (refused.code, refused.retryable) == ("busy", True)
        assert "2 pages are open in profile 'nebo', which is the limit." in str(refused)
        await web(resource="browser", action="close_page", session="a")
        await web(resource="browser", action="navigate", url=site, session="c")
        assert "Home" in (await web(resource="browser", action="text", session="b")).text
