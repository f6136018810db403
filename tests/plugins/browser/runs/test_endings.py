"""How runs are cleaned up after: in order, to the end, and never at the cost of the answer."""

import asyncio
import os
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from strap_agent.monitor.watcher import BrowserMonitor
from strap_agent.workers.pool import ForkServer, Workers
from strap_browser.chromium.process import Chromium
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .lab import begin, browsers, click, laboratory, running
from .test_worker import alive

pytestmark = pytest.mark.anyio
WAIT = act("wait", seconds=0)


@pytest.fixture
async def nebo(lab):
    """A running profile."""
    await lab.web(resource="browser", action="launch", profile="nebo")
    yield
    await lab.web(resource="browser", action="close", profile="nebo")


@pytest.mark.parametrize("end", ["budget", "cancelled"])
async def test_the_agent_is_gone_before_its_pages_are(lab, nebo, hang, monkeypatch, end):
    """Else it would open another page where its last one closes, in a browser of others."""
    alive_then, close = [], BrowserMonitor.close_pages

    async def look(self):
        alive_then.append(alive(pid))
        await close(self)

    monkeypatch.setattr(BrowserMonitor, "close_pages", look)

    call = await begin(lab, WAIT, hang, profile="nebo")
    run = running(lab)
    pid = run._worker.pid
    await eventually(lambda: run.recorder.steps)
    run.stop(end)
    result = await call
    assert result.data["stop_reason"] == end
    assert alive_then == [False]
    link = lab.web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]._connection
    await eventually(lambda: len(link.pages(link.context)) == 1)
    await eventually(lambda: not lab.runs._tasks)


async def test_the_page_is_told_as_the_last_action_left_it_also_without_a_picture(
    lab, hang, monkeypatch
):
    monkeypatch.setattr("strap_agent.run.LOOK_LIMIT", 0)
    call = await begin(lab, WAIT, hang)
    run = running(lab)
    await eventually(lambda: run.recorder.steps)
    watch = run.monitor
    later = "document.title = 'Later'"
    await watch._cdp.call("Runtime.evaluate", watch._session(None), expression=later)
    run.stop("budget")
    assert (await call).data["page"] == {"url": f"{lab.site}/", "title": "Later"}


async def test_a_profile_whose_browser_is_killed(lab, nebo, hang):
    call = await begin(lab, hang, profile="nebo")
    [pid] = browsers()
    os.kill(pid, signal.SIGKILL)
    answer = await lab.checked(await call, picture=None)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")


async def test_no_page_stays_in_a_profile_because_it_asks(lab, nebo):
    """As a page may that has unsaved changes."""
    stay = click("Stay")
    result = await lab.raw(stay, done("ok"), path="/unsaved", profile="nebo")
    assert result.data["status"] == "success"
    link = lab.web.router._lifespans["browser"]._ready.result()[0].profiles["nebo"]._connection
    await eventually(lambda: len(link.pages(link.context)) == 1)


async def test_a_cancel_does_not_cut_the_clean_up(lab, monkeypatch):
    stopping, go_on, stop = asyncio.Event(), asyncio.Event(), Chromium.stop

    async def slow(self, patience=0):
        stopping.set()
        try:
            await go_on.wait()
        finally:
            await stop(self, patience)

    monkeypatch.setattr(Chromium, "stop", slow)
    await lab.web(resource="browser", action="status")  # reserves the port of the relay
    reserved = set(lab.web.router.guard._reserved)
    call = asyncio.create_task(lab.raw(done("ok")))
    async with asyncio.timeout(60):
        await stopping.wait()
    for run in list(lab.runs.active.values()):
        run.stop("cancelled")
    await asyncio.sleep(0.1)
    go_on.set()
    await lab.checked(await call)
    assert lab.web.router.guard._reserved == reserved


async def test_the_answer_comes_before_a_clean_up_that_takes_long(lab, monkeypatch):
    go_on, stop = asyncio.Event(), Chromium.stop

    async def slow(self, patience=0):
        await go_on.wait()
        await stop(self, patience)

    monkeypatch.setattr(Chromium, "stop", slow)
    async with asyncio.timeout(60):
        result = await lab.raw(done("ok"))
    said = await lab.web(
        resource="browser", action="cancel_run", session_id=result.data["session_id"]
    )
    assert "is over already: success, done" in said.text
    go_on.set()
    assert (await lab.checked(result))["result"] == "ok"


async def test_a_browser_that_hangs_does_not_delay_the_answer(lab, hang):
    call = await begin(lab, WAIT, hang)
    run = running(lab)
    await eventually(lambda: run.recorder.steps)
    [pid] = browsers()
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    run.stop("budget")
    result = await call
    took = time.monotonic() - began
    assert (await lab.checked(result))["stop_reason"] == "budget"
    assert took < 5  # two seconds, and what a busy machine adds


async def test_a_cancelled_start_leaves_no_folder(tmp_path, monkeypatch):
    forking = asyncio.Event()

    async def fork(self, folder):
        forking.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(ForkServer, "fork", fork)
    workers = Workers(tmp_path)
    taking = asyncio.create_task(workers.take([]))
    await forking.wait()
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    await workers.aclose()
    assert list(tmp_path.iterdir()) == []


async def test_a_store_that_cannot_be_written_when_a_run_begins(lab):
    with closing(locked(lab)):
        result = await lab.raw(done("ok"))
    assert (result.data["status"], result.data["stop_reason"]) == ("failed", "browser_error")
    assert "cannot be stored" in result.data["summary"]
    assert not lab.store.folder(result.data["session_id"]).exists()
    await lab.nothing_left()


async def test_a_store_that_cannot_be_written_during_a_run(lab, hang):
    def lock(body):
        locks.append(locked(lab))
        return done("ok")

    locks = []
    result = await lab.raw(WAIT, lock)
    locks[0].close()
    assert (result.data["status"], result.data["result"]) == ("success", "ok")
    assert "could not be stored" in result.data["warnings"][-1]
    stored = lab.stored(result.data["session_id"])
    assert (stored.answer["result"], stored.steps) == ("ok", 2)
    assert stored.answer["warnings"] == result.data["warnings"]
    await lab.nothing_left()


def locked(lab):
    """A connection, as of another process, that nobody can write beside."""
    index = lab.store.root / "index.db"
    other = sqlite3.connect(index, isolation_level=None, timeout=10, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    return other


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"executable": "/bin/false"}, "browser_error"),
        ({"model": "browser-use/bu-nonsense", "model_url": None}, "provider_error"),
    ],
)
async def test_a_run_that_cannot_start(tmp_path, site, settings, reason):
    async with laboratory(tmp_path, site, **settings) as lab:
        answer = await lab.run(done("ok"), picture=False)
        assert (answer["status"], answer["stop_reason"]) == ("failed", reason)
        assert lab.model.asked == []
