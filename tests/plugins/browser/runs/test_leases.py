"""Runs of the agent in browsers that a grid lends."""

import pytest

from tests.support.grid import Hub
from tests.support.model_server import done

from .lab import click, laboratory

pytestmark = pytest.mark.anyio


async def test_a_run_takes_a_browser_and_gives_it_back(site, tmp_path):
    async with Hub(tmp_path / "grid").running() as hub:
        grid = {"driver": "cdp", "provider": "selenium", "cdp_url": hub.url}
        profiles = {"nebo": grid, "lone": {**grid, "provider": "browserless"}}
        profiles["lone"]["cdp_url"] = hub.url.replace("http", "ws")
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
