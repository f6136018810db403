"""Runs of the agent in the live view."""

import asyncio
import time

import pytest

from tests.plugins.browser.live.watcher import watching
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .lab import click, laboratory

pytestmark = pytest.mark.anyio


async def link(lab):
    return (await lab.web(resource="browser", action="live")).data["url"]


async def open_run(viewer):
    """Open the run that goes on."""

    def found():
        places = viewer.last("places")["places"] if viewer.said else []
        return next((place for place in places if place["kind"] == "run"), None)

    place = await eventually(found)
    await viewer.send(type="open", place=place["id"])
    return place


async def test_a_run_is_seen_with_its_steps_and_its_end(lab):
    def thinks(_):
        time.sleep(1.5)
        return act("wait", seconds=3)

    running = asyncio.create_task(lab.run(thinks, click("Buy"), done("Bought"), task="Buy it"))
    async with watching(await link(lab)) as viewer:
        place = await open_run(viewer)
        assert "Buy it" in place["title"]
        (_, _, _, _, width, height, _), _ = await viewer.picture(within=30)
        assert min(width, height) > 300
        step = await viewer.next("entry", lambda told: told["kind"] == "step", within=30)
        assert step["text"].startswith("step 1")
        thought = await viewer.next("place", lambda told: told.get("thinking"))
        assert thought["step"] == 1
        assert step["at"] - 60 < thought["thinking"] < step["at"]
        await viewer.next("entry", lambda told: told["text"] == 'click button "Buy"')
        mark = await viewer.next("aim", lambda told: told["box"])
        mouse = await viewer.next("pointer")
        answer = await running
        await viewer.next("place", lambda told: told["state"] == "over")
    left, top, across, down = mark["box"]
    assert (mouse["x"], mouse["y"]) == pytest.approx((left + across / 2, top + down / 2))
    steps = await lab.events(answer, event_types=["agent"], include_details=True)
    [[box]] = [boxes for step in steps if any(boxes := step["details"].get("boxes", ()))]
    size = width, height, width, height
    parts = [part / whole for part, whole in zip(mark["box"], size, strict=True)]
    assert parts == pytest.approx(box, abs=0.002)
    assert answer["artifacts"]["stream_samples"] >= 1
    asked = {"action": "get_screenshots", "session_id": answer["session_id"], "last_n": 20}
    samples = await lab.web(resource="browser", screenshot_type="stream_sample", **asked)
    assert samples.data["total"] == len(samples.images) == answer["artifacts"]["stream_samples"]
    steps = (await lab.web(resource="browser", **asked)).data["screenshots"]
    assert {shot["type"] for shot in steps} == {"agent_step"}


async def test_who_comes_late_is_told_what_was_before(lab, hang):
    running = asyncio.create_task(lab.run(act("wait", seconds=0), hang, path="/", picture=None))
    await eventually(lambda: any(run.recorder.steps for run in lab.runs.active.values()))
    async with watching(await link(lab)) as viewer:
        place = await open_run(viewer)
        step = await viewer.next("entry", lambda told: told["kind"] == "step")
        assert step["text"].startswith("step 1")
        await viewer.send(type="stop", place=place["id"], epoch=0)
        await running


async def test_a_person_ends_a_run(lab, hang):
    running = asyncio.create_task(lab.run(hang, picture=None))
    async with watching(await link(lab)) as viewer:
        place = await open_run(viewer)
        await viewer.send(type="stop", place=place["id"], epoch=0)
        answer = await running
        assert answer["stop_reason"] == "cancelled"


@pytest.mark.parametrize(
    ("samples", "kept"), [("runs", True), pytest.param("watched", False, marks=pytest.mark.soak)]
)
async def test_of_every_run_samples_are_kept_where_that_is_wanted(tmp_path, site, samples, kept):
    async with laboratory(tmp_path / "home", site, live={"samples": samples}) as lab:
        answer = await lab.run(act("wait", seconds=3), done("ok"))
        assert bool(answer["artifacts"]["stream_samples"]) == kept
