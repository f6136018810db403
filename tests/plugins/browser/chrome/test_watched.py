"""The live view of a tab that the user shared, as it is drawn."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from strap import testing
from strap_browser.cdp.connection import CdpConnection
from strap_browser.cdp.errors import ProtocolError
from strap_browser.relay.access.pairing import Pairing, bearer
from strap_live.pictures.frames import STILL, size_of
from tests.plugins.browser.chrome.conftest import ChromeCaller, tables
from tests.plugins.browser.live.watcher import Person, watching
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio
CANARY = "canary-4711"


async def test_a_shared_tab_is_seen_at_rest_and_while_a_person_has_it(caller, site):
    name, _ = await caller.share(f"{site}/form.html")
    await caller("snapshot", target_id=name)
    link = (await caller.result("live")).data["url"]
    async with watching(link) as viewer:
        person = Person(viewer, await viewer.open())
        (_, _, _, _, width, height, _), jpeg = await viewer.picture()
        assert width / height == pytest.approx(size_of(jpeg)[0] / size_of(jpeg)[1], rel=0.02)
        await caller.run("setTimeout(() => document.body.style.background = 'red', 3000); 0")
        seen = len(viewer.pictures)  # of a page that changes by itself, when nobody acts any more
        await becomes(lambda: len(viewer.pictures) > seen)
        await person.order("take", "held")
        seen = len(viewer.pictures)
        await person.do("text", text="x")
        await person.do("go", to="reload")
        await becomes(lambda: any(not head[1] & STILL for head, _ in viewer.pictures[seen:]))
        await person.order("give", "agent")


@dataclass
class Sharing:
    """Two callers who share a tab, and who watches each of them."""

    name: str
    other: ChromeCaller
    person: Person
    second: Person


@asynccontextmanager
async def two_watched(caller, strap, site):
    name, _ = await caller.share(f"{site}/form.html")
    await caller("snapshot", target_id=name)
    other = strap.caller()
    own = next(iter(await other.pages()))
    await other("snapshot", target_id=own)
    link = (await caller.result("live")).data["url"]
    theirs = (await other.result("live")).data["url"]
    async with watching(link) as viewer, watching(theirs) as rival:
        person, second = Person(viewer, await viewer.open()), Person(rival, await rival.open())
        await viewer.picture()
        await rival.picture()
        yield Sharing(own, other, person, second)


async def test_no_other_caller_acts_on_the_tabs_or_hears_of_them_meanwhile(caller, strap, site):
    async with two_watched(caller, strap, site) as they:
        person, second, other = they.person, they.second, they.other
        await person.order("take", "held")
        await second.order("take")
        assert "in a person's hands" in (await second.viewer.next("refused"))["text"]
        error = await other.fails("snapshot", timeout=0.5)
        assert error.code == "in_use"
        await second.order("pause", "paused")
        await second.order("resume", "agent")
        await person.do("go", to="url", url=f"{site}/busy?{CANARY}")
        await becomes(lambda: CANARY in person.now["pages"][0]["url"])
        during = [await other(each) for each in ("list_pages", "console", "network")]
        await person.do("go", to="url", url=f"{site}/form.html")
        await becomes(lambda: CANARY not in person.now["pages"][0]["url"])
        await person.order("give", "agent")
        own = they.name
        after = [await other(each, target_id=own) for each in ("snapshot", "console", "network")]
        assert CANARY not in str(during + after)


async def test_who_watches_another_caller_sees_nothing_of_the_tabs_meanwhile(caller, strap, site):
    async with two_watched(caller, strap, site) as they:
        person, rival = they.person, they.second.viewer
        await person.order("take", "held")
        told = await rival.next("place", lambda told: told["holder"] == "other")
        assert told["pages"] == []
        seen = len(rival.pictures)
        drawn = len(person.viewer.pictures)
        await person.do("go", to="url", url=f"{site}/busy?{CANARY}")
        await becomes(lambda: CANARY in person.now["pages"][0]["url"])
        await rival.send(type="thumbnail", place=they.second.place)
        await becomes(lambda: len(person.viewer.pictures) > drawn)
        await rival.send(type="open", place=they.second.place)
        await rival.send(type="stop", place=they.second.place, epoch=-1)
        await rival.next("refused")
        assert len(rival.pictures) == seen
        assert CANARY not in json.dumps(rival.said)
        await person.do("share", on=True)
        await becomes(lambda: len(rival.pictures) > seen)
        await person.order("give", "agent")


async def test_a_hold_ends_with_the_caller_and_the_others_go_on(caller, strap, site):
    async with two_watched(caller, strap, site) as they:
        await they.person.order("take", "held")
        assert "in hand" in str(await they.other.pages())
        await caller("close")

        async def told():
            return "form.html" in str(await they.other.pages())

        await eventually(told)
        assert await they.other("snapshot")


async def test_what_another_caller_does_ends_first_whoever_was_watched_then(caller, strap, site):
    name, _ = await caller.share(f"{site}/form.html")
    call = asyncio.create_task(caller.fails("wait", text="Never", timeout=20, target_id=name))
    await asyncio.sleep(0.5)
    other = strap.caller()
    await other("snapshot", target_id=next(iter(await other.pages())))
    async with watching((await other.result("live")).data["url"]) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        await person.order("take", "pausing")
        await becomes(lambda: person.now["state"], "held")
        assert call.done()
        assert (await call).code == "in_use"
        await person.order("give", "agent")


async def test_what_a_tab_does_is_told_to_everybody_who_watches_it(caller, strap, site):
    async with two_watched(caller, strap, site) as they:
        await caller.run("console.error('for all'); 0")
        for viewer in (they.person.viewer, they.second.viewer):
            await viewer.next("entry", lambda told: told["text"] == "for all")
        told = [each for each in they.second.viewer.said if each.get("text") == "for all"]
        assert [each["page"] for each in told] == [they.name]


@asynccontextmanager
async def elsewhere(strap):
    """A caller of another process of strap, which is connected to the same Chrome."""
    async with testing.router(home=strap.home, network="local", plugins=tables(strap.port)) as web:
        yield ChromeCaller(web, strap.chromium)


async def test_no_other_process_acts_on_the_tabs_or_hears_of_them_meanwhile(caller, strap, site):
    name, target = await caller.share(f"{site}/form.html")
    await caller("snapshot", target_id=name)
    async with (
        elsewhere(strap) as other,
        watching((await caller.result("live")).data["url"]) as viewer,
    ):
        assert await other("snapshot")
        person = Person(viewer, await viewer.open())
        await viewer.picture()
        await person.order("take", "held")
        first, *codes = [(await other.fails("snapshot")).code for _ in range(3)]
        assert first in ("in_use", "page_lost")  # its tab may be taken in the middle of that call
        assert codes == ["in_use", "in_use"]
        assert (await other.fails("new_page", url=f"{site}/two")).code == "in_use"
        headers = bearer(Pairing(strap.home).read())
        cdp = await CdpConnection.connect(f"ws://127.0.0.1:{strap.port}/relay/cdp", headers)
        heard = []
        cdp.root.listen(lambda *told: heard.append(told))
        await cdp.call("Target.setDiscoverTargets", discover=True)
        await cdp.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False)
        await person.do("go", to="url", url=f"{site}/busy?{CANARY}")
        await becomes(lambda: CANARY in person.now["pages"][0]["url"])
        assert (await cdp.call("Target.getTargets"))["targetInfos"] == []
        for command, fields in (
            ("Target.createTarget", {"url": f"{site}/two"}),
            ("Target.attachToTarget", {"targetId": target, "flatten": True}),
            ("Storage.getCookies", {}),
            ("Strap.holdTabs", {"on": True}),
            ("Strap.holdTabs", {"on": False}),
        ):
            with pytest.raises(ProtocolError, match="A person has the tabs in hand"):
                await cdp.call(command, **fields)
        assert not heard
        await person.do("go", to="url", url=f"{site}/form.html")
        await becomes(lambda: CANARY not in person.now["pages"][0]["url"])
        await person.order("give", "agent")
        await becomes(lambda: len([1 for event, _ in heard if "attached" in event]), 1)
        await cdp.aclose()
        after = [await other("snapshot"), await other("console"), await other("network")]
        assert CANARY not in str(after)
        await caller("snapshot", target_id=name)


async def test_the_tabs_are_for_all_again_when_the_process_of_who_has_control_ends(
    caller, strap, site
):
    name, _ = await caller.share(f"{site}/form.html")
    async with elsewhere(strap) as other:
        assert await other("snapshot")
        async with watching((await other.result("live")).data["url"]) as viewer:
            person = Person(viewer, await viewer.open())
            await viewer.next("place")
            await person.order("take", "held")
            await caller.gone(name)
            await caller.fails("new_page", url=f"{site}/two")
    assert await caller.new_pages(set())
