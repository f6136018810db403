"""Every row of the status table, by real runs of the real agent."""

import json

import pytest

from tests.support.model_server import act, acts, done, say

from .lab import click

pytestmark = pytest.mark.anyio
WAIT = act("wait", seconds=0)
NO_ACTION = say({"result": "x"})


@pytest.fixture
def lab(quick_lab):
    return quick_lab


async def test_done_is_success(lab):
    answer = await lab.run(click("Buy"), done("It was bought."))
    assert (answer["status"], answer["stop_reason"]) == ("success", "done")
    assert answer["result"] == answer["summary"] == "It was bought."
    assert answer["warnings"] == []
    assert answer["timeouts"] == {
        "budget_s": 60, "step_timeout_s": 15, "max_steps": 25, "timed_out": False
    }  # fmt: skip
    assert answer["page"] == {"url": f"{lab.site}/", "title": "Bought"}
    assert lab.stored(answer["session_id"]).steps == 2


async def test_recovered_errors_are_warnings(lab):
    answer = await lab.run(NO_ACTION, say("no json"), done("42"), mode="dev")
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert len(answer["warnings"]) == 2
    assert all("recovered (schema" in line for line in answer["warnings"])
    assert set(answer["dev_excerpts"]) == {"console_errors", "network_errors", "ranked_errors"}
    errors = await lab.events(answer, event_types=["agent"], has_error=True)
    assert len(errors) >= 2


@pytest.mark.parametrize("text", ["", "  \n "])
async def test_done_without_an_answer(lab, text):
    answer = await lab.run(done(text))
    assert (answer["status"], answer["stop_reason"]) == ("failed", "empty_result")
    assert answer["result"] is None


@pytest.mark.parametrize("reason", ["login_required", "bot_wall", "impossible_task"])
async def test_stops(lab, reason):
    answer = await lab.run(done(f"STOP: {reason}\nThere is a wall. Climb it.", success=False))
    assert (answer["status"], answer["stop_reason"]) == ("failed", reason)
    assert answer["result"] is None
    assert answer["summary"].startswith("There is a wall. Climb it.")
    assert not answer["timeouts"]["timed_out"]


STOPPED = (
    "[1] Checking your browser page.\n\nSTOP: bot_wall A captcha is in the way.",
    "[1] the login page\nSTOP: bot_wall",
    '{"x":1}\nSTOP: bot_wall',
    '{"x": [1, 2}\nSTOP: bot_wall',
)


@pytest.mark.parametrize("text", STOPPED)
async def test_a_stop_line_behind_what_looks_like_json(lab, text):
    answer = await lab.run(done(text))
    assert (answer["status"], answer["stop_reason"]) == ("failed", "bot_wall")


async def test_a_stop_line_within_json_is_data(lab):
    text = json.dumps({"log": "all\nSTOP: bot_wall\nend"}, indent=1).replace("\\n", "\\n")
    answer = await lab.run(done(text))
    assert (answer["status"], answer["result"]) == ("success", text)


@pytest.mark.parametrize("text", ['""', "null", "[]", "{}", '{"a": [null, {"b": " "}]}'])
async def test_an_answer_that_fits_and_is_empty_is_doubted(lab, text):
    answer = await lab.run(done(text), schema="{}")
    assert answer["status"] == "success"
    assert answer["warnings"][0] == f"The answer is empty: {text}"


@pytest.mark.parametrize("text", ["0", "false", '{"found": false}', '["x"]'])
async def test_an_answer_that_says_little_is_none_the_less_one(lab, text):
    assert (await lab.run(done(text), schema="{}"))["warnings"] == []


async def test_two_answers_at_once_are_a_warning(lab):
    first, second = ({"done": {"text": t, "success": True}} for t in ("1", "2"))
    answer = await lab.run(acts(first, second))
    assert (answer["status"], answer["result"]) == ("success", "1")
    assert "several different answers at once" in answer["warnings"][0]
    assert (await lab.run(acts(first, first)))["warnings"] == []


async def test_a_click_on_nothing_is_a_failure(lab):
    answer = await lab.run(act("click", index=98765), done("clicked"))
    assert answer["status"] == "success"
    assert "Element index 98765 not available" in answer["warnings"][0]
    assert "98765" in answer["errors_top"][0]["summary"]
    answer = await lab.run(act("click", index=98765), max_steps=5)
    assert answer["stop_reason"] == "max_steps"
    assert "98765" in answer["summary"]


