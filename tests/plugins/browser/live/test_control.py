"""A person takes part: pauses the agent, takes control, types, hands back."""

import asyncio
import json
from dataclasses import replace

import pytest

from strap import testing
from strap_live.admission import Grant
from strap_live.control import hold as holding
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller
from tests.support.waiting import becomes, eventually

from .test_attacks import NOT_ADMITTED, closed_with
from .watcher import Person, address, knocking, watching

pytestmark = pytest.mark.anyio
CANARY = "canary-4711"


async def value(caller, script="a.value"):
    return await caller.run(script)


async def test_a_call_waits_while_paused_and_goes_on_then(caller, person):
    await person.order("pause", "paused")
    call = asyncio.create_task(caller("snapshot"))
    await asyncio.sleep(0.4)
    assert not call.done()
    await person.order("resume", "agent")
    assert "Press" in await call


@pytest.mark.parametrize("part", [0.8, 2], ids=["ends its wait", "is at its end"])
async def test_a_call_that_waits_too_long_says_why(caller, person, monkeypatch, part):
    """It ends its wait before its time is over, but a busy machine may let both pass at once."""
    monkeypatch.setattr(holding, "PATIENT", part)
    await person.order("take", "held")
    error = await caller.fails("click", selector="#b", timeout=0.5)
    assert error.code == "in_use"
    assert error.retryable
    assert "A person has control of this browser in the live view" in str(error)
    assert "running" in await caller("status")
    assert await caller("list_pages")


async def test_who_has_control_types_clicks_and_hands_back(caller, person):
    await person.order("take", "held")
    assert person.now["holder"] == "you"
    await person.click(200, 120)
    await person.press("H", "KeyH", 72, mods=8)
    await person.press("i", "KeyI", 73)
    await person.do("text", text=" ürgen ☃")
    await person.click(200, 320)
    await becomes(lambda: person.now["pages"][0]["title"], "Pressed Hi ürgen ☃")
    await person.order("give", "agent")
    answer = await caller("snapshot")
    assert "A person had control for" in answer
    assert "Take a new snapshot" in answer
    assert await value(caller) == "Hi ürgen ☃"


async def test_keys_do_what_they_do_in_a_browser(caller, person):
    await person.order("take", "held")
    await person.click(200, 120)
    await person.do("text", text="one two")
    await person.press("a", "KeyA", 65, mods=2)
    await person.press("x", "KeyX", 88)
    await person.press("y", "KeyY", 89)
    await person.press("Backspace", "Backspace", 8)
    await person.order("give", "agent")
    assert await value(caller) == "x"


async def test_a_list_is_shown_as_a_menu_and_can_be_chosen_from(caller, person):
    await caller.run("s.onchange = () => { document.title = s.value }; 0")
    await person.order("take", "held")
    await person.click(150, 215)
    menu = await person.viewer.next("menu")
    assert [option["text"] for option in menu["options"]] == ["One", "Two"]
    await person.do("choose", index=1)
    await becomes(lambda: person.now["pages"][0]["title"], "Two")


async def test_a_dialog_is_answered(caller, person):
    await person.order("take", "held")
    await caller.web.router.end_session("nobody")
    await person.click(200, 320)
    await person.do("go", to="url", url=f"{caller.site}/asks")
    told = await person.viewer.next("place", lambda told: told["dialog"])
    assert told["dialog"]["text"] == "Go on?"
    await person.do("dialog", accept=True)
    await becomes(lambda: person.now["dialog"], None)


async def test_a_person_goes_only_where_the_agent_may(caller, person, link):
    await person.order("take", "held")
    await person.do("go", to="url", url=await link())
    assert (await person.viewer.next("refused"))["of"] == "go"
    await person.do("go", to="url", url=f"{caller.site}/")
    await becomes(lambda: person.now["pages"][0]["title"], "Rest")
    await person.do("go", to="back")
    await becomes(lambda: person.now["pages"][0]["title"], "Form")


async def test_a_person_sends_no_form_again(caller, person, serve_orders):
    shop, orders = serve_orders
    await caller("navigate", url=shop)
    await caller("click", selector="button")
    await becomes(lambda: person.now["pages"][0]["title"], "Order 1")
    await person.order("take", "held")
    await person.do("go", to="reload")
    refused = await person.viewer.next("refused")
    said = "It is the answer to a POST, which is not sent again."
    assert refused["text"] == f"The page was not loaded again. {said}"
    await person.do("go", to="back")
    await becomes(lambda: person.now["pages"][0]["title"], "Shop")
    await person.do("go", to="forward")
    await eventually(
        lambda: (
            person.now["pages"][0]["title"] == "Order 1"
            or "CACHE_MISS" in person.viewer.last("refused")["text"]
        )
    )
    assert orders == ["POST"]


