"""Budgets, time-outs, cancellation and sudden deaths: enforced from outside, always answered."""

import asyncio
import json
import os
import signal
import time

import pytest

from strap import Caller
from tests.support.model_server import act, done
from tests.support.waiting import eventually

from .conftest import NAMES
from .lab import begin, browsers, click, running

pytestmark = pytest.mark.anyio
WAIT = act("wait", seconds=0)


async def test_the_budget_is_kept_while_the_model_thinks_and_while_a_page_hangs(lab, hang):
    began = time.monotonic()
    hanging = act("navigate", url=f"{lab.site}/hang", new_tab=False)
    both = lab.raw(WAIT, hang, budget_s=7), lab.raw(WAIT, hanging, budget_s=7)
    for result in await asyncio.gather(*both):
        answer = await lab.checked(result, picture=False)
        assert (answer["status"], answer["stop_reason"]) == ("failed", "budget")
        assert answer["timeouts"]["timed_out"]
        assert answer["result"] is None
        assert "budget_s" in answer["summary"]
    assert 6 < time.monotonic() - began < 7 + 10


async def test_a_budget_that_is_over_before_anything_began(lab):
    answer = await lab.run(done("ok"), budget_s=0.01, picture=False)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "budget")


async def test_a_budget_that_is_over_while_others_run(lab):
    slots = lab.runs._slots
    for _ in range(3):  # as many as may run at a time
        await slots.acquire()
    answer = await lab.run(done("ok"), budget_s=0.3, picture=False)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "budget")
    assert "while the run waited for others to end" in answer["summary"]
    assert answer["artifacts"]["screenshots"] == 0
    call = asyncio.create_task(lab.raw(done("ok"), budget_s=40))
    cancelled = await lab.started()
    await lab.web(resource="browser", action="cancel_run", session_id=cancelled)
    answer = await lab.checked(await call, picture=False)
    assert (answer["stop_reason"], answer["summary"]) == ("cancelled", "The run was cancelled.")
    call = asyncio.create_task(lab.raw(done("ok"), budget_s=40))
    await eventually(lambda: slots._waiters)
    for _ in range(3):
        slots.release()
    answer = await lab.checked(await call)
    assert (answer["status"], slots._value) == ("success", 3)


@pytest.mark.soak
async def test_endless_scripts(lab, monkeypatch):
    """Pages that a script holds for ever: what they looked like is kept, and nothing waits."""
    monkeypatch.setattr("strap_agent.run.LOOK_LIMIT", 7)  # machines are busy
    monkeypatch.setattr("strap_agent.run.END_LIMIT", 8)
    began = time.monotonic()
    runs = {"/endless": (click("Go on"), WAIT), "/at-once": (WAIT,)}
    both = (lab.raw(*script, path=path, budget_s=8) for path, script in runs.items())
    for result in await asyncio.gather(*both):
        answer = await lab.checked(result)
        assert (answer["status"], answer["stop_reason"]) == ("failed", "budget")
        assert answer["page"]["title"] in ("Endless", "At once")
        assert any("held the page up" in error["summary"] for error in answer["errors_top"])
    assert time.monotonic() - began < 8 + 15


async def test_steps_that_time_out(lab, hang):
    answer = await lab.run(hang, step_timeout_s=2, llm_timeout_s=30)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "step_timeout")
    assert answer["timeouts"]["timed_out"]
    assert "step_timeout_s" in answer["summary"]
    assert "held the page up" not in str(answer["errors_top"])  # it is the model that hangs
    assert await lab.events(answer, event_types=["agent"], has_error=True)


async def test_a_step_that_times_out_and_a_next_one(lab, hang):
    answer = await lab.run(hang, done("42"), step_timeout_s=6, llm_timeout_s=30)
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert "step_timeout_s" in answer["warnings"][0]


async def test_a_worker_that_says_nothing(lab, hang, monkeypatch):
    monkeypatch.setattr("strap_agent.supervisor.SILENCE", 0.5)
    call = await begin(lab, hang, step_timeout_s=5, llm_timeout_s=5)
    os.kill(running(lab)._worker.pid, signal.SIGSTOP)
    answer = await lab.checked(await call)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "step_timeout")


async def test_a_worker_that_is_killed(lab, hang):
    call = await begin(lab, hang)
    os.kill(running(lab)._worker.pid, signal.SIGKILL)
    answer = await lab.checked(await call)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    assert "ended in the middle" in answer["summary"]


