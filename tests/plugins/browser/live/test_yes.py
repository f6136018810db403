"""A person who watches says yes or no to what the agent is about to do."""

import asyncio
from dataclasses import replace

import pytest
from playwright.async_api import async_playwright

from strap import testing
from strap.routing import consent
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller
from tests.support.chromium import LEAN
from tests.support.person import Person as Asked
from tests.support.waiting import becomes, eventually

from .watcher import Person, watching

pytestmark = pytest.mark.anyio
SECRETS = {"shop": {"value": "correct horse", "origins": ["https://shop.example"]}}


@pytest.fixture(scope="module")
async def strict(tmp_path_factory, anyio_backend):
    """A browser in which clicks and fills need a yes."""
    home = tmp_path_factory.mktemp("home")
    tables = {"browser": ANY_BROWSER}
    flags = {"confirm": ["browser.click", "browser.fill"], "secrets": SECRETS}
    async with testing.router(home=home, network="local", plugins=tables, **flags) as web:
        await web(resource="browser", action="launch")
        yield web


@pytest.fixture
async def caller(strict, site, sessions):
    session = f"yes{next(sessions)}"
    made = Caller(strict.as_caller(session), site)
    await made.open("/form")
    yield made
    await strict.router.end_session(f"local/{session}")


@pytest.fixture
async def person(caller, link):
    async with watching(await link()) as viewer:
        made = Person(viewer, await viewer.open())
        await viewer.next("place")
        yield made


async def asked(person):
    """The question that is open."""
    await becomes(lambda: bool(person.now["confirm"]))
    return person.now["confirm"]


async def say(person, question, *, yes):
    await person.viewer.send(type="answer", place=person.place, number=question["number"], yes=yes)


async def pressed(caller):
    """Whether the button was pressed."""
    return "Pressed" in await caller("snapshot")


def also_asked(caller, asker):
    """The same caller, before whose client somebody sits as well."""
    asking = replace(caller.web.caller, confirm=asker)
    return Caller(testing.Web(caller.web.router, asking, caller.web.calls), caller.site)


async def test_a_yes(caller, person):
    call = asyncio.create_task(caller("click", selector="#b"))
    question = await asked(person)
    assert question["action"] == "browser.click"
    assert question["parts"] == [
        ["Element", ['button "Press"']],
        ["Address", [f"{caller.site}/form"]],
    ]
    await becomes(lambda: person.viewer.last("places")["places"][0]["asks"])
    await say(person, question, yes=True)
    assert "Clicked" in await call
    await becomes(lambda: person.now["confirm"], None)
    entries = [told["text"] for told in person.viewer.said if told["type"] == "entry"]
    assert 'browser.click button "Press" waits for a person\'s yes' in entries
    assert "A person said yes to browser.click" in entries
    assert await pressed(caller)


async def test_a_batch_that_goes_on_waits_for_who_watches(caller, person):
    """The client of its call is gone: its person is not asked."""
    before = Asked()
    also = also_asked(caller, before)
    begun = await also.result("batch", steps=["click selector=#b", "list_pages"], detach=True)
    look = {"session_id": begun.data["session_id"], "timeout": 1.2}
    question = await asked(person)
    told = (await also.result("get_run", **look)).data
    assert (told["state"], told["waits_for"]) == ("waiting", "needs_confirmation")
    await say(person, question, yes=True)
    answer = (await also.result("get_run", **look | {"timeout": 40})).data
    assert (answer["status"], before.asked) == ("success", [])
    assert await pressed(caller)


async def test_a_batch_that_goes_on_and_nobody_watches(caller):
    before = Asked()
    also = also_asked(caller, before)
    begun = await also.result("batch", steps=["click selector=#b"], detach=True)
    answer = (await also.result("get_run", session_id=begun.data["session_id"])).data
    assert (answer["status"], before.asked) == ("failed", [])
    assert "nobody can be asked here" in answer["result"]
    assert not await pressed(caller)


async def test_a_no(caller, person):
    call = asyncio.create_task(caller.fails("click", selector="#b"))
    await say(person, await asked(person), yes=False)
    error = await call
    assert (type(error).__name__, error.code) == ("PolicyDenied", "declined")
    assert not await pressed(caller)


async def test_silence(caller, person, monkeypatch):
    monkeypatch.setattr(consent, "LIMIT", 0.5)
    assert (await caller.fails("click", selector="#b")).code == "unanswered"
    await becomes(lambda: person.now["confirm"], None)


async def test_nobody(caller, link):
    error = await caller.fails("click", selector="#b")
    assert error.code == "needs_confirmation"
    assert "in the live view, while somebody watches" in str(error)
    async with watching(await link()):  # the list alone: no place is watched
        assert (await caller.fails("click", selector="#b")).code == "needs_confirmation"