@pytest.fixture(params=[{}, {"Cache-Control": "no-store"}], ids=["cached", "no-store"])
def serve_orders(request):
    orders = []

    def order(asked):
        orders.append(asked.method)
        return Reply(body=f"<title>Order {len(orders)}</title>", headers=request.param)

    form = "<title>Shop</title><form action=/order method=post><button>Buy</button></form>"
    with serve({"/": form, "/order": order}) as shop:
        yield str(shop), orders


async def test_where_the_policy_lets_no_call_go_no_person_goes_either(home, site):
    tables = {"browser": ANY_BROWSER}
    rules = {"network": "local", "deny": ["browser.navigate@localhost"]}
    async with testing.router(home=home, plugins=tables, **rules) as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/form")
        async with watching((await caller.result("live")).data["url"]) as viewer:
            person = Person(viewer, await viewer.open())
            await viewer.picture()
            await person.order("take", "held")
            denied = str(site).replace("127.0.0.1", "localhost")
            await person.do("go", to="url", url=f"{denied}/")
            refused = await viewer.next("refused")
            assert "The policy does not allow browser to reach" in refused["text"]
            await person.do("go", to="url", url=f"{site}/")
            await becomes(lambda: person.now["pages"][0]["title"], "Rest")


async def test_after_stop_every_call_says_so_until_somebody_resumes(caller, person):
    await person.order("stop", "stopped")
    error = await caller.fails("snapshot")
    assert error.code == "stopped_by_person"
    assert not error.retryable
    await person.order("resume", "agent")
    assert await caller("snapshot")


async def test_a_hold_after_a_stop_has_its_limits_again(caller, person, monkeypatch):
    monkeypatch.setattr(holding, "LOOK", 0.05)
    await person.order("pause", "paused")
    await person.order("stop", "stopped")
    await asyncio.sleep(0.2)  # who watched over the pause has nothing to watch over any more
    await person.order("take", "held")
    monkeypatch.setattr(holding, "IDLE", 0.3)
    await becomes(lambda: person.now["state"], "agent")
    assert "Press" in await caller("snapshot")


async def test_an_order_for_an_earlier_state_is_refused(person):
    await person.order("pause", "paused")
    await person.viewer.send(type="resume", place=person.place, epoch=0)
    assert (await person.viewer.next("refused"))["text"] == "That came too late."
    await person.do("mouse", kind="down", x=1, y=1)
    told = await person.viewer.next("refused", lambda told: told["of"] == "mouse")
    assert told["text"] == "You do not have control."


async def test_a_press_on_another_size_of_the_page_is_refused(person):
    await person.order("take", "held")
    await person.do("mouse", kind="down", x=1, y=1, width=720, height=633)
    assert "changed" in (await person.viewer.next("refused"))["text"]


async def test_the_status_tells_who_watches_and_has_it_in_hand(caller, person):
    def live(told):
        return next(each for each in told["profiles"] if each["name"] == "nebo").get("live")

    assert live((await caller.result("status")).data) == {"viewers": 1, "state": "agent"}
    await person.order("take", "held")
    assert live((await caller.result("status")).data) == {"viewers": 1, "state": "held"}
    await person.order("give", "agent")


async def test_two_hands_are_one_too_many(caller, person, link):
    await person.order("take", "held")
    async with watching(await link()) as other:
        await other.open()
        told = await other.next("place")
        assert told["holder"] == "other"
        assert told["pages"] == []
        await other.send(type="take", place=person.place, epoch=told["epoch"])
        assert (await other.next("refused"))["text"] == "Somebody else has control."
        await person.click(200, 120)
        await person.do("text", text="x")
        await person.do("go", to="url", url=f"{caller.site}/form?{CANARY}")
        await becomes(lambda: CANARY in person.now["pages"][0]["url"])
        await asyncio.sleep(1.5)  # the list of places is told each second
        assert not other.pictures
        assert CANARY not in str(other.said)


async def test_who_only_watches_orders_nothing(open_web, site):
    async with open_web(live={"links": "watch"}) as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/")
        async with watching((await caller.result("live")).data["url"]) as viewer:
            place = await viewer.open()
            epoch = (await viewer.next("place"))["epoch"]
            for kind in ("pause", "take", "stop"):
                await viewer.send(type=kind, place=place, epoch=epoch)
                told = await viewer.next("refused", lambda told, kind=kind: told["of"] == kind)
                assert told["text"] == "This link is for watching only."
            for kind, fields in (("page", {"op": "new"}), ("copy", {}), ("share", {"on": True})):
                await viewer.send(type=kind, epoch=epoch, **fields)
                told = await viewer.next("refused", lambda told, kind=kind: told["of"] == kind)
                assert told["text"] == "This link is for watching only."


