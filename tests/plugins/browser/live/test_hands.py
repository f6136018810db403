"""Input of a person in the pages that they see, and the offer to stop a page that hangs."""

import asyncio
import time

import pytest

from strap import Guard
from strap_live import orders
from strap_live.control import hand as hands
from strap_live.control import hold as holding
from strap_live.control.hand import MOST_OPTIONS
from tests.support.waiting import becomes, eventually

from .watcher import Person, watching

pytestmark = pytest.mark.anyio
MANY = """for (let n = 0; n < 5000; n++) s.add(new Option('more ' + n));
Array.prototype.map = () => { throw 1 }; s.onchange = () => { document.title = s.value }; 0"""


def hold_of(caller):
    view = caller.web.router.lifespans["browser"].of("live").view
    return view.places.of_caller("nebo", f"local/{caller.web.caller.session}").hold


async def test_the_address_bar_is_that_of_the_page_that_is_seen(caller, link):
    await caller.open("/form")
    await caller("new_page", url=f"{caller.site}/moving")
    async with watching(await link()) as viewer:
        place = await viewer.open()
        told = await viewer.next("place", lambda told: len(told["pages"]) == 2)
        first, second = [page["id"] for page in told["pages"]]
        await viewer.send(type="open", place=place, page=first)
        person = Person(viewer, place)
        await person.order("take", "held")
        await person.do("go", to="url", url=f"{caller.site}/says?said=hello")
        await becomes(
            lambda: {page["id"]: page["url"] for page in person.now["pages"]},
            {first: f"{caller.site}/says?said=hello", second: f"{caller.site}/moving"},
        )


async def test_a_press_on_a_picture_of_another_document_is_refused(caller, person):
    await person.order("take", "held")
    await caller.web.router.end_session("nobody")
    before = time.time() * 1_000
    await person.do("go", to="url", url=f"{caller.site}/asks")
    await person.viewer.next("place", lambda told: told["dialog"])
    await person.do("dialog", accept=True)
    await becomes(lambda: person.now["pages"][0]["title"], "Asks")
    *_, (header, _) = person.viewer.pictures
    size = {"width": header[4], "height": header[5]}
    await person.do("mouse", kind="down", x=1, y=1, at=before, **size)
    assert "changed" in (await person.viewer.next("refused"))["text"]
    person.viewer.said = [told for told in person.viewer.said if told["type"] != "refused"]
    await person.do("mouse", kind="down", x=1, y=1, at=time.time() * 1_000, **size)
    await person.do("mouse", kind="up", x=1, y=1)
    await asyncio.sleep(0.3)
    assert "refused" not in [told["type"] for told in person.viewer.said]


async def test_a_page_that_hangs_is_told_and_its_script_can_be_stopped(caller, person):
    await caller.run(
        "b.onclick = () => { document.title = 'Hung'; for (;;); };"
        " a.oninput = () => { document.title = a.value }; 0"
    )
    await person.order("take", "held")
    await person.click(200, 120)
    await becomes(lambda: person.now["hangs"], False)
    await person.click(200, 320)
    await becomes(lambda: person.now["hangs"])
    await person.do("go", to="stop")
    await becomes(lambda: person.now["hangs"], False)
    await person.click(200, 120)
    await person.do("text", text="alive")
    await becomes(lambda: person.now["pages"][0]["title"], "alive")


async def test_a_page_hangs_as_long_as_it_does_whatever_is_pressed(caller, person, monkeypatch):
    monkeypatch.setattr(hands, "ANSWER_LIMIT", 0.2)
    await caller.run("b.onclick = () => { for (;;); }; 0")
    await person.order("take", "held")
    await person.click(200, 320)
    await becomes(lambda: person.now["hangs"])
    hung = []
    for _ in range(10):
        for kind in ("down", "up"):
            await person.do("key", kind=kind, key="F4", code="F4", number=115)
        await asyncio.sleep(0.1)
        hung.append(person.now["hangs"])
    assert all(hung), hung


async def test_a_list_is_shown_in_part_and_whatever_the_page_has_made_of_its_world(
    caller,
    person,
):
    await caller.run(MANY)
    await person.order("take", "held")
    await person.click(150, 215)
    menu = await person.viewer.next("menu")
    assert len(menu["options"]) == MOST_OPTIONS
    await person.do("choose", index=1)
    await becomes(lambda: person.now["pages"][0]["title"], "Two")


async def test_a_list_opens_by_keyboard_too(caller, person):
    await caller.run("s.onchange = () => { document.title = s.value }; s.focus(); 0")
    await person.order("take", "held")
    await person.press("ArrowDown", "ArrowDown", 40, mods=1)
    assert len((await person.viewer.next("menu"))["options"]) == 2
    await person.do("choose", index=1)
    await becomes(lambda: person.now["pages"][0]["title"], "Two")
    await person.press("ArrowUp", "ArrowUp", 38)
    await becomes(lambda: person.now["pages"][0]["title"], "One")


async def test_a_list_is_found_where_the_page_is_scrolled(caller, person):
    await caller.run(
        "document.body.style.height = '4000px'; s.style.top = '2215px';"
        " s.onchange = () => { document.title = s.value }; scrollTo(0, 2000); 0"
    )
    await person.order("take", "held")
    await person.click(150, 230)
    assert len((await person.viewer.next("menu"))["options"]) == 2
    await person.do("choose", index=1)
    await becomes(lambda: person.now["pages"][0]["title"], "Two")