async def test_a_partial_answer(lab):
    text = "STOP: incomplete\nOnly page one loads.\nPARTIAL:\nPage one says hello.\nTwice."
    answer = await lab.run(done(text, success=False))
    assert (answer["status"], answer["stop_reason"]) == ("partial", "not_finished")
    assert answer["result"] == "Page one says hello.\nTwice."
    assert "Only page one loads." in answer["summary"]
    assert "Only page one loads." in answer["warnings"][0]


async def test_a_partial_answer_behind_a_login(lab):
    text = "STOP: login_required Log in first.\nPARTIAL: the price is 3"
    answer = await lab.run(done(text, success=False))
    assert (answer["status"], answer["stop_reason"]) == ("partial", "login_required")
    assert answer["result"] == "the price is 3"


async def test_giving_up_without_a_stop_line(lab):
    answer = await lab.run(done("I could not find it.", success=False))
    assert (answer["status"], answer["stop_reason"]) == ("failed", "not_finished")
    assert answer["result"] is None
    assert answer["summary"].startswith("I could not find it.")


async def test_an_answer_that_mentions_a_captcha_is_no_stop(lab):
    answer = await lab.run(done("The page explains what a captcha and a login_required is."))
    assert (answer["status"], answer["stop_reason"]) == ("success", "done")


async def test_using_up_the_steps(lab):
    answer = await lab.run(WAIT, max_steps=2)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "max_steps")
    assert answer["timeouts"]["timed_out"]
    assert answer["result"] is None
    assert answer["timeouts"]["max_steps"] == 2


async def test_a_model_that_never_keeps_to_the_form(lab):
    answer = await lab.run(NO_ACTION)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "schema_error")
    assert answer["errors_top"][0]["type"] == "agent"
    assert lab.store.counts(answer["session_id"])["screenshots"] >= 1


async def test_json_is_answered_whole(lab):
    value = {"items": [{"name": f"item {n}", "text": "word " * 20} for n in range(120)]}
    answer = await lab.run(done(json.dumps(value)))
    assert json.loads(answer["result"]) == value


async def test_an_answer_that_fits_its_schema(lab):
    schema = {
        "type": "object",
        "properties": {"price": {"type": "number"}},
        "required": ["price"],
    }
    given = json.dumps(schema)
    answer = await lab.run(done('```json\n{"price": 3}\n```'), schema=given)
    assert (answer["status"], answer["result"]) == ("success", '{"price": 3}')
    assert any(given in json.dumps(b["messages"]).replace('\\"', '"') for b in lab.model.asked)
    answer = await lab.run(done('{"price": "three"}'), schema=given)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "schema_error")
    assert answer["result"] is None
    assert '"three"' in answer["summary"]
    answer = await lab.run(done("three"), schema=given)
    assert answer["stop_reason"] == "schema_error"


async def test_steps_are_counted_and_reported(lab):
    said = []

    async def report(message, number, total):
        said.append((message, number, total))

    mark = "[reported]"
    lab.model.scripts[mark] = (
        acts({"wait": {"seconds": 0}}, {"wait": {"seconds": 0}}, goal="look at it"),
        act("click", index=999, goal="press"),
        done("ok"),
    )
    result = await lab.web.router.call(
        {"resource": "browser", "action": "eval", "url": f"{lab.site}/", "task": f"look {mark}"},
        progress=report,
    )
    answer = await lab.checked(result)
    assert lab.stored(answer["session_id"]).steps == 3
    assert [(number, total) for _, number, total in said] == [(1, 25), (2, 25), (3, 25)]
    assert said[0][0] == "step 1: look at it"
    steps = await lab.events(answer, event_types=["agent"], include_details=True)
    assert [event["step"] for event in steps] == [3, 2, 1]
    assert steps[2]["details"]["actions"] == [{"wait": {"seconds": 0}}, {"wait": {"seconds": 0}}]


async def test_screenshots_are_shown_newest_first(lab):
    answer = await lab.run(WAIT, done("ok"))

    async def shots(**fields):
        return await lab.web(
            resource="browser", action="get_screenshots", session_id=answer["session_id"], **fields
        )

    result = await shots()
    listed = json.loads(result.text)
    assert listed["total"] == len(listed["screenshots"]) == len(result.images) == 3
    assert [s["step"] for s in listed["screenshots"]] == [2, 2, 1]
    assert {image.mime for image in result.images} == {"image/png", "image/jpeg"}
    assert (await shots(last_n=1)).images == result.images[:1]
    assert (await shots(last_n=0)).data["screenshots"] == []
    assert (await shots(include_images=False)).images == ()
    assert (await shots(screenshot_type="stream_sample")).data["screenshots"] == []
