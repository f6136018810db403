"""Every failure of a provider, behind a real socket: an answer that says so, in good time."""

import asyncio

import pytest

from tests.site.server import Raw, Reply
from tests.support.model_server import act, done, error, say

from .lab import KEY

pytestmark = pytest.mark.anyio
GARBAGE = Reply(headers={"Content-Type": "application/json"}, body="<html>what?")
NO_CHOICES = Reply(headers={"Content-Type": "application/json"}, body='{"choices": []}')
CUT = Raw(chunks=[b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"], reset=True)
TRUNCATED = say("{", finish_reason="length")


@pytest.fixture
def lab(quick_lab):
    return quick_lab


async def test_a_refusal_for_good_is_not_repeated(lab):
    asked = len(lab.model.asked)
    answer = await lab.run(error(401, f"Incorrect API key provided: {KEY}."))
    assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error")
    assert "Incorrect API key provided: ***" in answer["summary"]
    assert "STRAP_MODEL" in answer["summary"]
    assert len(lab.model.asked) == asked + 1
    [event] = await lab.events(answer, event_types=["agent"], has_error=True, last_n=1)
    assert KEY not in str(event)


FAILURES = {
    "429": error(429, "Rate limit reached"),
    "garbage": GARBAGE,
    "cut": CUT,
    "truncated": TRUNCATED,
}
OF_A_KIND = {"500": error(500), "empty": NO_CHOICES, "closed": Raw()}


@pytest.mark.parametrize("replies", [FAILURES, pytest.param(OF_A_KIND, marks=pytest.mark.soak)])
async def test_failing_providers(lab, replies):
    answers = await asyncio.gather(*(lab.raw(reply) for reply in replies.values()))
    for name, result in zip(replies, answers, strict=True):
        answer = await lab.checked(result)
        assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error"), name
        assert answer["errors_top"][0]["type"] == "agent"
        assert await lab.events(answer, event_types=["agent"], has_error=True)


async def test_a_provider_that_hangs(lab):
    def hang(body):
        lab.model.released.wait(60)
        return Raw()

    answer = await lab.run(hang, llm_timeout_s=1, step_timeout_s=20)
    lab.model.released.set()
    lab.model.released.clear()
    assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error")
    assert "timed out" in answer["summary"]


async def test_a_provider_that_recovers(lab):
    answer = await lab.run(error(500), error(429), act("wait", seconds=0), done("42"))
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert len(answer["warnings"]) == 2
    assert all("recovered (provider" in line for line in answer["warnings"])


async def test_action_lists_of_nothing(lab):
    nothing = say({"memory": "", "evaluation_previous_goal": "", "next_goal": "", "action": []})
    answer = await lab.run(nothing)
    assert answer["status"] == "failed"
    assert answer["stop_reason"] in ("schema_error", "provider_error", "not_finished")
