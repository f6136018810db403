"""A person pauses a run, takes control of its page, and hands back."""

import asyncio
import json
import os
import signal
import threading
from dataclasses import replace

import pytest

from strap import testing
from strap_agent.person.pause import NOBODY
from strap_agent.supervisor import DROPPED
from strap_agent.worker.gate import REST
from strap_agent.workers.pool import Worker
from tests.plugins.browser.live.watcher import Person, watching
from tests.support.model_server import act, acts, done
from tests.support.waiting import becomes, eventually

from .lab import browsers, running
from .test_watched import link, open_run

pytestmark = pytest.mark.anyio
CANARY = "canary-4711"
WAIT = act("wait", seconds=0)


def prompt(lab, number=-1):
    return json.dumps(lab.model.asked[number]["messages"], ensure_ascii=False)


def offered(body):
    return "ask_person" in json.dumps({k: v for k, v in body.items() if k != "messages"})


async def asked(lab, count):
    """Wait until the model was asked so many times more than when `count` was taken."""
    await eventually(lambda: len(lab.model.asked) >= count)


@pytest.fixture
def late(lab):
    """A model that answers when it is let go of."""

    def wait(body):
        lab.model.released.wait(60)
        return WAIT

    lab.model.released.clear()
    yield wait
    lab.model.released.set()


class Watched:
    """A run that somebody watches who may take part."""

    def __init__(self, lab):
        self.lab = lab

    async def __aenter__(self):
        self._watching = watching(await link(self.lab))
        self.viewer = await self._watching.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self._watching.__aexit__(*error)
        if error[0] is not None:
            self.end()

    def end(self):
        """End what goes on, so that the next test meets nothing of it."""
        for run in list(self.lab.runs.active.values()):
            run.stop("cancelled")

    async def begin(self, *script, first=True, **fields):
        """Start a run; returns the call, and who watches it, from its `first` step on."""
        self.before = len(self.lab.model.asked) + first
        here = threading.Event()

        def wait(body):
            here.wait(30)
            return WAIT

        script = (wait, *script) if first else script
        call = asyncio.create_task(self.lab.raw(*script, **fields))
        place = await open_run(self.viewer)
        await self.viewer.next("place", lambda told: told["id"] == place["id"])
        person = Person(self.viewer, place["id"])
        await becomes(lambda: person.now["id"], place["id"])
        here.set()
        return call, person


@pytest.fixture
async def watched(lab):
    async with Watched(lab) as made:
        yield made
        made.end()


async def test_paused_while_the_model_answers_nothing_is_done_until_it_goes_on(lab, late, watched):
    call, person = await watched.begin(late, WAIT, done("42"), budget_s=60)
    await asked(lab, watched.before + 1)
    await person.order("pause", "paused")
    lab.model.released.set()
    await asyncio.sleep(1)
    assert running(lab).recorder.steps == 1
    await person.order("resume", "agent")
    answer = await lab.checked(await call)
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert "A person paused you for" in prompt(lab)
    assert answer["timeouts"]["paused_s"] >= 1
    assert "not counted" in answer["warnings"][0]
    told = [event["summary"] for event in await lab.events(answer, event_types=["agent"])]
    assert any(line.startswith("step 3") for line in told)
    assert not any(line.startswith("step 4") for line in told)
    assert {"paused by a person"} <= set(told)
    dropped = [line for line in told if line.startswith("an answer of the model was dropped")]
    assert dropped == [f"{DROPPED} (15 tokens, which are counted)"]
    calls = len(lab.model.asked) - watched.before + 1
    usage = answer["usage"]
    assert usage["model_calls"] == calls
    assert (usage["input_tokens"], usage["output_tokens"]) == (10 * calls, 5 * calls)


async def test_paused_within_a_step_the_rest_of_it_is_left_out_and_told(lab, watched):
    steps = acts(
        {"wait": {"seconds": 0}},
        {"wait": {"seconds": 3}},
        {"navigate": {"url": f"{lab.site}/second", "new_tab": False}},
    )
    call, person = await watched.begin(steps, done("42"), budget_s=60)

    def waits():
        entries = [told for told in person.viewer.said if told["type"] == "entry"]
        return [
            told for told in entries if told["kind"] == "act" and told["text"].startswith("wait")
        ]

    await eventually(lambda: len(waits()) == 3)  # that of the first step is one of them
    await person.order("pause", "pausing")
    await becomes(lambda: person.now["state"], "paused")
    await person.order("resume", "agent")
    answer = await lab.checked(await call)
    assert answer["status"] == "success"
    assert REST in prompt(lab)
    assert "Waited for 3 seconds" in prompt(lab)
    assert not answer["page"]["url"].endswith("/second")


