"""The live view of a tab that the user shared, as it is drawn."""

import pytest

from strap_browser.live.pictures.frames import STILL, size_of
from tests.plugins.browser.live.watcher import Person, watching
from tests.support.waiting import becomes

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


async def test_no_other_caller_acts_on_the_tabs_or_hears_of_them_meanwhile(caller, strap, site):
    name, _ = await caller.share(f"{site}/form.html")
    await caller("snapshot", target_id=name)
    other = strap.caller()
    own = next(iter(await other.pages()))
    link = (await caller.result("live")).data["url"]
    theirs = (await other.result("live")).data["url"]
    async with watching(link) as viewer, watching(theirs) as rival:
        person, second = Person(viewer, await viewer.open()), Person(rival, await rival.open())
        await viewer.picture()
        await rival.next("place")
        await person.order("take", "held")
        await second.order("take")
        assert "in a person's hands" in (await rival.next("refused"))["text"]
        error = await other.fails("snapshot", timeout=0.5)
        assert error.code == "in_use"
        await person.do("go", to="url", url=f"{site}/busy?{CANARY}")
        await becomes(lambda: CANARY in person.now["pages"][0]["url"])
        assert CANARY not in str(await other.pages())
        await person.do("go", to="url", url=f"{site}/form.html")
        await becomes(lambda: CANARY not in person.now["pages"][0]["url"])
        await person.order("give", "agent")
        told = [await other(each, target_id=own) for each in ("snapshot", "console", "network")]
        assert CANARY not in str(told)