@pytest.mark.parametrize(("path", "left", "top"), [("/far", 50, 60), ("/farther", 80, 80)])
async def test_frames_of_other_sites_have_lists_and_texts_to_copy(caller, person, path, left, top):
    await caller.open(path)
    await caller("wait", text="Press")
    await person.order("take", "held")

    async def write():  # again, until the browser has heard which frame has the focus
        person.viewer.said = [each for each in person.viewer.said if each["type"] != "copied"]
        await person.click(left + 200, top + 120)
        await person.press("a", "KeyA", 65, mods=2)
        await person.do("text", text="one two")
        await person.press("a", "KeyA", 65, mods=2)
        await person.do("copy")
        return (await person.viewer.next("copied"))["text"]

    await becomes(write, "one two")
    await person.click(left + 150, top + 215)
    menu = await person.viewer.next("menu")
    assert [option["text"] for option in menu["options"]] == ["One", "Two"]
    await person.do("choose", index=1)
    await person.press("Tab", "Tab", 9)
    person.viewer.said.remove(menu)
    await person.press("ArrowDown", "ArrowDown", 40, mods=1)
    menu = await person.viewer.next("menu")
    assert [option["on"] for option in menu["options"]] == [False, True]
    await person.order("give", "agent")


async def test_a_hold_that_is_about_to_end_is_told_and_can_be_kept_once(caller, person):
    hold = hold_of(caller)
    await person.order("take", "held")
    assert person.now["ends"] is None
    hold._hold_s = time.monotonic() - hold._began + 25
    await becomes(lambda: person.now["ends"] is not None)
    await person.order("keep")
    first = person.now["ends"]
    await becomes(lambda: (person.now["ends"] or first) > first or person.now["ends"] is None)
    hold._began -= 25  # as if it had lasted as long
    await asyncio.sleep(2 * holding.LOOK)
    assert person.now["state"] == "held"
    hold._began -= 25
    await becomes(lambda: person.now["state"], "agent")


async def test_a_person_is_told_where_the_page_does_not_get(person, unused_port):
    await person.order("take", "held")
    await person.do("go", to="url", url=f"http://127.0.0.1:{unused_port}/")
    await person.viewer.next("refused", lambda told: "did not get there" in told["text"])


async def test_what_waited_when_the_hold_ended_is_not_done_under_the_agent(caller, person):
    await person.order("take", "held")
    await person.viewer.send(type="pace", visible=False)  # so that there is no session to go with
    await person.do("go", to="url", url=f"{caller.site}/")
    await person.do("page", op="new")
    await person.order("give", "agent")
    await person.viewer.send(type="pace", visible=True)
    for each in ("go", "page"):
        await person.viewer.next("refused", lambda told, of=each: told["of"] == of)
    assert "Press" in await caller("snapshot")
    assert len(person.now["pages"]) == 1


async def test_a_copy_that_comes_after_the_hold_is_told_to_nobody(caller, person, monkeypatch):
    monkeypatch.setattr(orders, "ARRIVAL", 0.5)
    busy = "const end = Date.now() + 3000; while (Date.now() < end);"
    await caller.run(f"b.onclick = () => {{ {busy} }}; a.value = 'one'; a.select(); 0")
    await person.order("take", "held")
    await person.do("copy")
    await person.viewer.next("copied")
    person.viewer.said = [told for told in person.viewer.said if told["type"] != "copied"]
    await person.click(200, 320)  # the page is busy for three seconds
    await person.do("copy")
    await person.order("give", "agent")
    assert await caller.run("a.value") == "one"
    assert not [told for told in person.viewer.said if told["type"] == "copied"]


async def test_what_somebody_pressed_who_is_gone_is_let_go_when_another_takes_over(
    caller, person, link, monkeypatch
):
    monkeypatch.setattr(holding, "AWAY", 0.2)
    await caller.run(
        "a.onkeydown = () => { document.title = 'down' };"
        " a.onkeyup = () => { document.title = 'up' }; 0"
    )
    await person.order("take", "held")
    await person.click(200, 120)
    await person.do("key", kind="down", key="Shift", code="ShiftLeft", number=16, mods=8)
    await becomes(lambda: person.now["pages"][0]["title"], "down")
    await person.viewer.socket.close()
    await asyncio.sleep(0.5)
    async with watching(await link()) as viewer:
        other = Person(viewer, await viewer.open())
        await viewer.next("place")
        await other.order("take")
        await viewer.next("place", lambda told: (told["holder"], told["state"]) == ("you", "held"))
        await becomes(lambda: other.now["pages"][0]["title"], "up")


async def test_no_address_whose_check_outlasts_the_hold_is_gone_to(caller, person, monkeypatch):
    checks, go_on = [], asyncio.Event()
    check = Guard.check

    async def slow(self, url):
        if "late" in url:
            checks.append(url)
            await go_on.wait()
        return await check(self, url)

    monkeypatch.setattr(Guard, "check", slow)
    monkeypatch.setattr(orders, "ARRIVAL", 0.5)
    await person.order("take", "held")
    await person.do("go", to="url", url=f"{caller.site}/?late")
    await eventually(lambda: checks)
    await person.order("give", "agent")
    go_on.set()
    told = await person.viewer.next("refused", lambda told: told["of"] == "go")
    assert told["text"] == "Your control ended before that was done."
    await asyncio.sleep(0.5)
    assert "late" not in await caller.run("location.href")