async def test_a_browser_that_is_killed(lab, hang):
    call = await begin(lab, WAIT, hang)
    await eventually(lambda: running(lab).recorder.steps >= 1)
    [pid] = browsers()
    os.kill(pid, signal.SIGKILL)
    answer = await lab.checked(await call)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
    answer = await lab.run(done("the next run works"))
    assert answer["status"] == "success"


@pytest.mark.parametrize(
    "when", ["before", pytest.param("during", marks=pytest.mark.soak), "after"]
)
async def test_cancel_run(lab, hang, when):
    script = (hang,) if when != "after" else (WAIT, hang)
    if when == "before":
        call = asyncio.create_task(lab.raw(*script))
    else:
        call = await begin(lab, *script)
    if when == "after":
        await eventually(lambda: running(lab).recorder.steps >= 1)
    session_id = await lab.started()
    said = await lab.web(resource="browser", action="cancel_run", session_id=session_id)
    assert said.text == f"Cancelled the run {session_id}."
    began = time.monotonic()
    answer = await lab.checked(await call, picture=when != "before")
    assert time.monotonic() - began < 10
    assert answer["session_id"] == session_id
    assert (answer["status"], answer["stop_reason"]) == ("failed", "cancelled")
    assert answer["result"] is None
    said = await lab.web(resource="browser", action="cancel_run", session_id=session_id)
    assert "is over already: failed, cancelled" in said.text


async def test_a_client_that_goes_away(lab, hang):
    call = await begin(lab, hang)
    session_id = await lab.started()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await lab.nothing_left()
    record = lab.stored(session_id)
    assert (record.status, record.stop_reason) == ("failed", "cancelled")
    assert lab.store.counts(session_id)["screenshots"] >= 1


async def test_a_session_that_ends(lab, hang):
    ending = lab.web.as_caller("ending")
    mark = "[ending]"
    lab.model.scripts[mark] = (hang,)
    call = asyncio.create_task(
        ending(resource="browser", action="eval", url=str(lab.site), task=f"look {mark}")
    )
    await eventually(lambda: len(lab.runs.active) == 1)
    [session_id] = lab.runs.active
    other = lab.web.as_caller("never-run")
    for action in ("get_run_events", "get_screenshots", "cancel_run"):
        error = await other.fails(resource="browser", action=action, session_id=session_id)
        assert error.code == "no_run"
    assert json.loads((await other(resource="browser", action="list_runs")).text)["runs"] == []
    await lab.web.router.end_session("local/ending")
    answer = await lab.checked(await call, picture=False)
    assert answer["stop_reason"] == "cancelled"
    assert "50 instead of 60" in answer["warnings"][0]


async def test_runs_side_by_side_do_not_mix(lab):
    def script(name):
        return act("navigate", url=f"{lab.site}/run/{name}", new_tab=False), done(name)

    answers = await asyncio.gather(*(lab.raw(*script(name)) for name in NAMES))
    checked = [await lab.checked(answer) for answer in answers]
    assert [answer["result"] for answer in checked] == list(NAMES)
    assert len({answer["session_id"] for answer in checked}) == len(NAMES)
    assert sum("waited" in line for a in checked for line in a["warnings"]) == 1
    for name, answer in zip(NAMES, checked, strict=True):
        told = {}
        for kind in ("agent", "network", "console"):
            told[kind] = json.dumps(
                await lab.events(answer, event_types=[kind], include_details=True)
            )
        told["pictures"] = str([shot.title for shot in lab.store.shots(answer["session_id"])])
        marks = {"agent": "/run/{}", "network": "/run/{}", "console": "I am {}"}
        for kind, text in told.items():
            mark = marks.get(kind, "Run {}")
            assert mark.format(name) in text, (kind, name)
            assert not any(mark.format(other) in text for other in NAMES if other != name), kind


async def test_progress_lifts_the_limit_of_those_who_see_none(lab):
    async def report(message, number, total):
        pass

    lab.model.scripts["[seen]"] = (done("ok"),)
    result = await lab.web.router.call(
        {"resource": "browser", "action": "eval", "url": str(lab.site), "task": "look [seen]"},
        caller=Caller(transport="stdio"),
        progress=report,
    )
    answer = await lab.checked(result)
    assert answer["timeouts"]["budget_s"] == 60
    assert answer["warnings"] == []