async def test_paused_before_the_first_step_nothing_is_lost(lab, watched, monkeypatch):
    ready, go_on = Worker.ready, asyncio.Event()

    async def late(self):
        await go_on.wait()
        await ready(self)

    monkeypatch.setattr(Worker, "ready", late)
    call, person = await watched.begin(done("42"), first=False, budget_s=60)
    await person.order("pause", "paused")
    go_on.set()
    await asyncio.sleep(1.5)
    assert len(lab.model.asked) == watched.before
    await person.order("resume", "agent")
    answer = await lab.checked(await call)
    assert (answer["status"], answer["page"]["title"]) == ("success", "Shop")


async def test_the_budget_stands_still(lab, late, watched):
    call, person = await watched.begin(late, done("42"), budget_s=8, step_timeout_s=60)
    await asked(lab, watched.before + 1)
    await person.order("pause", "paused")
    await asyncio.sleep(9)
    lab.model.released.set()
    await person.order("resume", "agent")
    answer = await lab.checked(await call)
    assert answer["status"] == "success"
    assert answer["timeouts"]["paused_s"] >= 9


@pytest.mark.parametrize("path", ["/file", "/far"])
async def test_who_has_control_and_then_the_agent_hear_that_the_page_asks_for_a_file(
    lab, late, watched, path
):
    call, person = await watched.begin(late, done("42"), path=path, budget_s=60)
    await asked(lab, watched.before + 1)
    await person.viewer.picture()
    await person.order("take", "held")
    await person.click(30, 10)
    told = await person.viewer.next("refused", lambda told: told["of"] == "file")
    assert told["text"] == "The page asks for a file, which is not given in a run."
    lab.model.released.set()
    await person.order("give", "agent")
    await lab.checked(await call)
    assert "The page asks for a file, which you cannot give." in prompt(lab)


async def test_a_person_takes_control_and_what_they_type_is_kept_nowhere(
    lab, late, watched, caplog
):
    call, person = await watched.begin(late, done("42"), path="/form", budget_s=60)
    await asked(lab, watched.before + 1)
    await person.viewer.picture()
    await person.order("take", "held")
    assert person.now["holder"] == "you"
    await person.click(100, 15)
    await person.do("text", text=CANARY)
    await person.do("go", to="url", url=f"{lab.site}/second?{CANARY}")
    await becomes(lambda: person.now["pages"][0]["url"].partition("?")[0], f"{lab.site}/second")
    lab.model.released.set()
    await person.order("give", "agent")
    answer = await lab.checked(await call)
    assert answer["status"] == "success"
    assert "A person had control for" in prompt(lab)
    assert "/form)" in prompt(lab)
    assert CANARY not in json.dumps(answer)
    assert CANARY not in json.dumps(await lab.events(answer, include_details=True))
    # Where the page is now is told; nothing else of it is.
    said = [told for told in person.viewer.said if told["type"] not in ("place", "places")]
    assert CANARY not in json.dumps(said)
    assert CANARY not in caplog.text


@pytest.mark.parametrize("what", ["worker", "browser"])
async def test_what_dies_while_a_person_has_control_ends_the_run_and_the_hold(
    lab, late, watched, what
):
    call, person = await watched.begin(late, done("42"), budget_s=60)
    await asked(lab, watched.before + 1)
    await person.order("take", "held")
    if what == "worker":
        os.kill(running(lab)._worker.pid, signal.SIGKILL)
    else:
        [pid] = browsers()
        os.kill(pid, signal.SIGKILL)
    answer = await lab.checked(await call)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    told = await person.viewer.next("place", lambda told: told["state"] == "over")
    assert told["holder"] in (None, "you")
    lab.model.released.set()


async def test_a_person_goes_only_where_the_run_may(lab, late, watched):
    call, person = await watched.begin(late, done("42"), budget_s=60)
    await asked(lab, watched.before + 1)
    await person.viewer.picture()
    await person.order("take", "held")
    await person.do("go", to="url", url=await link(lab))
    assert (await person.viewer.next("refused"))["of"] == "go"
    lab.model.released.set()
    await person.order("give", "agent")
    assert (await lab.checked(await call))["status"] == "success"


async def test_a_person_opens_and_closes_pages_of_a_run(lab, late, watched):
    call, person = await watched.begin(late, WAIT, done("42"), budget_s=60)
    await asked(lab, watched.before + 1)
    await person.order("take", "held")
    await person.do("go", to="url", url=f"{lab.site}/closed")
    await becomes(lambda: person.now["pages"][0]["url"], f"{lab.site}/closed")
    [first] = person.now["pages"]
    await person.do("page", op="new")
    await becomes(lambda: len(person.now["pages"]), 2)
    second = next(page["id"] for page in person.now["pages"] if page["id"] != first["id"])
    await becomes(lambda: person.now["shown"], second)
    await person.do("go", to="url", url=f"{lab.site}/second")
    await becomes(lambda: (running(lab).monitor.pages[second])["url"], f"{lab.site}/second")
    await person.do("page", op="select", page=first["id"])
    await becomes(lambda: person.now["shown"], first["id"])
    await person.do("page", op="close", page=second)
    await becomes(lambda: [page["id"] for page in person.now["pages"]], [first["id"]])
    await person.order("give", "agent")
    lab.model.released.set()
    assert (await lab.checked(await call))["status"] == "success"


