"""Schemas, and answers by them: checked where it may take for ever, and nothing waits."""

import asyncio
import json
import sys
import time

import pytest

from strap import UsageError
from strap_agent.schema_checks import parse_schema
from strap_agent.worker.schema_checker import fault, mismatch
from tests.heartbeat import beating
from tests.support.model_server import done
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
ENDLESS = json.dumps({"type": "string", "pattern": "^(a+)+$"})
TRAP = json.dumps("a" * 34 + "!")


@pytest.fixture
def lab(quick_lab):
    return quick_lab


async def test_an_answer_whose_check_does_not_end(lab):
    began = time.monotonic()
    async with beating():
        answer = await lab.run(done(TRAP), schema=ENDLESS, budget_s=6)
    assert time.monotonic() - began < 6 + 10
    assert (answer["status"], answer["stop_reason"]) == ("failed", "schema_error")
    assert "could not be checked in time" in answer["summary"]
    assert TRAP in answer["summary"]


@pytest.mark.soak
async def test_a_long_list_without_duplicates(lab):
    items = [{"number": number} for number in range(3_000)]
    given = {"type": "array", "uniqueItems": True}
    async with beating():
        answer = await lab.run(done(json.dumps(items)), schema=json.dumps(given), budget_s=6)
    assert answer["stop_reason"] in ("done", "schema_error")


@pytest.mark.soak
async def test_a_part_of_an_answer_is_checked_as_well(lab):
    text = f"STOP: incomplete\nOnly this.\nPARTIAL: {TRAP}"
    async with beating():
        answer = await lab.run(done(text, success=False), schema=ENDLESS, budget_s=6)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "not_finished")
    assert "could not be checked in time" in answer["summary"]


async def test_a_run_is_cancelled_while_its_answer_is_checked(lab):
    call = asyncio.create_task(lab.raw(done(TRAP), schema=ENDLESS, budget_s=60))
    session_id = await lab.started()
    await eventually(lambda: "check answer" in {task.get_name() for task in asyncio.all_tasks()})
    await asyncio.sleep(0.5)
    await lab.web(resource="browser", action="cancel_run", session_id=session_id)
    answer = await lab.checked(await call)
    assert answer["stop_reason"] == "cancelled"


async def test_a_schema_whose_check_does_not_end(lab):
    names = [f"a{number}" for number in range(1_000)]
    anchors = {name: {"$anchor": name} for name in names}
    given = json.dumps({"allOf": [{"$ref": f"#{name}"} for name in names], "$defs": anchors})
    async with beating():
        answer = json.loads((await lab.raw(done("1"), schema=given, budget_s=5)).text)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "invalid_arguments")
    assert "schema could not be checked in time" in answer["summary"]
    await lab.nothing_left()


@pytest.mark.parametrize("text", ['{"type": 3}', '{"$ref": "#/$defs/nothing"}', '{"not":' * 3_000])
async def test_a_schema_that_is_none_is_refused(lab, text):
    answer = json.loads((await lab.raw(done("1"), schema=text)).text)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "invalid_arguments")


@pytest.mark.parametrize("levels", [101, 3_000, 12_000])
def test_a_schema_that_is_nested_too_deeply(levels):
    text = '{"not":' * levels + "{}" + "}" * levels
    with pytest.raises(UsageError, match="nested too deeply"):
        parse_schema(text)


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_what_is_no_json_object(text):
    with pytest.raises(UsageError, match=r"^schema is no"):
        parse_schema(text)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 3},
        {"$ref": "http://example.com/schema"},
        {"$ref": "file:///etc/hostname"},
        {"items": [{"$dynamicRef": "http://127.0.0.1:9/"}]},
        {"$ref": "other.json"},
        {"allOf": [{"$ref": "#/$defs/nothing"}]},
    ],
)
def test_what_is_no_json_schema(schema):
    assert fault(schema)


def test_references_within_a_schema_are_followed():
    schema = {"$id": "http://a.test/s", "$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}
    assert fault(schema) == mismatch("1", schema) == ""
    assert "is not of type" in mismatch('"one"', schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "file:///etc/hostname"},
        {"properties": {"a": {"$id": "http://a.test/", "$ref": "#/nothing"}}},
    ],
)
def test_a_schema_that_leads_nowhere_is_no_error_of_ours(schema):
    assert mismatch('{"a": 1}', schema).startswith("the schema itself leads nowhere")


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e999", "[" * 50_000, "three"]
)
def test_what_is_no_json_fits_no_schema(text):
    assert mismatch(text, {})


async def test_an_answer_that_is_nested_for_ever(lab):
    answer = await lab.run(done("[" * 50_000 + "]" * 50_000), schema="{}")
    ended = (answer["status"], answer["stop_reason"])
    if sys.version_info >= (3, 14):  # reads it, which is within its stack
        assert ended == ("success", "done")
    else:
        assert ended == ("failed", "schema_error")


@pytest.mark.parametrize(
    ("fields", "reason", "said"),
    [
        ({"url": "http://no.such.host.invalid/"}, "dns_error", "does not resolve"),
        ({"url": "http://10.0.0.1/"}, "invalid_arguments", "private network"),
        ({"state_id": "nobody"}, "invalid_arguments", "state_id and headless do not go"),
        ({"schema": '{"type": 3}'}, "invalid_arguments", "schema"),
    ],
)
async def test_a_refusal_before_a_run_can_be_asked_for(lab, fields, reason, said):
    answer = await lab.checked(await lab.raw(done("1"), **fields), picture=None)
    assert (answer["status"], answer["stop_reason"]) == ("failed", reason)
    assert said in answer["summary"]
    assert answer["errors_top"][0]["summary"] == answer["summary"]
    assert answer["session_id"] in answer["next_actions"][0]
    [event] = await lab.events(answer)
    assert said in event["summary"]


async def test_wrong_arguments_say_where_to_read_on(lab):
    answer = await lab.checked(await lab.raw(done("1"), budget_s=-1), picture=None)
    assert answer["stop_reason"] == "invalid_arguments"
    assert answer["errors_top"]
    helped = answer["next_actions"][-1]
    assert 'action: "help"' in helped
    told = await lab.web(resource="browser", action="help", value="eval")
    assert "budget_s" in told.text


@pytest.mark.parametrize(
    "fields", [{"budget_s": -1}, {"nonsense": 1}, {"url": None}, {"task": "\ud83d", "mode": "x"}]
)
async def test_a_call_with_wrong_fields_can_be_asked_for(lab, fields):
    answer = await lab.checked(await lab.raw(done("1"), **fields), picture=None)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "invalid_arguments")
    assert answer["session_id"] in answer["next_actions"][0]
    [event] = await lab.events(answer)
    assert answer["summary"][:60] in event["summary"]
    listed = await lab.web(resource="browser", action="list_runs")
    assert answer["session_id"] in listed.text
