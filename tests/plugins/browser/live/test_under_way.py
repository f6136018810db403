"""A person wants what the agent is in the middle of acting in: that ends first."""

import asyncio

import pytest

from strap_live.control import hold as holding
from tests.support.caller import Caller
from tests.support.waiting import becomes

from .watcher import Person, watching

pytestmark = pytest.mark.anyio


async def test_what_is_under_way_ends_first(caller, person, monkeypatch, stuck):
    monkeypatch.setattr(holding, "IN_FLIGHT", 60)
    await caller.run(stuck.then)
    call = asyncio.create_task(caller("wait", text="There", timeout=60))
    await becomes(lambda: person.now["acting"])
    await person.order("take", "pausing")
    stuck.release.set()
    assert "There" in await call
    await becomes(lambda: person.now["state"], "held")


async def test_what_does_not_end_is_broken_off(caller, person, monkeypatch):
    monkeypatch.setattr(holding, "IN_FLIGHT", 60)
    call = asyncio.create_task(caller.fails("wait", text="Never", timeout=60))
    await becomes(lambda: person.now["acting"])
    await person.order("take", "pausing")
    monkeypatch.setattr(holding, "IN_FLIGHT", 0.3)
    error = await call
    assert error.code == "in_use"
    assert "Broken off" in str(error)
    await becomes(lambda: person.now["state"], "held")


async def test_what_began_before_anybody_watched_ends_first_as_well(
    open_web, site, monkeypatch, stuck
):
    monkeypatch.setattr(holding, "IN_FLIGHT", 60)
    async with open_web() as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/form")
        await caller.run(stuck.then)
        call = asyncio.create_task(caller("wait", text="There", timeout=60))
        await asyncio.sleep(0.5)
        async with watching((await caller.result("live")).data["url"]) as viewer:
            person = Person(viewer, await viewer.open())
            await viewer.next("place", lambda told: told["acting"])
            await person.order("take", "pausing")
            stuck.release.set()
            await becomes(lambda: person.now["state"], "held")
            assert call.done()
            assert "There" in await call
            assert not person.now["acting"]
            await person.order("give", "agent")


async def test_a_call_that_is_stopped_in_the_middle_says_so(caller, person):
    call = asyncio.create_task(caller.fails("wait", text="Never", timeout=20))
    await becomes(lambda: person.now["acting"])
    await person.order("stop", "stopped")
    error = await call
    assert (error.code, str(error)[:11]) == ("stopped_by_person", "Broken off:")
    await person.order("resume", "agent")


async def test_who_was_about_to_take_control_of_what_is_stopped_does_not_get_it(
    caller, person, link
):
    call = asyncio.create_task(caller.fails("wait", text="Never", timeout=20))
    await becomes(lambda: person.now["acting"])
    await person.order("take", "pausing")
    async with watching(await link()) as viewer:
        other = Person(viewer, await viewer.open())
        await viewer.next("place", lambda told: told["state"] == "pausing")
        await other.order("stop", "stopped")
        await call
        await other.order("resume", "agent")
    assert "Press" in await caller("snapshot")
