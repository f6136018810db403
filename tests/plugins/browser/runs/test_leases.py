"""Runs of the agent in browsers that a grid lends."""

import asyncio
import json
import os
import signal
import sys

import pytest

from strap import testing
from tests.support.grid import Hub
from tests.support.model_server import Raw, done, scripted
from tests.support.waiting import becomes, eventually

from .lab import begin, click, laboratory, running

pytestmark = pytest.mark.anyio


@pytest.fixture
async def hub(tmp_path):
    async with Hub(tmp_path / "grid").running() as hub:
        yield hub


def grid(hub, **more):
    return {"driver": "cdp", "provider": "selenium", "cdp_url": hub.url} | more


async def test_a_run_takes_a_browser_and_gives_it_back(site, tmp_path, hub):
    lone = grid(hub, provider="browserless", cdp_url=hub.url.replace("http", "ws"))
    profiles = {"nebo": grid(hub), "lone": lone}
    async with laboratory(tmp_path / "home", site, profiles=profiles) as lab:
        answer = await lab.run(click("Buy"), done("bought"))
        assert (answer["status"], answer["result"]) == ("success", "bought"), answer
        assert (hub.made(), hub.ended()) == (1, ["s1"])
        hub.most = 0
        answer = await lab.run(done("bought"), picture=None)
        assert answer["status"] == "failed"
        assert "no browser left" in answer["summary"]
        hub.most = 9
        for fields, said in (({"headless": True}, "up to"), ({"profile": "lone"}, "two")):
            answer = await lab.run(done("x"), picture=None, **fields)
            assert said in answer["summary"]
        assert hub.sessions == {}


async def test_a_run_that_is_killed_gives_its_browser_back(site, tmp_path, hub):
    async with laboratory(tmp_path / "home", site, profiles={"nebo": grid(hub)}) as lab:

        async def cancel(run):
            await lab.web(resource="browser", action="cancel_run", session_id=run.session_id)

        async def kill_worker(run):
            os.kill(run._worker.pid, signal.SIGKILL)

        async def expire(_):
            await hub.expire(*hub.sessions)

        def hang(_):
            lab.model.released.wait(60)
            return Raw()

        for number, end in enumerate((cancel, kill_worker, expire), 1):
            call = await begin(lab, hang)
            assert hub.made() == number
            await end(running(lab))
            answer = await lab.checked(await call, picture=None)
            assert answer["status"] == "failed"
            assert hub.ended() == [f"s{n}" for n in range(1, number + 1)]
        assert hub.sessions == {}
        assert [*(tmp_path / "home" / "leases").iterdir()] != []  # what is lent, for the next start
        lab.model.released.set()
    assert [*(tmp_path / "home" / "leases").iterdir()] == []


@pytest.mark.soak
async def test_a_run_whose_strap_is_killed_gives_its_browser_back_at_the_next_start(
    site, tmp_path, hub
):
    with scripted(()) as model:

        def hang(_):
            model.released.wait(60)
            return Raw()

        model.script = (hang,)
        home, profiles = tmp_path / "home", {"nebo": grid(hub)}
        environ = {"STRAP_MODEL": "openai/scripted", "STRAP_BROWSER__MODEL_URL": model.url}
        environ |= {"STRAP_BROWSER__PROFILES": json.dumps(profiles), "OPENAI_API_KEY": "none"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "strap", "call", "browser", "eval", f"url={site}", "task=look"),
            *("--home", str(home)),
            cwd=tmp_path,
            env={**os.environ, **environ},
        )
        await eventually(lambda: model.asked, within=60)
        process.kill()
        await process.wait()
        assert list(hub.sessions) == ["s1"]
    plugins = {"browser": {"profiles": profiles}}
    async with testing.router(home=home, network="local", plugins=plugins) as web:
        await web(resource="browser", action="status")
        await becomes(lambda: (hub.sessions, hub.ended()), ({}, ["s1"]))
        await becomes(lambda: [*(home / "leases").iterdir()], [])
