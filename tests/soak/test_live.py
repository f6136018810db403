"""The live view for minutes: whatever people do, and however they vanish, the agent goes on."""

import asyncio
import random
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from strap import ActionError
from strap_live.admission import Grant
from tests.plugins.browser.conftest import home, open_web  # noqa: F401 - fixtures
from tests.plugins.browser.live.conftest import FORM
from tests.plugins.browser.live.watcher import Person, watching
from tests.site.server import serve
from tests.support.caller import Caller
from tests.support.waiting import becomes, eventually

pytestmark = [pytest.mark.soak, pytest.mark.anyio]
SECONDS = 150.0
LIVE = {"away_s": 1, "hold_s": 20, "samples": "runs"}
WAYS = ("pause", "take", "type", "stop", "reload", "vanish", "hide", "look back", "pages", "share")
RARE = 0.05
"""How likely it is that somebody closes all views when they go."""
EVERYBODY = Grant(role="control")
KEPT_UP = {"in_use", "stopped_by_person", "timeout"}
"""As what a person keeps the agent from acting."""
MOST_PAGES = 4
SLOWEST = 4.0
"""Seconds that a click of the agent takes at most, one with another, while nobody keeps it."""
PATIENCE = 40.0
"""Seconds within which nobody who is gone holds the agent up any more."""


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def agent(caller, over):
    """Act until it is over; returns how often it did, and as what it was refused."""
    done, refused = 0, set()
    while not over.is_set():
        try:
            await caller("click", selector="#b", timeout=5)
            done += 1
        except ActionError as error:
            refused.add(error.code)
            if error.code not in KEPT_UP:
                await go_back(caller)
        await asyncio.sleep(0.05)
    return done, refused


async def go_back(caller):
    """Go to the page again: somebody turned to another one, or closed it."""
    with suppress(ActionError):
        await caller("navigate", url=f"{caller.site}/", timeout=5)


async def freedom(hold, over):
    """Return for how many seconds nobody kept the agent from acting, until it is over."""
    free = 0.0
    while not over.is_set():
        began = time.monotonic()
        await asyncio.sleep(0.05)
        free += time.monotonic() - began if hold.state == "agent" else 0
    return free


async def one_visit(link, chance):
    """Somebody comes, does one thing or another, and may vanish in the middle of it."""
    async with watching(await link()) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        for _ in range(chance.randint(1, 4)):
            way = chance.choice(WAYS)
            if way in ("reload", "vanish"):
                await person.order("take" if chance.random() < 0.5 else "pause")
                return
            await take_part(person, way, chance)
        if chance.random() < RARE:
            await viewer.send(type="close_views")


async def take_part(person, way, chance):
    viewer = person.viewer
    if way == "hide":
        for visible in (False, True):
            await viewer.send(type="pace", visible=visible)
    elif way == "look back":
        await viewer.send(type="runs", limit=20)
    elif way in ("pages", "share"):
        await person.order("take")
        await asyncio.sleep(chance.random())
        await person.do("share", on=way == "share")
        await person.do("copy")
        pages = [page["id"] for page in person.now["pages"]] or [
            ""
        ]  # somebody else may have control
        fewer = len(pages) < MOST_PAGES
        await person.do("page", op="new" if fewer else "select", page=pages[-1])
        await asyncio.sleep(chance.random())
        await person.do("page", op="select", page=pages[0])
        await person.do("page", op="close", page=person.now["shown"] or "")
        await person.order("give")
    elif way == "type":
        await person.order("take")
        await asyncio.sleep(chance.random())
        await person.click(chance.randint(0, 600), chance.randint(0, 400))
        await person.do("text", text="soak")
        await person.order("give")
    else:
        await person.order(way)
        await asyncio.sleep(chance.random())
        await person.order("resume" if way != "take" else "give")
    await asyncio.sleep(chance.random() / 2)


async def visits(link, until, number):
    chance = random.Random(number)
    while time.monotonic() < until:
        with suppress(ConnectionClosed):
            await one_visit(link, chance)


async def test_nobody_ever_holds_the_agent_up_for_good(open_web):  # noqa: F811
    with serve({"/": FORM}) as site:
        async with open_web(live=LIVE) as web:
            caller = Caller(web, site)
            await caller("launch")
            await caller.open("/")

            async def link():
                return (await caller.result("live")).data["url"]

            over = asyncio.Event()
            acting = asyncio.create_task(agent(caller, over))
            await link()
            counting = asyncio.create_task(freedom(hold_of(caller), over))
            until = time.monotonic() + SECONDS
            await asyncio.gather(*(visits(link, until, number) for number in range(4)))
            over.set()
            done, refused = await acting
            assert refused <= KEPT_UP | {"not_found", "page_lost"}
            seconds = await counting
            assert 0 < seconds / SLOWEST < done, f"{done} clicks in {seconds:.0f} free seconds"
            await eventually(lambda: free(caller), PATIENCE)
            view = web.router.lifespans["browser"].of("live").view
            await becomes(lambda: view.watchers(EVERYBODY), 0, PATIENCE)
            await becomes(lambda: len(view._viewers), 0, PATIENCE)
            names = [task.get_name() for task in asyncio.all_tasks()]
            assert not [name for name in names if "viewer" in name or "look" in name], names


def hold_of(caller):
    view = caller.web.router.lifespans["browser"].of("live").view
    [place] = view.places.seen_by(EVERYBODY)
    return place.hold


async def free(caller):
    """Whether the agent may act; what somebody stopped, a person would let go on."""
    try:
        await caller("click", selector="#b", timeout=5)
    except ActionError as error:
        if error.code == "stopped_by_person":
            hold_of(caller).release()
        elif error.code not in KEPT_UP:
            await go_back(caller)
        return False
    return True
