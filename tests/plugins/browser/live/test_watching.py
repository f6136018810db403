"""View of somebody who watches a page."""

import asyncio

import pytest

from strap_browser.cdp.connection import CdpConnection
from strap_live.pictures import capture_policy
from strap_live.pictures.frames import STILL, size_of
from tests.support.waiting import becomes, eventually

from .watcher import watching

pytestmark = pytest.mark.anyio
NOTHING = []


@pytest.fixture
def commands(monkeypatch):
    """Every command that goes to a browser from now on, but for those of the agent's actions."""
    sent = []
    send = CdpConnection.send

    def recorded(self, method, session="", /, **params):
        sent.append(method)
        return send(self, method, session, **params)

    monkeypatch.setattr(CdpConnection, "send", recorded)
    return sent


async def test_a_page_at_rest_is_seen_at_once_in_its_own_size(link):
    async with watching(await link()) as viewer:
        await viewer.open()
        (_, _, _, _, width, height, _), jpeg = await viewer.picture()
        assert (width, height) == size_of(jpeg) == (1280, 720)


async def test_what_the_agent_does_is_seen_with_what_was_answered(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        (_, _), first = (await viewer.picture())[:1] * 2, (await viewer.picture())[1]
        await caller("click", selector="button")
        entry = await viewer.next("entry", lambda told: told["text"].startswith("click button"))
        assert "Clicked" in entry["text"]
        assert entry["ms"] > 0
        await eventually(lambda: viewer.pictures[-1][1] != first)


async def test_what_was_done_before_is_told_as_well(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        entry = await viewer.next("entry")
        assert entry["text"].startswith("navigate http://127.0.0.1")


async def test_a_failed_call_is_marked(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        await caller.fails("click", selector="#nothing")
        assert await viewer.next("entry", lambda told: told["bad"])


async def test_errors_of_the_page_are_told_without_what_turns_texts_around(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller.open("/hostile")
        entry = await viewer.next("entry", lambda told: told["kind"] == "console")
        assert len(entry["text"]) <= 600
        assert "\u202e" not in entry["text"]
        place = await viewer.next("place", lambda told: "onerror" in told["pages"][0]["title"])
        assert "\u202e" not in place["pages"][0]["title"]


async def test_nobody_watches_and_nothing_is_asked(caller, link, commands):
    await link()
    await asyncio.sleep(0.6)
    assert commands == NOTHING


async def test_a_hidden_viewer_costs_nothing(link, commands):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await viewer.send(type="pace", visible=False)
        await eventually(lambda: "Target.detachFromTarget" in commands)
        commands.clear()
        await asyncio.sleep(0.6)
        assert commands == NOTHING
        await viewer.send(type="pace", visible=True)
        await viewer.picture(len(viewer.pictures) + 1)


async def test_who_leaves_is_looked_at_for_no_more(caller, link, commands):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
    await eventually(lambda: "Target.detachFromTarget" in commands)
    commands.clear()
    await asyncio.sleep(0.6)
    assert commands == NOTHING


async def test_no_screencast_runs_while_the_agent_acts(caller, link, commands, monkeypatch):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        monkeypatch.setattr(capture_policy, "AT_WORK", 60)  # however long the clicks take
        await caller("snapshot")  # the agent is at work from now on
        commands.clear()
        for _ in range(3):
            await caller("click", x=600, y=600)
        assert "Page.startScreencast" not in commands
        monkeypatch.setattr(capture_policy, "AT_WORK", 0.1)
        await eventually(lambda: "Page.startScreencast" in commands)


async def test_of_a_page_that_moves_stills_are_taken(caller, link, commands):
    await caller.open("/moving")
    async with watching(await link()) as viewer:
        await viewer.open()

        def only_stills():
            recent = set(commands[-20:])
            casts = {"Page.startScreencast", "Page.screencastFrameAck"}
            return "Page.captureScreenshot" in recent and not casts & recent

        await eventually(only_stills)
        assert viewer.pictures[-1][0][1] & STILL


async def test_a_viewer_that_draws_nothing_gets_one_picture_and_then_the_newest(caller, link):
    await caller.open("/moving")
    async with watching(await link()) as viewer:
        viewer.draws = False
        await viewer.open()
        head, _ = await viewer.picture()
        await asyncio.sleep(1)
        assert len(viewer.pictures) == 1
        await viewer.send(type="ack", seq=head[3])
        later, _ = await viewer.picture(2)
        assert later[6] - head[6] > 500


async def test_pages_are_tabs_and_the_agents_own_is_followed(caller, link, site):
    async with watching(await link()) as viewer:
        await viewer.open()
        await caller("new_page", url=f"{site}/form")

        def follows(told):  # the page is blank at first
            [current] = [page for page in told["pages"] if page["current"]] or [{"url": ""}]
            return len(told["pages"]) == 2 and current["url"].endswith("/form")

        await viewer.next("place", follows)


async def test_the_agents_mouse_is_told(caller, link):
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller("click", x=321, y=123)
        told = await viewer.next("pointer", lambda told: told["x"] == 321)
        assert told["y"] == 123


async def test_the_element_that_the_agent_acts_on_is_told(caller, link):
    await caller.open("/form")
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller("fill", selector="#a", value="Ada")
        told = await viewer.next("aim", lambda told: told["box"])
        assert told["box"] == [100, 100, 308, 46]
        await caller("click", selector="#b")
        await viewer.next("aim", lambda told: told["box"] == [100, 300, 200, 40])
        viewer.said.clear()
        await caller.open("/")
        await viewer.next("aim", lambda told: told["box"] is None)


async def test_an_element_in_a_frame_is_told_where_it_is_on_the_page(caller, link):
    await caller.open("/framed")
    async with watching(await link()) as viewer:
        await viewer.open()
        await viewer.picture()
        await caller("click", selector="iframe >> #b")
        told = await viewer.next("aim", lambda told: told["box"])
        assert told["box"] == [150, 360, 200, 40]


async def test_the_list_shows_small_pictures(link):
    async with watching(await link()) as viewer:
        [place] = (await viewer.next("places", lambda told: told["places"]))["places"]
        await viewer.send(type="thumbnail", place=place["id"])
        head, jpeg = await viewer.picture()
        assert head[0] == 3
        assert size_of(jpeg) == (1280, 720)  # a scaled one would resize the page meanwhile


async def test_a_browser_that_ends_is_no_end_of_the_view(shared, open_web, site):
    from tests.support.caller import Caller

    async with open_web() as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/")
        link = (await caller.result("live")).data["url"]
        async with watching(link) as viewer:
            await viewer.open()
            await viewer.picture()
            await caller("close")
            await becomes(lambda: viewer.last("place")["pages"], [])
            await caller("launch")
            await caller.open("/form")
            await viewer.next("place", lambda told: told["pages"][:1] and "form" in told["url"])
