"""Runs whose agent needs a person's yes before it acts."""

import asyncio
from dataclasses import replace

import pytest

from strap import testing
from strap.routing import consent
from strap_agent.person.agent_actions import ACTIONS
from tests.plugins.browser.live.watcher import Person as Viewer
from tests.plugins.browser.live.watcher import watching
from tests.site.server import serve
from tests.support.model_server import act, done
from tests.support.person import Person
from tests.support.waiting import becomes

from .lab import click, enter, index_before, laboratory, running, shown
from .test_watched import link, open_run

pytestmark = pytest.mark.anyio
PAY = """<title>Bank</title><h1>Bank</h1><script>
const did = (what) => { document.title += ' ' + what; };
const rename = () => { pay.textContent = 'Pay 9999'; };
addEventListener('keydown', (event) => event.key === 'Escape' && did('escaped'));
</script><button id=pay onclick="did('paid')">Pay 10</button>
<label>Name <input name=who oninput="did('typed')"></label>
<label>Pin <input name=pin type=password></label>
<label>Kind <select name=kind onchange="did('chose')"><option>a<option>b</select></label>
<p style="margin-top: 3000px">Far below</p>"""
OUTER = "<title>Outer</title><h1>Outer</h1><iframe src='FAR/pay' width=600 height=400></iframe>"


NAMES = sorted({name for action in ACTIONS.values() for name in action.can})


@pytest.fixture(scope="module")
def bank():
    """The bank is localhost, everything else 127.0.0.1."""
    routes = {"/pay": PAY, "/": "<title>Home</title><h1>Home</h1><a href='/pay'>Bank</a>"}
    routes["/outer"] = lambda request: OUTER.replace("FAR", far(served))
    with serve(routes) as served:
        yield served


def far(site):
    return str(site).replace("127.0.0.1", "localhost")


@pytest.fixture(scope="module")
async def strict(tmp_path_factory, bank):
    """Clicks need a yes, and on localhost every action of the agent does."""
    home = tmp_path_factory.mktemp("home")
    there = [f"browser.{name}@localhost" for name in NAMES]
    async with laboratory(home, bank, confirm=["browser.click", *there]) as opened:
        yield opened


@pytest.fixture
def person():
    return Person()


@pytest.fixture
def lab(strict, person):
    """Somebody who starts runs and is asked."""
    asking = replace(strict.web.caller, transport="python", confirm=person)
    return replace(strict, web=testing.Web(strict.web.router, asking, strict.web.calls))


def of(person, *, but=("browser.snapshot", "browser.navigate", "browser.eval")):
    """Return the questions beside those with which every run begins."""
    return [each for each in person.asked if each.action not in but]


def on(name, before, **fields):
    """An action on the element that the agent was shown before `before`."""
    return lambda body: act(name, index=index_before(shown(body), before), **fields)


KIND = 'combobox "Kind", which holds "a"'
KINDS = [
    (click("Pay 10"), "click", 'button "Pay 10"', {}),
    (
        enter("who", "Ada"),
        "fill",
        'textbox "Name"',
        {"text": "Ada"},
    ),
    (enter("pin", "4711"), "fill", 'textbox "Pin"', {"text": "•••• (4 characters)"}),
    (on("select_dropdown", "name=kind", text="b"), "select", KIND, {"text": "b"}),
    (on("dropdown_options", "name=kind"), "snapshot", KIND, {}),
    (act("send_keys", keys="Escape"), "fill", "<body>", {"keys": "Escape"}),
    (act("scroll", down=True, pages=1.0), "scroll", "", {"down": "True", "pages": "1.0"}),
    (act("find_text", text="Far below"), "scroll", "", {"text": "Far below"}),
    (act("search_page", pattern="Bank"), "text", "", None),
    (act("find_elements", selector="h1"), "snapshot", "", None),
    (act("extract", query="what"), "extract", "", None),
    (act("go_back"), "back", "", {}),
]  # fmt: skip


class Choosy(Person):
    """Lets the run begin and look, and says no to all that it does then."""

    async def __call__(self, question):
        self.asked.append(question)
        begins = ("browser.navigate", "browser.wait")
        return question.action in begins or is_look(question)


def is_look(question):
    return question.action == "browser.snapshot" and not (question.target or question.fields)


def before(lab, person):
    """The same, with another person."""
    asking = replace(lab.web.caller, confirm=person)
    return replace(lab, web=testing.Web(lab.web.router, asking, lab.web.calls))


async def test_each_kind_is_asked_about_and_a_no_keeps_it_from_happening(lab, bank):
    address, person = f"{far(bank)}/pay", Choosy()
    # After three errors in a row an agent is to end.
    script = [each for entry, *_ in KINDS for each in (entry, act("wait", seconds=0))]
    answer = await before(lab, person).run(
        *script, done("42"), url=address, budget_s=300, max_steps=60
    )
    assert answer["status"] == "success"
    first, second, *rest = person.asked
    assert (first.action, second.action) == ("browser.navigate", "browser.snapshot")
    assert len(rest) == 2 * len(KINDS)
    asked = [each for each in rest if each.action != "browser.wait"]
    names = [(each.action, each.target) for each in asked]
    assert names == [(f"browser.{name}", target) for _, name, target, _ in KINDS]
    for question, (_, _, _, fields) in zip(asked, KINDS, strict=True):
        assert question.url == address
        assert fields is None or question.fields == fields
    assert answer["page"]["title"] == "Bank"  # nothing of it happened