async def test_the_agent_asks_and_goes_on_when_it_was_helped(lab, watched):
    ask = act("ask_person", reason="Please log in")
    call, person = await watched.begin(ask, done("42"), budget_s=60)
    told = await person.viewer.next("place", lambda told: told["ask"], within=30)
    assert told["ask"]["text"] == "Please log in"
    await person.order("take", "held")
    await person.do("go", to="url", url=f"{lab.site}/second")
    await becomes(lambda: person.now["pages"][0]["url"], f"{lab.site}/second")
    await person.order("give", "agent")
    answer = await lab.checked(await call)
    assert answer["page"]["title"] == "Second"
    assert answer["timeouts"]["paused_s"] > 0
    assert prompt(lab).count("A person had control for") == 1
    assert "Asked the person: Please log in" in prompt(lab)


async def test_a_client_that_can_ask_is_asked_though_nobody_watches(lab):
    asked = []

    async def invite(text, url):
        asked.append((text, url.partition("#")[0]))
        return True

    asking = replace(lab.web.caller, invite=invite)
    inviting = replace(lab, web=testing.Web(lab.web.router, asking, lab.web.calls))
    answer = await inviting.run(act("ask_person", reason="Log in"), done("42"))
    assert answer["status"] == "success"
    [(text, url)] = asked
    assert (text, url.startswith("http://127.0.0.1:")) == ("Log in", True)
    assert "The person says that it is done." in prompt(lab)


async def test_who_is_asked_may_decline(lab, watched):
    call, person = await watched.begin(act("ask_person", reason="Log in"), done("no"))
    await person.viewer.next("place", lambda told: told["ask"], within=30)
    await person.viewer.send(type="decline", place=person.place, reason="not today")
    answer = await lab.checked(await call)
    assert answer["status"] == "success"
    assert "The person declined: not today" in prompt(lab)


async def test_where_nobody_watches_nobody_is_asked(lab):
    answer = await lab.run(WAIT, done("42"))
    assert answer["status"] == "success"
    assert "paused_s" not in answer["timeouts"]
    assert not any(offered(body) for body in lab.model.asked[-2:])


async def test_who_has_left_is_asked_for_nothing(lab, late):
    async with Watched(lab) as watched:
        ask = act("ask_person", reason="Log in")
        call, _ = await watched.begin(late, ask, done("42"), budget_s=60)
        await asked(lab, watched.before + 1)
        assert offered(lab.model.asked[-1])
    await eventually(lambda: not running(lab).supervisor.person.is_watched)
    lab.model.released.set()
    answer = await lab.checked(await call)
    assert answer["status"] == "success"
    assert NOBODY in prompt(lab)


async def test_a_paused_run_that_is_stopped_says_who_did(lab, late, watched):
    call, person = await watched.begin(late, budget_s=60)
    await asked(lab, watched.before + 1)
    await person.order("pause", "paused")
    await person.order("stop")
    answer = await lab.checked(await call)
    assert answer["stop_reason"] == "cancelled"
    assert answer["summary"] == "A person stopped the run in the live view."


async def test_a_client_that_sees_no_progress_is_answered_and_the_run_goes_on(
    lab, late, monkeypatch
):
    monkeypatch.setattr("strap_agent.limits.LATEST", 4)
    mark, alice = "[patient]", lab.web.as_caller("alice")
    lab.model.scripts[mark] = (late, done("42"))
    before = len(lab.model.asked)
    call = asyncio.create_task(
        alice(resource="browser", action="eval", url=str(lab.site), task=f"look {mark}")
    )
    await asked(lab, before + 1)
    made = await alice(resource="browser", action="live")
    async with watching(made.data["url"]) as viewer:
        person = Person(viewer, (await open_run(viewer))["id"])
        await viewer.next("place")
        await person.order("pause", "paused")
        answer = (await call).data
        assert (answer["status"], answer["stop_reason"]) == ("failed", "paused")
        assert "it goes on" in answer["summary"]
        await person.order("resume", "agent")
        lab.model.released.set()
        await eventually(lambda: lab.stored(answer["session_id"]).status == "success")
    await lab.web.router.end_session("local/alice")
    await lab.nothing_left()
