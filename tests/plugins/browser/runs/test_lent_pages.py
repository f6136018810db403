"""A run on a page of the caller's own: the agent leaves it as it is, and nobody else uses it."""

import asyncio
import json
import re
import threading
import time
from dataclasses import replace

import jsonschema
import pytest

from tests.plugins.browser.live.watcher import Person, watching
from tests.site.server import Raw, Reply, serve
from tests.support.model_server import act, done
from tests.support.waiting import becomes, eventually

from .lab import SCHEMA, click, laboratory, shown

pytestmark = pytest.mark.anyio
PAGE = """<!doctype html><title>Club</title><h1>Club</h1>
<button onclick="this.textContent='Joined';document.title='In'">Join</button>
<button onclick="alert('one');this.textContent=confirm('two')?'Yes':'No'">Ask</button>
<a href="/hall" target="_blank" rel="opener">Hall</a> <a href="/annex" target="_blank">Annex</a>"""


@pytest.fixture(scope="module")
def club():
    def told(request):
        return f"<title>Told</title><h1>{request.headers.get('cookie', 'nobody')}</h1>"

    login = Reply(headers={"Set-Cookie": "member=ada"}, body=PAGE)
    hall, annex = "<title>Hall</title><h1>Hall</h1>", "<title>Annex</title><h1>Here it is</h1>"
    with serve({"/": login, "/hall": hall, "/annex": annex, "/told": told}) as served:
        yield served


@pytest.fixture(scope="module")
async def own(tmp_path_factory, club):
    """A laboratory with a profile in which every caller begins without cookies."""
    home = tmp_path_factory.mktemp("lent")
    async with laboratory(home, club, profiles={"case": {"ephemeral": True}}) as opened:
        yield opened


class Visitor:
    """A caller with a page of its own, which it lends the agent."""

    def __init__(self, lab, session):
        self.lab, self.web, self.page = lab, lab.web.as_caller(session), ""

    async def __call__(self, name, **fields):
        return (await self.web(resource="browser", action=name, **fields)).text

    async def lend(self, *script, **fields):
        given = {"url": "", "target_id": self.page} | fields
        result = await replace(self.lab, web=self.web).raw(*script, **given)
        jsonschema.validate(result.data, SCHEMA)
        return result.data

    async def seen(self, script):
        return json.loads(await self("evaluate", text=script))


@pytest.fixture
def hang(own):
    """A model that does not answer until the test is over."""

    def wait(body):
        own.model.released.wait(60)
        return Raw()

    own.model.released.clear()
    yield wait
    own.model.released.set()


@pytest.fixture
async def visitor(own, club, request):
    made = Visitor(own, request.node.name)
    await made("launch", profile="case")
    await made("navigate", url=f"{club}/")
    made.page = re.search(r"\bt\d+\b", await made("list_pages"))[0]
    yield made
    await own.web.router.end_session(f"local/{made.web.caller.session}")


async def test_what_the_agent_did_is_there_afterwards(visitor, own):
    await visitor("evaluate", text="window.kept = 1")
    answer = await visitor.lend(click("Join"), done("joined"))
    assert (answer["status"], answer["result"]) == ("success", "joined"), answer
    assert answer["artifacts"]["screenshots"] >= 2
    assert "No page was loaded" not in str(answer["warnings"])  # it was before the run
    assert await visitor.seen("[document.title, window.kept]") == ["In", 1]
    assert "Joined" in await visitor("snapshot")
    again = await visitor.lend(done("seen"))
    assert again["status"] == "success"
    assert "Joined" in str(own.model.asked[-1]["messages"])
    assert await visitor.seen("window.kept") == 1


async def test_the_page_rests_since_the_agent_last_did_something(visitor, club, monkeypatch):
    # The limit is too short for a page that has to rest for so long from now on.
    monkeypatch.setattr("strap_browser.actions.rest.REST_MS", 1500)

    def think(body):
        time.sleep(1.7)
        return done("seen")

    await visitor.lend(act("navigate", url=f"{club}/told"), think)
    assert "The page is idle." in await visitor("wait", timeout=0.8)


