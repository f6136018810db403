"""Answers of runs: bounded, whole on demand, without keys, and no more than is true."""

import json
import socket

import pytest

from strap import UsageError
from strap_agent.result.visibility import has_something
from tests.site.server import Reply
from tests.support.model_server import act, done, error, say

from .lab import KEY

pytestmark = pytest.mark.anyio
LONG = "".join(f"line {number} of a long report\n" for number in range(3_000)).strip()
THOUGHTS = {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": "go on"}
SILENT = say({**THOUGHTS, "action": [{"done": {"text": "42", "files_to_display": []}}]})


@pytest.fixture
def lab(quick_lab):
    return quick_lab


async def read_on(lab, answer, **fields):
    """The rest of an answer, by the calls that are named."""
    call = answer["next_actions"][0]
    assert f'action: "get_run_events", session_id: "{answer["session_id"]}"' in call
    start = int(call.rpartition("start: ")[2].rstrip(")"))
    pieces = [answer["result"] or ""]
    while start is not None:
        part = (
            await lab.web(
                resource="browser",
                action="get_run_events",
                session_id=answer["session_id"],
                event_types=["result"],
                start=start,
                **fields,
            )
        ).data
        assert part["characters"] == len(LONG)
        pieces.append(part["result"])
        start = start + len(part["result"]) if "note" in part else None
        assert start is None or f"start={start}" in part["note"]
    return "".join(pieces)


async def test_a_model_is_asked_over_one_connection(lab):
    """A client for each question reads the certificates of all authorities each time."""
    steps = [act("wait", seconds=0), act("wait", seconds=0), done("ok")]
    assert (await lab.run(*steps))["status"] == "success"
    asked = lab.model.requests[-len(steps) :]
    assert len({request.client for request in asked}) == 1


async def test_a_long_answer_is_kept_whole(lab):
    answer = await lab.run(done(LONG))
    assert answer["status"] == "success"
    assert answer["result"] == LONG[:20_000]
    assert f"{len(LONG):,} characters" in answer["warnings"][0]
    assert await read_on(lab, answer) == LONG


async def test_a_result_as_long_as_was_asked_for(lab):
    answer = await lab.run(done(LONG), max_tokens=300)
    assert LONG.startswith(answer["result"])
    assert len(answer["result"]) < 2_000
    assert await read_on(lab, answer, max_tokens=20_000) == LONG


async def test_an_answer_that_fits_its_schema_is_never_cut(lab):
    text = json.dumps([LONG])
    answer = await lab.run(done(text), schema='{"type": "array"}', max_tokens=300)
    assert answer["result"] == text
    assert answer["warnings"] == []


async def test_an_answer_that_does_not_fit_is_kept(lab):
    answer = await lab.run(done(LONG), schema='{"type": "array"}')
    assert (answer["stop_reason"], answer["result"]) == ("schema_error", None)
    assert await read_on(lab, answer) == LONG


async def test_keys_of_models_are_in_no_answer(lab):
    other = "sk-abcdefghijklmnop"
    answer = await lab.run(done(f"The keys {KEY} and {other} leak."), task=f"tell {other}")
    assert answer["result"] == "The keys *** and *** leak."
    assert other not in json.dumps(answer)
    assert other not in str(lab.stored(answer["session_id"]))
    answer = await lab.run(done(f"{KEY} {LONG}"))
    files = lab.store.folder(answer["session_id"]).iterdir()
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


async def test_the_address_has_no_query(lab):
    answer = await lab.run(done("ok"), path="/?token=TOPSECRET#fragment")
    assert answer["url"] == f"{lab.site}/"
    assert "TOPSECRET" not in str(lab.stored(answer["session_id"]))
    refused = await lab.raw(done("ok"), url="http://h.invalid/?token=TOPSECRET", schema="{")
    assert json.loads(refused.text)["url"] == "http://h.invalid/"


@pytest.mark.parametrize("text", ["", " \n", "\u200b\ufeff", "\0", "\u3164 \u2800", "\u00ad"])
def test_what_nobody_sees(text):
    assert not has_something(text)
    assert has_something(f"{text}a{text}")


@pytest.mark.parametrize("text", ["\u200b\ufeff", "\0"])
async def test_an_answer_that_nobody_sees(lab, text):
    answer = await lab.run(done(text))
    assert (answer["status"], answer["stop_reason"]) == ("failed", "empty_result")


async def test_a_model_that_refuses(lab):
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    body = {
        "id": "x", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }  # fmt: skip
    refusal = Reply(headers={"Content-Type": "application/json"}, body=json.dumps(body))
    answer = await lab.run(refusal)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "provider_error")
    assert "The model refused: I cannot help with that." in answer["summary"]
    assert "key" not in answer["summary"]
    answer = await lab.run(refusal, done("42"))
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert "refused: I cannot" in answer["warnings"][0]