async def test_what_is_agreed_to_is_done_and_only_there(lab, person, bank):
    steps = (act("navigate", url=f"{far(bank)}/pay", new_tab=False), click("Pay 10"))
    answer = await lab.run(*steps, enter("who", "Ada"), done("42"), url=str(bank))
    assert answer["status"] == "success"
    assert answer["page"]["title"].startswith("Bank paid typed")
    assert [each.action for each in person.asked] == [
        f"browser.{name}" for name in ("navigate", "snapshot", "click", "fill")
    ]


async def test_in_a_frame_of_the_bank(lab, person, bank):
    answer = await lab.run(click("Pay 10"), done("42"), url=f"{bank}/outer")
    assert answer["status"] == "success"
    [asked] = person.asked
    assert (asked.action, asked.target) == ("browser.click", 'button "Pay 10"')
    assert asked.url == f"{far(bank)}/pay"


async def test_a_name_that_changes_meanwhile_is_asked_anew(lab, person, bank):
    async def rename():
        if person.asked[-1].target == 'button "Pay 10"':
            watch = running(lab).monitor
            session = watch._session(None)
            await watch._cdp.call("Runtime.evaluate", session, expression="rename()")

    person.meanwhile = rename
    answer = await lab.run(click("Pay 10"), done("42"), url=f"{far(bank)}/pay")
    assert answer["page"]["title"] == "Bank paid"
    asked = [each.target for each in person.asked if each.action == "browser.click"]
    assert asked == ['button "Pay 10"', 'button "Pay 9999"']


async def test_where_nobody_can_be_asked_the_run_ends_and_says_so(strict, bank):
    answer = await strict.run(click("Pay 10"), done("42"), url=f"{bank}/pay")
    assert (answer["status"], answer["stop_reason"]) == ("failed", "needs_confirmation")
    said = "browser.click needs a person's yes, and nobody can be asked here."
    assert answer["summary"].startswith(said)
    assert answer["errors_top"][0]["summary"].startswith(said)
    result = await strict.raw(done("42"), url=f"{far(bank)}/pay")
    assert result.data["stop_reason"] == "needs_confirmation"  # it may not even begin


async def test_silence_ends_the_run_as_well(lab, person, bank, monkeypatch):
    monkeypatch.setattr(consent, "LIMIT", 0.5)
    person.silent = True
    answer = await lab.run(click("Pay 10"), done("42"), url=f"{bank}/pay")
    assert answer["stop_reason"] == "needs_confirmation"
    assert "Nobody answered within" in answer["summary"]


async def test_the_clock_stands_still_while_a_person_thinks(lab, person, bank):
    person.meanwhile = lambda: asyncio.sleep(4)
    limits = {"step_timeout_s": 4, "llm_timeout_s": 4, "budget_s": 30}
    answer = await lab.run(click("Pay 10"), done("42"), url=f"{bank}/pay", **limits)
    assert answer["status"] == "success", answer
    assert answer["timeouts"]["paused_s"] >= 4


async def test_a_run_that_goes_on_asks_nobody_at_the_client(lab, person, bank):
    steps = (click("Pay 10"), done("42"))
    begun = (await lab.raw(*steps, url=f"{bank}/pay", detach=True)).data
    look = {"resource": "browser", "action": "get_run", "session_id": begun["session_id"]}
    answer = (await lab.web(**look)).data
    assert (answer["stop_reason"], of(person)) == ("needs_confirmation", [])


async def test_an_action_that_nobody_knows_is_asked_about(lab, person, bank, monkeypatch):
    monkeypatch.delitem(ACTIONS, "search_page")
    person.answer = False
    steps = (act("search_page", pattern="Bank"), act("search_page", pattern="Bank"))
    answer = await lab.run(*steps, done("42"), url=f"{bank}/pay")
    assert answer["status"] == "success"
    [asked] = person.asked  # who said no is not asked the same again
    assert asked.target == "the action 'search_page'"


async def test_in_the_live_view(strict, bank):
    call = asyncio.create_task(strict.raw(click("Pay 10"), done("42"), url=f"{bank}/pay"))
    async with watching(await link(strict)) as viewer:
        person = Viewer(viewer, (await open_run(viewer))["id"])
        await viewer.next("place")
        told = await viewer.next("place", lambda told: told["confirm"], within=30)
        question = told["confirm"]
        assert question["action"] == "browser.click"
        assert ["Element", ['button "Pay 10"']] in question["parts"]
        yes = {"type": "answer", "place": person.place, "number": question["number"], "yes": True}
        await viewer.send(**yes)
        answer = await strict.checked(await call)
    assert answer["status"] == "success"


async def test_who_takes_control_is_asked_no_more(strict, bank):
    call = asyncio.create_task(
        strict.raw(click("Pay 10"), done("42"), url=f"{bank}/pay", budget_s=60)
    )
    async with watching(await link(strict)) as viewer:
        person = Viewer(viewer, (await open_run(viewer))["id"])
        await viewer.next("place", lambda told: told["confirm"], within=30)
        await person.order("take", "held")
        await becomes(lambda: person.now["confirm"], None)
        await person.order("give", "agent")
        answer = await strict.checked(await call)
    assert answer["status"] == "success"
    assert answer["result"] == "42"