async def test_whose_window_is_gone_holds_nobody_up(caller, link, monkeypatch):
    monkeypatch.setattr(holding, "LOOK", 0.05)
    async with watching(await link()) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        view = caller.web.router.lifespans["browser"].of("live").view
        await person.order("take", "held")
        monkeypatch.setattr(holding, "AWAY", 0.2)
        for place in view.places._places.values():
            place.hold._away_s = 0.2
    assert "At rest" in await caller("snapshot")


async def test_who_comes_back_in_time_still_holds(caller, link):
    made = await link()
    async with watching(made) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        await person.order("take", "held")
        key = viewer.last("welcome")["key"]
    async with watching(made, key=key) as again:
        await again.open()
        assert (await again.next("place"))["holder"] == "you"


async def test_a_script_has_what_a_person_did_without_what_they_typed(caller, person):
    await person.order("take", "held")
    await asyncio.sleep(1)
    await person.click(200, 120)
    await person.do("text", text=CANARY)
    await person.click(200, 320)
    await becomes(lambda: person.now["pages"][0]["title"], f"Pressed {CANARY}")
    await person.order("give", "agent")

    async def written():
        text = await caller("script")
        return text if "\nclick ref=" in text else ""

    text = await eventually(written)
    [fill] = [line for line in text.splitlines() if line.startswith("fill ")]
    name = fill.partition("value={")[2].removesuffix("}")
    assert f"\n#param {name}\n" in text
    assert CANARY not in text


async def test_what_a_person_types_is_kept_nowhere(caller, person, home, caplog):
    await caller.run(
        "a.type = 'password'; a.oninput = () => { console.log('typed ' + a.value);"
        " fetch('/log?' + a.value); }; 0"
    )
    await person.order("take", "held")
    await person.click(200, 120)
    await person.do("text", text=CANARY)
    await asyncio.sleep(0.5)
    await person.order("give", "agent")
    looks = ("snapshot", "console", "network", "text", "script")
    answers = [await caller(name) for name in looks]
    assert CANARY not in "".join(answers)
    assert CANARY not in str(person.viewer.said)
    assert CANARY not in caplog.text


async def test_the_agent_asks_and_learns_that_it_was_done(caller, person):
    asking = asyncio.create_task(caller("live", text="Please log in"))
    told = await person.viewer.next("place", lambda told: told["ask"])
    assert told["ask"]["text"] == "Please log in"
    await person.order("take", "held")
    await person.do("go", to="url", url=f"{caller.site}/")
    await becomes(lambda: person.now["pages"][0]["title"], "Rest")
    await person.order("give", "agent")
    answer = await asking
    assert answer.startswith("A person had control for")
    assert "(was " in answer


def invited(caller, answer):
    """The same caller, whose client shows a link to a person."""
    shown = []

    async def invite(text, url):
        shown.append((text, url))
        return await answer() if callable(answer) else answer

    asking = replace(caller.web.caller, invite=invite)
    return shown, Caller(testing.Web(caller.web.router, asking, caller.web.calls), caller.site)


async def test_a_client_that_can_show_a_link_does(caller):
    shown, inviting = invited(caller, None)
    asking = asyncio.create_task(inviting("live", text="Please log in"))
    [(text, url)] = await eventually(lambda: shown)
    assert text == "Please log in"
    async with watching(url) as viewer:
        person = Person(viewer, await viewer.open())
        told = await viewer.next("place")
        assert told["ask"]["text"] == "Please log in"
        await person.order("take", "held")
        await person.order("give", "agent")
        assert (await asking).startswith("A person had control for")


@pytest.mark.parametrize(
    ("answer", "said"),
    [(True, "The person says that it is done."), (False, "The person declined.")],
)
async def test_a_client_whose_person_answers_there(caller, answer, said):
    _, inviting = invited(caller, answer)
    assert await inviting("live", text="Please log in") == said


async def test_a_person_may_decline(caller, person):
    asking = asyncio.create_task(caller("live", text="Please log in"))
    await person.viewer.next("place", lambda told: told["ask"])
    await person.viewer.send(type="decline", place=person.place, reason="not now")
    assert await asking == "The person declined: not now"


async def test_nobody_does_anything(caller, person):
    answer = await caller("live", text="Please log in", timeout=2)
    assert answer.startswith("Nobody took control within")


async def test_where_nobody_watches_the_agent_is_told_what_to_ask_the_user(caller):
    answer = await caller("live", text="Please log in")
    assert answer.startswith("Nobody watches. Ask the user to open http://127.0.0.1:")


