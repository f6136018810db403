"""Processes that die and a disk that is full: one clear answer, and nothing is left behind."""

import asyncio
import os
import shutil
import signal
import threading
from contextlib import contextmanager, suppress

import pytest

from strap import testing
from tests.mcp.conversation import call, text_of
from tests.plugins.browser.lifecycle.machine import (
    browser_pid,
    gone,
    litter,
    renderers,
)
from tests.site.server import Reply
from tests.soak.test_soak import Server
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.processes import descendants
from tests.support.processes import gone as all_gone
from tests.support.small_disk import fill, make_room, small_disk_in
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
FOREVER = "new Promise(() => {})"


@pytest.fixture
def site(serve_site):
    return serve_site({"/": "<title>Home</title>", "/two": "<title>Two</title>"})


@pytest.fixture
async def started(browse, site):
    await browse("launch")
    await browse("visit", url=site)


async def test_a_killed_renderer_costs_its_page_and_ends_a_call(browse, fails, home, site, started):
    for pid in renderers(home):
        os.kill(pid, signal.SIGKILL)
    error = await fails("run", text="1", timeout=10)
    assert error.code == "page_lost"
    assert f"The page {site}/ crashed." in str(error) or "closed during the call" in str(error)
    visited = await browse("visit", url=f"{site}/two")
    assert visited.text.startswith("t1\nTwo")
    pending = asyncio.create_task(fails("run", text=FOREVER, timeout=20))
    await asyncio.sleep(0.3)
    for pid in renderers(home):
        os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(10):
        error = await pending
    assert error.code == "page_lost"
    assert "Home" in (await browse("visit", url=site)).text


def test_a_renderer_killed_during_a_script_ends_the_call(tmp_path, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    with Server(tmp_path) as server:
        server.web(resource="browser", action="launch")
        server.web(resource="browser", action="navigate", url=str(site))
        server.web(resource="browser", action="evaluate", text="1")
        server.send(call(2, resource="browser", action="evaluate", text=FOREVER, timeout=20))
        threading.Event().wait(0.5)
        for pid in renderers(tmp_path):
            os.kill(pid, signal.SIGKILL)
        answer = server.receive()
        assert answer["result"]["isError"]
        assert f"The page {site}/ crashed." in text_of(answer)
        assert "Home" in server.web(resource="browser", action="navigate", url=str(site))


def test_a_browser_that_does_not_end_by_itself_is_ended_in_time(tmp_path):
    with Server(tmp_path) as server:
        server.web(resource="browser", action="launch")
        server.web(resource="browser", action="snapshot")
        started = descendants(server.process.pid)
        stopped = browser_pid(tmp_path / "data")
        os.kill(stopped, signal.SIGSTOP)
        try:
            assert server.ends_well()
        finally:
            with suppress(ProcessLookupError):
                os.kill(stopped, signal.SIGCONT)
        assert all_gone(*started)
    assert litter(tmp_path / "data") == []


@contextmanager
def busy_server(home, site):
    """A real server in the middle of a navigation that never ends."""
    with Server(home) as server:
        server.web(resource="browser", action="launch")
        server.send(call(2, resource="browser", action="navigate", url=f"{site}/silent"))
        yield server


@pytest.mark.soak
def test_a_server_that_ends_in_the_middle_of_a_navigation(tmp_path, serve_site):
    asked, release = threading.Event(), threading.Event()

    def silent(request):
        asked.set()
        release.wait(30)
        return ""

    site = serve_site({"/": "<title>Home</title>", "/silent": silent})
    for end in ("eof", signal.SIGTERM, signal.SIGKILL):  # each after the one before
        asked.clear()
        release.clear()
        with busy_server(tmp_path, site) as server:
            assert asked.wait(30)
            started = descendants(server.process.pid)
            assert len(started) > 3
            if end == "eof":  # the client is gone
                server.process.stdin.close()
            else:
                server.process.send_signal(end)
            server.process.wait(30)
            release.set()
            assert all_gone(*started), end
            # No lock; the record of a process that is gone counts for nothing, and nobody is
            # there to take it away.
            record = {"running.json"} if end == signal.SIGKILL else set()
            assert set(litter(tmp_path / "data")) <= record, end
    with Server(tmp_path) as after:
        after.web(resource="browser", action="launch")
        assert "Home" in after.web(resource="browser", action="navigate", url=f"{site}/")


@pytest.fixture
def small_disk(tmp_path):
    with small_disk_in(tmp_path) as place:
        yield place


def open_on(folder):
    plugins = {"browser": SETTINGS}
    return testing.router(home=folder / "home", network="local", plugins=plugins)


@pytest.mark.skipif(shutil.which("mount") is None, reason="no mount here")
async def test_a_disk_that_is_full_when_the_browser_starts(small_disk, site):
    fill(small_disk)
    async with open_on(small_disk) as web:
        error = await web.fails(resource="browser", action="launch")
        assert error.code == "home"
        assert "STRAP_HOME" in error.hint
        await gone(small_disk)
        make_room(small_disk)
        await web(resource="browser", action="launch")
        opened = await web(resource="browser", action="navigate", url=site)
        assert "Home" in opened.text
        await web(resource="browser", action="close")
    await gone(small_disk)


@pytest.mark.skipif(shutil.which("mount") is None, reason="no mount here")
async def test_a_disk_that_fills_while_the_browser_runs(small_disk, serve_site):
    file = Reply(headers={"Content-Disposition": 'attachment; filename="a"'}, body="x" * 500_000)
    site = serve_site({"/": "<title>Home</title><a href=/a>Get</a>", "/a": file})
    async with open_on(small_disk) as web:
        browse = Caller(web).result
        await browse("launch")
        await browse("navigate", url=site)
        fill(small_disk)
        assert "Home" in (await browse("navigate", url=f"{site}/?again")).text
        for action, fields in (
            ("screenshot", {"output": "page.jpg"}),
            ("pdf", {"output": "page.pdf"}),
            ("setup_state", {"state_id": "full"}),
        ):
            error = await web.fails(resource="browser", action=action, **fields)
            assert error.code != "internal", (action, error)
            assert "No space left" in str(error), (action, error)
        await browse("click", selector="a")

        async def failed():
            return "failed" in (await browse("downloads")).text

        await eventually(failed)
        make_room(small_disk)
        await browse("screenshot", output="page.jpg")
        assert "Home" in (await browse("navigate", url=site)).text
        assert "stopped" in (await browse("close")).text
    outputs = small_disk / "home" / "outputs"
    assert [path.name for path in outputs.rglob("*") if path.is_file()] == ["page.jpg"]
    assert litter(small_disk / "home") == []
