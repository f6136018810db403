"""Runs that go on after their call was answered: asked for, waited for, cancelled, lost."""

import asyncio
import json
import resource
import signal
import threading
import time

import jsonschema
import pytest

from strap import Caller, testing
from tests.plugins.http.test_crawl import page
from tests.site.server import Reply, serve
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .lab import SCHEMA

pytestmark = pytest.mark.anyio


async def look(lab, session_id, **fields):
    ask = {"resource": "browser", "action": "get_run", "session_id": session_id}
    return (await lab.web(**ask, **{"timeout": 1} | fields)).data


async def begun(lab, *script, **fields):
    result = await lab.raw(*script, detach=True, **fields)
    assert result.data["state"] in ("queued", "running")
    assert result.data["next_actions"] == [
        f'web(resource: "browser", action: "get_run", session_id: "{result.data["session_id"]}")'
    ]
    return result.data["session_id"]


async def test_a_detached_run_answers_at_once_and_get_run_waits_for_its_object(lab, site):
    session_id = await begun(lab, act("wait", seconds=1), done("fine"), budget_s=3_600)
    answer = await look(lab, session_id, timeout=60)
    jsonschema.validate(answer, SCHEMA)
    assert (answer["session_id"], answer["status"]) == (session_id, "success")
    assert answer["timeouts"]["budget_s"] == 3_600
    assert answer == lab.stored(session_id).answer
    listed = await lab.web(resource="browser", action="list_runs")
    [state] = [r["state"] for r in listed.data["runs"] if r["session_id"] == session_id]
    assert state == "done"
    await lab.nothing_left()


async def test_how_far_it_is_takes_sixty_tokens(lab, hang, o200k):
    first = act("navigate", url=f"{lab.site}/second", new_tab=False)
    session_id = await begun(lab, first, hang)
    told = {"step": 0}
    async with asyncio.timeout(60):
        while told["step"] != 1 or "waits_for" not in told:
            told = await look(lab, session_id, timeout=1.2)
    assert (told["state"], told["of"], told["waits_for"]) == ("running", 25, "the model")
    assert told["last"].startswith("step 1")
    assert len(o200k.encode(json.dumps(told))) <= 60
    said = await lab.web(resource="browser", action="cancel_run", session_id=session_id)
    assert said.text == f"Cancelled the run {session_id}."
    answer = await look(lab, session_id, timeout=20)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "cancelled")
    assert lab.stored(session_id).state == "cancelled"
    await lab.nothing_left()


async def test_runs_beyond_the_slots_wait_and_twenty_are_the_most(lab, hang):
    started = [await begun(lab, hang) for _ in range(20)]
    error = await lab.raw(hang, detach=True)
    assert "20 detached runs go on or wait already" in error.text
    states = [(await look(lab, each))["state"] for each in started]
    assert states.count("queued") == 17
    for each in started:
        await lab.web(resource="browser", action="cancel_run", session_id=each)
    ended = [await look(lab, each, timeout=30) for each in started]
    assert {each["stop_reason"] for each in ended} == {"cancelled"}
    await lab.nothing_left()


async def test_twenty_runs_of_one_principal_keep_no_other_from_theirs(lab, hang):
    mine = [await begun(lab, hang) for _ in range(20)]
    dave = testing.Web(lab.web.router, Caller(transport="http", principal="dave"), [])
    mark = "[of dave]"
    lab.model.scripts[mark] = (hang,)
    ask = {"resource": "browser", "action": "eval", "url": str(lab.site), "task": f"look {mark}"}
    his = (await dave(**ask, detach=True)).data["session_id"]
    await dave(resource="browser", action="cancel_run", session_id=his)
    for each in mine:
        await lab.web(resource="browser", action="cancel_run", session_id=each)
    await eventually(lambda: not lab.runs.active, within=30)
    await lab.nothing_left()


async def test_a_batch_goes_on_after_its_answer(lab):
    """Its steps are told like those of a run; nothing goes on with it, as its pages are gone."""
    ask = {"resource": "browser", "action": "batch", "detach": True}
    await lab.web(resource="browser", action="launch")
    for last, status in (("evaluate text=document.title", "success"), ("click ref=e9", "failed")):
        opened = threading.Event()

        def slow(_, opened=opened):
            opened.wait(60)
            return "<p>Open</p>"

        with serve({"/": "<title>A</title>", "/slow": slow}) as gate:
            steps = [f"navigate url={gate}/", f"http fetch url={gate}/slow timeout=60", last]
            told = (await lab.web(**ask, steps=steps)).data
            session_id, answer = told["session_id"], {"step": 0}
            assert told["state"] in ("queued", "running")
            while answer["step"] == 0:
                answer = await look(lab, session_id, timeout=1.1)
            assert (answer["state"], answer["step"], answer["of"]) == ("running", 1, 3)
            assert answer["last"] == steps[1]
            opened.set()
            answer = await look(lab, session_id, timeout=40)
        assert answer["url"] == f"{gate}/"
        assert (answer["status"], answer["next_actions"]) == (status, [])
        assert answer["result"].startswith("1. Now at ")
    assert "3. Failed: " in answer["result"]
    ask_again = {"resource": "browser", "action": "get_run", "session_id": session_id}
    assert (await lab.web.fails(**ask_again, value="resume")).code == "not_resumable"
    assert "Nothing was run" in str(await lab.web.fails(**ask, steps=["clack"]))
    listed = (await lab.web(resource="browser", action="list_runs")).data["runs"]
    assert [each["state"] for each in listed[:2]] == ["failed", "done"]
    await lab.web(resource="browser", action="close")