async def test_a_person_opens_turns_to_and_closes_pages_and_the_agent_goes_on_there(caller, person):
    viewer = person.viewer
    await person.do("page", op="new")
    assert (await viewer.next("refused"))["text"] == "You do not have control."
    await person.order("take", "held")
    [first] = person.now["pages"]
    await person.do("page", op="close", page=first["id"])
    await viewer.next("refused", lambda told: "last page" in told["text"])
    await person.do("page", op="new")
    await becomes(lambda: len(person.now["pages"]), 2)
    second = person.now["pages"][1]["id"]
    await becomes(lambda: person.now["shown"], second)
    await person.do("go", to="url", url=f"{caller.site}/")
    await becomes(lambda: person.now["pages"][1]["title"], "Rest")
    await person.do("page", op="select", page=first["id"])
    await becomes(lambda: person.now["shown"], first["id"])
    await person.do("page", op="close", page=first["id"])
    await becomes(lambda: [page["id"] for page in person.now["pages"]], [second])
    assert person.now["shown"] == second
    await person.order("give", "agent")
    answer = await caller("snapshot")
    assert f"now at {caller.site}/ (was {caller.site}/form), on page {second}." in answer
    assert "At rest" in answer


async def test_a_file_is_asked_of_the_agent_when_it_has_the_page_again(caller, person):
    await caller.run("a.type = 'file'; 0")
    await person.order("take", "held")
    await person.click(200, 120)
    await person.viewer.next("refused", lambda told: told["of"] == "file")
    await person.order("give", "agent")
    assert "The page asks for a file: give it with `upload`." in await caller("snapshot")


async def test_what_is_selected_is_copied_for_the_holder_alone(caller, person, link):
    await caller.run("a.value = 'one two'; 0")
    async with watching(await link()) as other:
        await other.open()
        await person.order("take", "held")
        await person.click(200, 120)
        await person.press("a", "KeyA", 65, mods=2)
        await person.do("copy")
        assert (await person.viewer.next("copied"))["text"] == "one two"
        await person.order("give", "agent")
        await caller.run("a.type = 'password'; a.select(); 0")
        await person.order("take", "held")
        await person.do("copy")
        await person.viewer.next("copied", lambda told: told["text"] == "")
        assert not [said for said in other.said if said["type"] == "copied"]


async def test_the_holder_may_let_others_see(caller, person, link):
    async with watching(await link()) as other:
        await other.open()
        await other.picture()
        await person.order("take", "held")
        await other.next("place", lambda told: told["holder"] == "other" and not told["pages"])
        seen = len(other.pictures)
        await person.do("share", on=True)
        await other.next("place", lambda told: told["shared"] and told["pages"])
        await becomes(lambda: len(other.pictures) > seen)
        await other.send(type="share", epoch=person.now["epoch"], on=False)
        await other.next("refused")
        await person.do("share", on=False)
        await becomes(lambda: other.last("place")["pages"], [])
        await person.do("share", on=True)
        await person.order("give", "agent")
        await person.order("take", "held")
        assert not person.now["shared"]


async def test_closing_all_views_voids_every_link_and_lets_the_agent_go_on(caller, person, link):
    waiting = await link()
    async with watching(await link()) as other:
        key = other.last("welcome")["key"]
        await person.order("take", "held")
        call = asyncio.create_task(caller("snapshot"))
        await person.viewer.send(type="close_views")
        for each in (person.viewer, other):
            await each.socket.wait_closed()
            assert (each.socket.close_code, each.socket.close_reason) == (4401, "all views closed")
        assert "Press" in await call
    port, _ = address(await link())
    for who in ({"ticket": address(waiting)[1]}, {"key": key}):
        async with knocking(port) as socket:
            await socket.send(json.dumps({"type": "hello", "v": 1, **who}))
            assert await closed_with(socket) == NOT_ADMITTED
    async with watching(await link()):
        pass


async def test_who_was_disconnected_orders_nothing_any_more(caller, person, link):
    async with watching(await link()) as other:
        late = Person(other, await other.open())
        await other.picture()
        other.socket.transport.pause_reading()  # so that it does not hear that all is closed
        await person.viewer.send(type="close_views")
        await person.viewer.socket.wait_closed()
        await late.order("take")
        other.socket.transport.resume_reading()
        await other.socket.wait_closed()
        assert await caller("snapshot", timeout=2)


async def test_who_may_only_watch_and_other_callers_close_nothing(caller, person, shared, sessions):
    own = shared.as_caller(f"caller{next(sessions)}")
    foreign = (await own(resource="browser", action="live")).data["url"]
    view = shared.router.lifespans["browser"].of("live").view
    only = await view.link(Grant(role="watch"))
    async with watching(foreign) as one, watching(only) as two:
        for each in (one, two):
            await each.send(type="close_views")
        await one.socket.wait_closed()
        await person.order("pause", "paused")  # and is still there
        await person.order("resume", "agent")
        assert two.socket.close_code is None