async def test_a_run_may_begin_elsewhere(visitor, club):
    answer = await visitor.lend(done("seen"), url=f"{club}/told")
    assert answer["page"]["title"] == "Told"
    assert await visitor.seen("document.title") == "Told"


async def test_what_the_page_opens_is_the_callers_and_what_the_agent_opens_goes(visitor, club, own):
    asked = len(own.model.asked)
    answer = await visitor.lend(
        click("Hall"), act("navigate", url=f"{club}/told", new_tab=True), done("seen")
    )
    assert answer["status"] == "success", answer
    assert "member=ada" in str([body["messages"] for body in own.model.asked[asked:]])
    pages = await visitor("list_pages")
    assert "/hall" in pages
    assert "/told" not in pages
    assert len(pages.splitlines()) == 2


async def test_of_a_new_window_all_is_seen_from_its_first_request_on(visitor, club):
    for link, path in ("Hall", "/hall"), ("Annex", "/annex"):
        answer = await visitor.lend(click(link), done("opened"))
        told = await visitor(
            "get_run_events", session_id=answer["session_id"], event_types=["network"]
        )
        assert f"GET {club}{path} 200" in told


async def test_the_agent_is_shown_what_is_in_a_new_window(visitor):
    def look(body):
        return done("seen") if "Here it is" in shown(body) else act("wait", seconds=1)

    for _ in range(2):  # the address came too early for browser-use nearly every other time
        answer = await visitor.lend(click("Annex"), look, max_steps=6)
        assert answer["status"] == "success", answer


async def test_the_agent_begins_on_the_page_and_not_on_what_it_opened_before(visitor):
    for link in ("Hall", "Annex", "Hall"):
        answer = await visitor.lend(click(link), done("opened"))
        assert answer["status"] == "success", answer
        assert "recovered" not in str(answer["warnings"])
    assert len((await visitor("list_pages")).splitlines()) == 4
    told = []
    await visitor.lend(lambda body: told.append(shown(body)) or done("looked"))
    assert "Join" in told[0]


async def test_dialogs_are_answered_by_the_agent(visitor):
    answer = await visitor.lend(click("Ask"), done("asked"))
    assert answer["status"] == "success", answer
    assert "Yes" in await visitor("text")


async def test_other_calls_wait_until_the_page_is_back(visitor, hang):
    lending = asyncio.create_task(visitor.lend(click("Join"), hang, done("joined")))
    asked = len(visitor.lab.model.asked)
    await eventually(lambda: len(visitor.lab.model.asked) >= asked + 2)
    reading = asyncio.create_task(visitor("text"))
    await asyncio.sleep(0.3)
    assert not reading.done()
    visitor.lab.model.released.set()
    await lending
    assert "Joined" in await reading


async def test_a_run_that_is_given_up_gives_the_page_back(visitor, hang):
    asked = len(visitor.lab.model.asked)
    lending = asyncio.create_task(visitor.lend(click("Join"), hang))
    await eventually(lambda: len(visitor.lab.model.asked) >= asked + 2)
    lending.cancel()
    assert "Joined" in await visitor("text")


async def test_a_page_whose_process_dies_ends_the_run(visitor, hang, own):
    asked = len(own.model.asked)
    lending = asyncio.create_task(visitor.lend(hang))
    await eventually(lambda: len(own.model.asked) > asked)
    [run] = own.runs.active.values()
    run.monitor._cdp.post("Page.crash", run.monitor._sessions[run.monitor._target])
    answer = await lending
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    error = await visitor.web.fails(resource="browser", action="text")
    assert error.code == "page_lost"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"target_id": "t999"}, "No page 't999'"),
        ({"target_id": None}, "url must have at least 1 character"),
        ({"state_id": "ada"}, "target_id is an open page"),
        ({"profile": "chrome"}, "not strap's own browser"),
    ],
)
async def test_what_cannot_be_is_refused(visitor, fields, said):
    answer = await visitor.lend(**fields)
    assert answer["stop_reason"] in ("invalid_arguments", "browser_error")
    assert said in answer["summary"]