async def test_who_leaves_answers_nothing(caller, link, monkeypatch):
    monkeypatch.setattr(consent, "TOLD", 0.2)
    async with watching(await link()) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        call = asyncio.create_task(caller.fails("click", selector="#b"))
        await asked(person)
    monkeypatch.setattr("strap_live.control.questions.AWAY", 0.4)
    error = await call
    assert error.code == "needs_confirmation"
    assert "nobody watches any more" in str(error)


async def test_who_only_watches_is_no_person_to_ask(caller, link, strict):
    view = strict.router.lifespans["browser"].of("live").view
    grant = replace(next(iter(view._tickets._tickets.values()), None) or await _grant(view, link))
    made = await view.link(replace(grant, role="watch"))
    async with watching(made) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        assert (await caller.fails("click", selector="#b")).code == "needs_confirmation"
        slow = Asked(silent=True)
        call = asyncio.create_task(also_asked(caller, slow).fails("click", selector="#b"))
        await say(person, await asked(person), yes=True)
        told = await viewer.next("refused", lambda told: told["of"] == "answer")
        assert told["text"] == "This link is for watching only."
        call.cancel()


async def _grant(view, link):
    await link()
    return next(iter(view._tickets._tickets.values()))


async def test_the_first_answer_counts_and_the_other_question_is_withdrawn(caller, person):
    gone = asyncio.Event()

    async def client(question):
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    call = asyncio.create_task(also_asked(caller, client)("click", selector="#b"))
    await say(person, await asked(person), yes=True)
    assert "Clicked" in await call
    assert gone.is_set()
    both = also_asked(caller, Asked(answer=False, meanwhile=lambda: asked(person)))
    assert (await both.fails("click", selector="#b")).code == "declined"
    await becomes(lambda: person.now["confirm"], None)
    await say(person, {"number": 1}, yes=True)
    told = await person.viewer.next("refused", lambda told: told["of"] == "answer")
    assert told["text"] == "That was answered already."


async def test_where_the_client_cannot_ask_the_live_view_still_does(caller, person):
    async def broken(question):
        raise RuntimeError("no line")

    call = asyncio.create_task(also_asked(caller, broken)("click", selector="#b"))
    await say(person, await asked(person), yes=True)
    assert "Clicked" in await call


async def test_who_comes_meanwhile_is_asked_as_well(caller, link):
    slow = also_asked(caller, Asked(silent=True))
    call = asyncio.create_task(slow("click", selector="#b"))
    await asyncio.sleep(0.2)
    async with watching(await link()) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        await say(person, await asked(person), yes=True)
        assert "Clicked" in await call


async def test_a_call_that_is_given_up_takes_its_question_back(caller, person):
    call = asyncio.create_task(caller("click", selector="#b"))
    await asked(person)
    call.cancel()
    await becomes(lambda: person.now["confirm"], None)


async def test_who_takes_control_is_asked_no_more(caller, person, monkeypatch):
    monkeypatch.setattr("strap_live.control.hold.IN_FLIGHT", 0.2)
    call = asyncio.create_task(caller.fails("click", selector="#b"))
    await asked(person)
    await person.order("take", "held")
    assert (await call).code == "in_use"
    await becomes(lambda: person.now["confirm"], None)
    await person.order("give", "agent")
    assert not await pressed(caller)


async def test_values_are_told_but_no_secrets(caller, person):
    call = asyncio.create_task(caller("fill", selector="#a", value="Ada, correct horse"))
    question = await asked(person)
    assert ["value", ["Ada, {{shop}}"]] in question["parts"]
    await say(person, question, yes=True)
    await call
    assert "horse" not in str(person.viewer.said)


async def test_by_hand_in_a_browser_with_the_keyboard_alone(caller, link):
    async with async_playwright() as made:
        browser = await made.chromium.launch(executable_path="/usr/bin/chromium", args=[LEAN])
        page = await browser.new_page()
        await page.goto(await link())
        await page.locator("#take").wait_for()
        call = asyncio.create_task(caller("click", selector="#b"))
        await page.locator("#confirm:focus").wait_for()
        said = await page.locator("#confirm").inner_text()
        assert "May the agent do browser.click?" in said
        assert 'button "Press"' in said
        assert await page.title() == "Yes or no? · strap live"
        await page.keyboard.press("Enter")  # a key that was meant for something else
        await eventually(lambda: page.locator("#confirm-yes:enabled").count())
        assert not call.done()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        assert "Clicked" in await call
        await page.locator("#confirm").wait_for(state="hidden")
        assert await page.title() == "strap live"
        phone = {"width": 390, "height": 844}
        small = await browser.new_page(viewport=phone, has_touch=True, is_mobile=True)
        await small.goto(await link())
        call = asyncio.create_task(caller.fails("click", selector="#b"))
        await small.locator("#confirm-yes:enabled").wait_for()
        cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
        assert await small.locator("#confirm button").evaluate_all(cut) == 0
        await page.locator("#confirm-no:enabled").click()
        assert (await call).code == "declined"
        await browser.close()
