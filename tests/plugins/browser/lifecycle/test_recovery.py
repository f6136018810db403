"""Crashes, endless loops and killed processes: one clear answer, and the next call works."""

import asyncio
import os
import signal

import pytest

from tests.plugins.browser.lifecycle.machine import (
    browser_pid,
    gone,
    litter,
    socket_directory,
)
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

ENDLESS = "void setTimeout(() => { while (true); })"


@pytest.fixture
def home(common_home):
    return common_home


@pytest.fixture
def web(newcomer):
    return newcomer


@pytest.fixture
def site(serve_site):
    return serve_site({"/": "<title>Home</title>"})


@pytest.fixture
async def started(browse, site):
    await browse("launch")
    await browse("visit", url=site)


async def test_a_killed_browser_is_started_again_and_the_answer_says_so(
    browse, fails, home, site, started
):
    pid = browser_pid(home)
    os.kill(pid, signal.SIGKILL)
    await gone(home, pid)
    error = await fails("run", text="1")
    assert str(error) == (
        f"The browser of profile 'nebo' had ended and was started again; the page {site}/ was lost."
        " A blank page took its place: navigate again."
    )
    assert (await browse("run", text="location.href")).text == "about:blank"
    assert (await browse("visit", url=site)).text.endswith("\nHome")


async def test_navigating_after_a_crash_needs_no_second_call(browse, home, site, started):
    await browse("another")
    pid = browser_pid(home)
    os.kill(pid, signal.SIGKILL)
    await gone(home, pid)
    (news,) = (await browse("visit", url=site)).data
    assert news == (
        "The browser of profile 'nebo' had ended and was started again; "
        "the page about:blank and 1 more were lost."
    )
    assert (await browse("status")).data["profiles"][0]["page_count"] == 1


async def test_pages_that_opened_before_the_end_are_not_told_as_new(browse, home, site, started):
    await browse("visit", url=site)
    await browse("run", text="for (let n = 0; n < 2; n++) window.open('/?' + n); 0")
    await eventually(lambda: pages_of(browse, 3))
    os.kill(pid := browser_pid(home), signal.SIGKILL)
    await gone(home, pid)
    (news,) = (await browse("visit", url=site)).data
    assert "and 2 more were lost." in news


async def pages_of(browse, number):
    """Whether there are so many pages."""
    return (await browse("status")).data["profiles"][0]["page_count"] == number


async def test_a_browser_killed_during_a_call_ends_the_call(browse, fails, home, site, started):
    call = asyncio.create_task(fails("run", text="new Promise(() => {})"))
    await asyncio.sleep(0.3)
    os.kill(browser_pid(home), signal.SIGKILL)
    error = await call
    assert str(error) == "The browser ended during the call. Call again: it is started again."
    assert (await browse("visit", url=site)).text.split("\n")[1] == "Home"


@pytest.mark.whole_browser
async def test_status_and_launch_after_a_crash(web, browse, home, started):
    link = web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]._connection
    pid, temporary = browser_pid(home), socket_directory(home)
    assert temporary.is_dir()
    os.kill(pid, signal.SIGKILL)
    await gone(home, pid)

    async def noticed():
        return not (await browse("status", profile="nebo")).data["profiles"][0]["running"]

    await eventually(noticed)
    assert link.pages(link.context) == []  # for a call that does not know yet
    assert litter(home) == []
    assert not temporary.exists()
    (entry,) = (await browse("launch")).data["profiles"]
    assert entry["running"] is True


async def test_a_crashed_page_is_replaced(browse, fails, site, started):
    await fails("visit", url="chrome://crash")
    error = await fails("run", text="1")
    assert str(error) == (f"The page {site}/ crashed. A blank page took its place: navigate again.")
    assert (await browse("visit", url=site)).text.endswith("\nHome")


async def test_an_endless_loop_costs_one_call_its_deadline(browse, fails, site, started):
    await browse("run", text="document.cookie = 'short=1'")
    await browse("run", text=ENDLESS)
    error = await fails("run", text="1", timeout=0.5)
    assert error.code == "timeout"
    visited = await browse("visit", url=site)
    assert visited.text.split("\n")[1] == "Home"
    assert visited.data == [f"The page {site}/ hung and was closed."]
    assert (await browse("run", text="document.cookie")).text == "short=1"


async def test_other_pages_work_while_one_hangs(browse, fails, site, started):
    await browse("run", text=ENDLESS)
    hanging = asyncio.create_task(fails("run", text="1", timeout=60))
    await asyncio.sleep(0.1)
    await browse("another")
    assert "(busy)" in (await browse("list_pages")).text
    assert not hanging.done()
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging


async def test_a_cancelled_call_leaves_a_healthy_page_alone(web, browse, site, started):
    call = asyncio.create_task(browse("run", text="new Promise(() => {})"))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await browse("run", text="document.title")).text == "Home"


async def test_close_during_a_call_ends_the_call(browse, fails, home, started):
    call = asyncio.create_task(fails("run", text="new Promise(() => {})"))
    await asyncio.sleep(0.2)
    pid = browser_pid(home)
    assert "stopped the browser" in (await browse("close")).text
    assert (await call).code == "page_lost"
    await gone(home, pid)
