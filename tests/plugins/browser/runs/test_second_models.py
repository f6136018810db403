"""The judge, and the model that takes over."""

from dataclasses import replace

import pytest

from tests.site.server import Raw
from tests.support.model_server import done, error, say, scripted
from tests.support.waiting import eventually

from .lab import begin, laboratory, running

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def backup():
    with scripted((done("from the other model"),)) as model:
        yield model


@pytest.fixture(scope="module")
async def judged(tmp_path_factory, site, backup):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENROUTER_API_KEY", "other")
        patch.setenv("OPENAI_API_KEY", "sk-other")
        patch.setenv("OPENAI_BASE_URL", backup.url)
        home = tmp_path_factory.mktemp("home")
        async with laboratory(home, site, judge=True, fallback_model="openai/backup") as lab:
            await lab.web(resource="browser", action="launch", profile="nebo")
            yield replace(lab, profile="nebo")


def verdict(passed, reason="", **flags):
    return say(
        {
            "reasoning": "looked at it",
            "verdict": passed,
            "failure_reason": reason,
            "impossible_task": False,
            "reached_captcha": False,
        }
        | flags
    )


async def test_a_judge_that_agrees(judged):
    answer = await judged.run(done("42"), verdict(True))
    assert (answer["status"], answer["warnings"]) == ("success", [])


async def test_usage_counts_the_judge_as_well(judged):
    answer = await judged.run(done("42"), verdict(True))
    assert answer["usage"] == {
        "model_calls": 2,
        "input_tokens": 20,
        "cached_tokens": 0,
        "output_tokens": 10,
    }


async def test_a_judge_that_objects(judged):
    answer = await judged.run(done("42"), verdict(False, "the page says 43"))
    assert (answer["status"], answer["stop_reason"]) == ("partial", "done")
    assert answer["result"] == "42"
    assert "the page says 43" in answer["warnings"][0]
    assert (answer["errors_top"][0]["type"], answer["errors_top"][0]["summary"]) == (
        "judge",
        "the page says 43",
    )


async def test_a_judge_that_sees_a_captcha_objects_whatever_its_verdict(judged):
    answer = await judged.run(done("42"), verdict(True, reached_captcha=True))
    assert (answer["status"], answer["stop_reason"]) == ("partial", "bot_wall")
    assert answer["result"] == "42"
    assert answer["errors_top"][0]["summary"] == "A captcha was in the way: looked at it"


async def test_a_judge_that_fails_or_says_nonsense(judged):
    for reply in (error(500), say("what?")):
        answer = await judged.run(done("42"), reply)
        assert (answer["status"], answer["result"]) == ("success", "42")
        assert "The judge gave no verdict." in answer["warnings"]


async def test_a_judge_that_hangs(judged, monkeypatch):
    def hang(body):
        judged.model.released.wait(60)
        return Raw()

    monkeypatch.setattr("strap_agent.supervisor.JUDGE_LIMIT", 1.0)
    answer = await judged.run(done("42"), hang)
    judged.model.released.set()
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert "The judge gave no verdict." in answer["warnings"]


async def test_a_budget_that_is_over_while_the_judge_works(judged):
    def hang(body):
        judged.model.released.clear()
        judged.model.released.wait(60)
        return Raw()

    call = await begin(judged, done("42"), hang)
    await eventually(lambda: running(judged).supervisor.judging_since)
    running(judged).stop("budget")
    answer = await judged.checked(await call)
    judged.model.released.set()
    assert (answer["status"], answer["stop_reason"], answer["result"]) == ("success", "done", "42")
    assert "The judge gave no verdict." in answer["warnings"]


async def test_the_other_model_takes_over(judged, backup):
    answer = await judged.run(error(401, "no credit"), done("never asked"))
    assert answer["result"] == "from the other model"
    assert answer["status"] == "success"
    assert any("no credit" in line for line in answer["warnings"])
    assert backup.asked