async def test_an_agent_has_to_say_whether_it_succeeded(lab):
    answer = await lab.run(SILENT, done("42"))
    assert (answer["status"], answer["result"]) == ("success", "42")
    assert "success" in answer["warnings"][0]
    answer = await lab.run(SILENT)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "schema_error")


async def test_a_success_without_a_page(lab):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    answer = await lab.run(done("All is well."), url=f"http://127.0.0.1:{port}/", picture=None)
    assert answer["status"] == "success"
    assert "No page was loaded" in answer["warnings"][0]
    answer = await lab.run(done("All is well."), path="/broken")
    assert "answered with HTTP 500" in answer["warnings"][0]
    answer = await lab.run(done("All is well."))
    assert answer["warnings"] == []


async def test_events_page_by_page(lab):
    script = [act("wait", goal=f"look {number}", seconds=0) for number in range(4)]
    answer = await lab.run(*script, done("ok"))

    async def events(**fields):
        result = await lab.web(
            resource="browser", action="get_run_events", session_id=answer["session_id"], **fields
        )
        return result.data

    every = (await events(last_n=200, max_tokens=50_000))["events"]
    paged, start = [], 0
    while True:
        page = await events(last_n=3, start=start, max_tokens=50_000)
        paged += page["events"]
        start += len(page["events"])
        if "note" not in page:
            break
        assert page["note"].endswith(f"start={start}.")
    assert paged == every
    [found] = (await events(text="LOOK 2"))["events"]
    assert "look 2" in found["summary"]
    assert (await events(text="nothing like it"))["events"] == []


async def test_screenshots_page_by_page(lab):
    answer = await lab.run(act("wait", seconds=0), done("ok"))

    async def steps(**fields):
        shots = await lab.web(
            resource="browser", action="get_screenshots", session_id=answer["session_id"], **fields
        )
        return [shot["at"] for shot in shots.data["screenshots"]]

    every = await steps()
    assert [*(await steps(last_n=1)), *(await steps(last_n=5, start=1))] == every


async def test_the_result_goes_with_no_other_kind(lab):
    answer = await lab.run(done("ok"))
    fields = {"session_id": answer["session_id"], "event_types": ["result", "agent"]}
    with pytest.raises(UsageError):
        await lab.web(resource="browser", action="get_run_events", **fields)


def telling(reply, usage):
    """The same answer of the model with other tokens."""
    body = json.loads(reply.body)
    del body["usage"]
    return Reply(headers=reply.headers, body=json.dumps(body | ({"usage": usage} if usage else {})))


async def test_usage_is_what_the_provider_tells(lab):
    cached = {
        "prompt_tokens": 300,
        "completion_tokens": 7,
        "total_tokens": 307,
        "prompt_tokens_details": {"cached_tokens": 256},
    }
    answer = await lab.run(error(500), telling(act("wait", seconds=0), cached), done("42"))
    assert answer["usage"] == {
        "model_calls": 3,
        "input_tokens": 310,
        "cached_tokens": 256,
        "output_tokens": 12,
    }


async def test_tokens_that_are_not_told_are_not_made_up(lab):
    answer = await lab.run(telling(act("wait", seconds=0), None), done("42"))
    none = dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"))
    assert answer["usage"] == {"model_calls": 2, **none}
    answer = await lab.run(error(401))
    assert answer["usage"] == {"model_calls": 1, **none}


async def test_without_a_call_of_a_model_there_is_no_usage(lab):
    answer = await lab.run(done("42"), schema="{", picture=False)
    assert answer["stop_reason"] == "invalid_arguments"
    assert "usage" not in answer