async def test_a_blank_page_is_nowhere_to_begin(visitor):
    await visitor("new_page")
    page = re.findall(r"\bt\d+\b", await visitor("list_pages"))[-1]
    answer = json.loads(
        (await replace(visitor.lab, web=visitor.web).raw(url="", target_id=page)).text
    )
    assert "is blank. Give url as well." in answer["summary"]


async def test_what_runs_need_is_loaded_before_the_first_one(own):
    await own.web.router.prepare("browser.eval")
    assert own.runs._workers._fork_server.alive
    assert len(list(own.runs.work.glob("*"))) == 1


async def test_who_takes_control_of_the_page_keeps_the_agent_off_it(visitor, club):
    go_on = threading.Event()

    def late(body):
        go_on.wait(30)
        return act("wait", seconds=0)

    lab, before = visitor.lab, len(visitor.lab.model.asked)
    made = await visitor.web(resource="browser", action="live")
    async with watching(made.data["url"]) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.picture()
        lending = asyncio.create_task(visitor.lend(late, click("Join"), done("joined")))
        await eventually(lambda: len(lab.model.asked) > before)
        await person.order("take", "held")
        go_on.set()
        await person.do("go", to="url", url=f"{club}/told?canary-4711")
        await becomes(lambda: person.now["pages"][0]["title"], "Told")
        assert len(lab.model.asked) == before + 1
        another = asyncio.create_task(visitor.lend(done("seen")))
        await person.do("go", to="url", url=f"{club}/")
        await becomes(lambda: person.now["pages"][0]["title"], "Club")
        await person.order("give", "agent")
        answer = await lending
        assert (answer["status"], answer["result"]) == ("success", "joined"), answer
        assert answer["timeouts"]["paused_s"] > 0
        events = await visitor(
            "get_run_events", session_id=answer["session_id"], include_details=True
        )
        assert "canary" not in events
        assert (await another)["status"] == "success"


async def test_no_run_begins_on_a_page_that_a_person_has_in_hand(visitor):
    before = len(visitor.lab.model.asked)
    made = await visitor.web(resource="browser", action="live")
    async with watching(made.data["url"]) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.next("place")
        await person.order("take", "held")
        lending = asyncio.create_task(visitor.lend(done("seen")))
        await asyncio.sleep(1)
        assert len(visitor.lab.model.asked) == before
        await person.order("give", "agent")
        assert (await lending)["status"] == "success"


async def test_a_run_in_hand_is_private_for_those_who_watch_its_caller_as_well(visitor, hang):
    made = await visitor.web(resource="browser", action="live")
    again = await visitor.web(resource="browser", action="live")
    lending = asyncio.create_task(visitor.lend(hang, done("seen")))
    async with watching(made.data["url"]) as viewer, watching(again.data["url"]) as rival:
        listed = await viewer.next("places", lambda told: len(told["places"]) == 2, within=30)
        run, session = [each["id"] for each in listed["places"]]
        await viewer.send(type="open", place=run)
        await rival.send(type="open", place=session)
        person = Person(viewer, run)
        await viewer.picture()
        await rival.picture()
        await person.order("take", "held")
        told = await rival.next("place", lambda told: told["holder"] == "other")
        assert (told["pages"], told["url"]) == ([], "")
        seen, drawn = len(rival.pictures), len(viewer.pictures)
        await person.do("go", to="url", url=f"{visitor.lab.site}/hall?canary-4711")
        await becomes(lambda: "canary" in person.now["pages"][0]["url"])
        await becomes(lambda: len(viewer.pictures) > drawn)
        assert len(rival.pictures) == seen
        assert "canary" not in json.dumps(rival.said) + await visitor("list_pages")
        person.viewer.said.clear()
        await Person(rival, session).order("take")
        assert "in a person's hands" in (await rival.next("refused"))["text"]
        await viewer.send(type="stop", place=run, epoch=told["epoch"])
        await lending
        await becomes(lambda: len(rival.pictures) > seen)

        async def is_listed():  # after a round trip to the page, which ends what it said
            return "hall" in await visitor("list_pages")

        assert await eventually(is_listed)