async def test_it_belongs_to_the_principal_and_outlives_the_session(lab, hang):
    alice, bob = lab.web.as_caller("alice"), lab.web.as_caller("bob")
    carol = testing.Web(
        lab.web.router, Caller(transport="http", principal="carol", session="alice"), []
    )
    mark = "[of alice]"
    lab.model.scripts[mark] = (hang,)
    ask = {"resource": "browser", "action": "eval", "url": str(lab.site), "task": f"look {mark}"}
    session_id = (await alice(**ask, detach=True)).data["session_id"]
    await lab.web.router.end_session("local/alice")
    told = await bob(resource="browser", action="get_run", session_id=session_id, timeout=1)
    assert told.data["state"] in ("queued", "running")
    unknown = ("00000000-0000-4000-8000-000000000000", "x", "../..", "", session_id.upper())
    texts = set()
    for each in (session_id, *unknown):
        for action in ("get_run", "cancel_run", "get_run_events", "get_screenshots"):
            error = await carol.fails(resource="browser", action=action, session_id=each)
            assert error.code == "no_run"
            texts.add(str(error).replace(repr(each), "ID"))
    assert len(texts) == 1
    listed = await carol(resource="browser", action="list_runs")
    assert listed.data["runs"] == []
    await bob(resource="browser", action="cancel_run", session_id=session_id)
    await eventually(lambda: not lab.runs.active)


@pytest.mark.parametrize("days", [-400, 1])
async def test_a_clock_that_jumps_changes_nothing_of_a_run(lab, monkeypatch, days):
    session_id = await begun(lab, act("wait", seconds=2), done("fine"))
    await eventually(lambda: lab.model.asked, within=60)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 86_400 * days)
    answer = await look(lab, session_id, timeout=60)
    assert (answer["status"], answer["stop_reason"]) == ("success", "done")
    listed = await lab.web(resource="browser", action="list_runs")
    [run] = [each for each in listed.data["runs"] if each["session_id"] == session_id]
    assert run["state"] == "done"
    assert run["duration_s"] >= 0
    assert await look(lab, session_id) == answer


async def test_a_full_disk_ends_a_crawl_that_goes_on_later(lab):
    whole = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    filled = []

    def fill(_):
        if not filled:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, whole[1]))
            filled.append(True)
        return page(2, "/docs/3")

    pages = {"/docs/": page(0, "/docs/1"), "/docs/1": page(1, "/docs/2"), "/docs/2": fill}
    robots = {"/robots.txt": Reply(status=404)}
    try:
        with serve({**robots, **pages, "/docs/3": page(3)}) as docs:
            ask = {"resource": "http", "action": "crawl", "url": f"{docs}/docs/"}
            begun = await lab.web(**ask, output="book", limit=9, detach=True)
            session_id = begun.data["session_id"]
            answer = await look(lab, session_id, timeout=60)
            assert answer["status"] == "failed"
            assert "File too large" in answer["summary"]
            resource.setrlimit(resource.RLIMIT_FSIZE, whole)
            again = await look(lab, session_id, value="resume")
            answer = await look(lab, again["session_id"], timeout=60)
            assert answer["status"] == "success", answer
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, whole)
    [index] = lab.home.parent.rglob("book/index.md")
    assert index.read_text().count(".md)") == 4


async def test_a_paused_run_whose_caller_does_not_ask_ends(lab, hang, monkeypatch):
    monkeypatch.setattr(lab.runs, "_orphan_s", 1.0)
    monkeypatch.setattr("strap_agent.limits.LATEST", 2.0)
    alice = lab.web.as_caller("alice")
    mark = "[orphan]"
    lab.model.scripts[mark] = (hang,)
    ask = {"resource": "browser", "action": "eval", "url": str(lab.site), "task": f"look {mark}"}
    call = asyncio.create_task(alice(**ask))
    await eventually(lambda: len(lab.runs.active) == 1)
    [run] = lab.runs.active.values()
    run.pause.begin("hold")
    interim = (await call).data
    assert interim["stop_reason"] == "paused"
    await eventually(lambda: not lab.runs.active)
    assert lab.stored(interim["session_id"]).state == "cancelled"
    await lab.nothing_left()
