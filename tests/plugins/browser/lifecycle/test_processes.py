"""Several strap processes on one profile, and what is left when one of them is killed."""

import asyncio
import json
import os
import signal
import sys
from contextlib import asynccontextmanager

import pytest

from strap import ActionError, Guard
from strap_browser.chromium.launch import start
from strap_browser.settings.browser import BrowserSettings
from tests.plugins.browser.lifecycle.machine import (
    TRACES,
    browser_pid,
    gone,
    litter,
    socket_directory,
    tree,
)
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


class Child:
    """A strap process, driven through its standard input."""

    def __init__(self, process):
        self.process = process

    async def __call__(self, action, **arguments):
        line = json.dumps({"action": action, **arguments}) + "\n"
        self.process.stdin.write(line.encode())
        async with asyncio.timeout(60):
            return json.loads(await self.process.stdout.readline())

    async def end(self):
        """End it with the end of its input."""
        self.process.stdin.close()
        async with asyncio.timeout(40):
            await self.process.wait()

    async def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        async with asyncio.timeout(40):
            await self.process.wait()


@asynccontextmanager
async def strap_process(home, **flags):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.plugins.browser.lifecycle.child",
        str(home),
        json.dumps(flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process.stdin.close()
        process._transport.close()


@pytest.fixture
def site(serve_site):
    return serve_site({"/": "<title>Home</title>", "/two": "<title>Two</title>"})


@pytest.mark.whole_browser
async def test_a_killed_process_leaves_no_browser_and_no_lock(home, browse, site):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        async with strap_process(home) as other:
            await other("launch")  # on what the one before has left
            assert await other("visit", url=site) == "t1\nHome"
            pid, temporary = browser_pid(home), socket_directory(home)
            await other.kill(number)
        await gone(home, pid), number
        assert not temporary.exists(), number
        assert (await browse("status")).data["profiles"][0]["running"] is False
    await browse("launch")
    assert (await browse("visit", url=site)).text == "t1\nHome"


async def test_a_process_killed_while_it_launches_leaves_nothing(home):
    async with strap_process(home) as other:
        launching = asyncio.create_task(other("launch"))

        async def begun():
            return bool(tree(home / "profiles"))

        await eventually(begun)
        await other.kill()
        with pytest.raises(ValueError, match="Expecting value"):
            await launching
    await gone(home / "profiles")


async def test_a_second_process_joins_with_pages_of_its_own(home, browse, site):
    await browse("launch")
    await browse("visit", url=site)
    pid = browser_pid(home)
    async with strap_process(home) as other:
        status = json.loads(await other("status", profile="nebo"))["profiles"][0]
        assert (status["running"], status["connected"], status["page_count"]) == (True, False, 0)
        assert status["cdp_url"] == (await browse("status")).data["profiles"][0]["cdp_url"]
        assert await other("list_pages") == "No pages. Open one with navigate."
        assert await other("visit", url=f"{site}/two") == "t1\nTwo"
        assert await other("list_pages") == f"t1 (current) {site}/two Two"
        assert (await browse("list_pages")).text == f"t1 (current) {site}/ Home"
        assert browser_pid(home) == pid
        await dialogs_are_answered_by_their_own(browse, other)
        assert await other("close") == (
            "Closed 1 page. The browser of profile 'nebo' keeps running: "
            "it belongs to another process."
        )
        assert (await browse("run", text="document.title")).text == "Home"
        assert await other("visit", url=site) == "t2\nHome"
        assert (await browse("close")).text == (
            "Closed 1 page. The browser of profile 'nebo' keeps running: another process uses it."
        )
        assert await other("run", text="document.title") == "Home"
        await other.end()
    assert "stopped" in (await browse("close")).text
    await gone(home, pid)
    assert litter(home) == []


async def dialogs_are_answered_by_their_own(browse, other):
    assert (await browse("run", text="window.yes = confirm('sure?')")).data == [
        "A confirm dialog is open: 'sure?'. Answer it with `dialog`."
    ]
    assert await other("run", text="document.title") == "Two"
    assert (await browse("reply", text="")).text == "confirm"
    assert (await browse("run", text="window.yes")).text == "True"


@pytest.mark.parametrize("end", [Child.kill, pytest.param(Child.end, marks=pytest.mark.soak)])
async def test_when_the_owner_ends_the_others_start_the_browser_again(home, end, browse, site):
    async with strap_process(home) as owner:
        await owner("launch")
        first = browser_pid(home)
        await browse("visit", url=site)
        await end(owner)
    await gone(home, first)
    try:
        news = (await browse("visit", url=site)).data
    except ActionError:  # the end of the connection was only noticed by this call
        news = (await browse("visit", url=site)).data
    assert news == [
        f"The browser of profile 'nebo' had ended and was started again; the page {site}/ was lost."
    ]
    assert browser_pid(home) != first
    await browse("close")
    assert litter(home) == []


async def test_processes_that_launch_at_the_same_moment_share_one_browser(home, site):
    async with strap_process(home) as one, strap_process(home) as two, strap_process(home) as three:
        answers = await asyncio.gather(*(child("launch") for child in (one, two, three)))
        assert len(set(answers)) == 1
        visits = await asyncio.gather(*(child("visit", url=site) for child in (one, two, three)))
        assert visits == ["t1\nHome"] * 3
        for child in (one, two, three):
            assert await child("list_pages") == f"t1 (current) {site}/ Home"


async def test_a_lock_of_a_dead_browser_is_removed(home, browse):
    data = home / "profiles" / "nebo" / "user-data"
    data.mkdir(parents=True)
    (data / "SingletonLock").symlink_to("another-machine-4711")
    (data / "SingletonSocket").symlink_to(home / "gone" / "SingletonSocket")
    record = {"address": "ws://127.0.0.1:9/devtools/browser/x", "pid": 4711}
    record |= {"owner": 4712, "headless": True}
    (data.parent / "running.json").write_text(json.dumps(record))
    (entry,) = (await browse("launch")).data["profiles"]
    assert entry["running"] is True
    await browse("close")
    assert litter(home) == []


async def test_a_browser_that_is_killed_while_it_quits_leaves_nothing(tmp_path):
    """A browser that quits removes the links to the folder of its socket, and then the folder."""
    started = await start(BrowserSettings(headless=True), tmp_path, 0, Guard("all"))
    folder = (tmp_path / "SingletonSocket").readlink().parent
    os.kill(started.browser.pid, signal.SIGSTOP)  # in the middle of it, as here
    for name in TRACES:
        (tmp_path / name).unlink()
    await started.stop(0)
    assert not folder.exists()


async def test_a_broken_record_is_ignored(home, browse):
    (home / "profiles" / "nebo").mkdir(parents=True)
    (home / "profiles" / "nebo" / "running.json").write_text('{"address": 5')
    assert (await browse("status")).data["profiles"][0]["running"] is False
    assert (await browse("launch")).data["profiles"][0]["running"] is True


async def test_a_directory_in_use_by_a_foreign_browser_is_refused(home, web, fails, monkeypatch):
    from strap_browser.chromium import profile_directory

    monkeypatch.setattr(profile_directory, "QUIT_LIMIT", 0.2)
    data = home / "profiles" / "nebo" / "user-data"
    data.mkdir(parents=True)
    sleeper = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import time; time.sleep(60)", f"--user-data-dir={data}"
    )
    try:
        lock = f"{os.uname().nodename}-{sleeper.pid}"
        (data / "SingletonLock").symlink_to(lock)
        error = await fails("launch")
    finally:
        sleeper.kill()
        await sleeper.wait()
    assert error.code == "profile_in_use"
    assert str(sleeper.pid) in error.message
    assert (data / "SingletonLock").is_symlink()
