"""Calls in sessions over HTTP: cancelled, left, ended, malformed."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.mcp.conversation import WAIT, call, notification
from tests.mcp.http_server import ACCEPT, Served, answer_of, open_session, post

PEOPLE = ("one", "other")


@pytest.fixture
def session(served):
    return open_session(served)


def said(answer):
    return answer_of(answer)["result"]["content"][0]["text"]


def test_a_call_is_cancelled_by_a_notification(served, session):
    asleep = call(resource="probe", action="sleep", number=60)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(post, served, asleep, session)
        served.wait_for("asleep")
        gone = notification("notifications/cancelled", {"requestId": asleep["id"]})
        assert post(served, gone, session).status_code == 202
        error = answer_of(answer.result(WAIT))["error"]
    assert error == {"code": -32800, "message": "Request cancelled"}
    assert "cancelled" in served.noted()
    assert said(post(served, call(resource="probe", action="say", words="on"), session)) == "on"


def test_another_session_cancels_nothing(served, session):
    asleep = call(resource="probe", action="sleep", number=1)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(post, served, asleep, session)
        served.wait_for("asleep")
        gone = notification("notifications/cancelled", {"requestId": asleep["id"]})
        assert post(served, gone, open_session(served)).status_code == 202
        assert said(answer.result(WAIT)) == "awake"


def test_the_end_of_a_session_ends_its_calls(served, session):
    asleep = call(resource="probe", action="sleep", number=60)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(post, served, asleep, session)
        served.wait_for("asleep")
        gone = httpx2.delete(served.url, headers={"mcp-session-id": session}, timeout=WAIT)
        assert gone.status_code == 200
        assert answer.result(WAIT).content == b""
        served.wait_for("cancelled")
    assert post(served, call(resource="probe", action="task"), session).status_code == 404


def test_the_end_of_a_session_waits_for_no_call(served, session):
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(post, served, call(resource="probe", action="stick"), session)
        served.wait_for("asleep")
        gone = httpx2.delete(served.url, headers={"mcp-session-id": session}, timeout=WAIT)
        assert gone.status_code == 200
        assert answer.result(WAIT).content == b""


def test_a_call_goes_on_where_its_client_leaves(served, session):
    asleep = call(resource="probe", action="sleep", number=4)
    with (
        pytest.raises(httpx2.ReadTimeout),
        httpx2.stream(
            "POST",
            served.url,
            json=asleep,
            headers={**ACCEPT, "mcp-session-id": session},
            timeout=httpx2.Timeout(WAIT, read=0.8),
        ) as answer,
    ):
        answer.read()
    served.wait_for("awake")
    assert "cancelled" not in served.noted()


@pytest.mark.parametrize(
    "headers",
    [{"accept": "application/json"}, {"content-type": "text/plain"}],
    ids=["accept", "content-type"],
)
def test_what_the_sdk_refuses_is_refused(served, session, headers):
    message = call(resource="probe", action="task")
    assert post(served, message, session, **headers).status_code in (400, 406, 415)


def test_a_body_beyond_all_limits_is_refused_as_by_the_sdk(served, session):
    message = call(resource="probe", action="say", words="x" * (4 << 20))
    assert post(served, message, session).status_code == 413
    assert said(post(served, call(resource="probe", action="say", words="on"), session)) == "on"


def raw(served, session, body, **headers):
    headers = {**ACCEPT, "content-type": "application/json", "mcp-session-id": session, **headers}
    return httpx2.post(served.url, content=body, headers=headers, timeout=WAIT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"id": 5', r'"id": "\ud83d"'),
        ('"W"', r'"\ude00"'),
        ('"W"', "[" * 300 + "]" * 300),
        ('"id": 5', '"id": 5, "more": ' + "[" * 300 + "]" * 300),
    ],
    ids=["half of a character as id", "half of one", "deep", "deep beside the call"],
)
def test_json_that_the_sdk_does_not_read_is_refused(served, session, old, new):
    body = json.dumps(call(resource="probe", action="say", words="W")).replace(old, new)
    refused = raw(served, session, body)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == -32700


def test_a_call_that_is_an_error_to_the_sdk_is_not_answered(served, session):
    message = {**call(resource="probe", action="task"), "error": {"code": 1, "message": "no"}}
    assert post(served, message, session).status_code == 202


@pytest.mark.parametrize(
    ("number", "names"),
    [("71", '"71"'), ('"72"', "72"), ("73", '73}, "id": null, "x": {"a": 1')],
    ids=["told as text", "told as a number", "with an id of nothing"],
)
@pytest.mark.parametrize("slash", ["/", r"\/"])
def test_a_cancellation_is_known_however_it_is_written(served, session, number, names, slash):
    asleep = json.dumps(call(resource="probe", action="sleep", number=60))
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(raw, served, session, asleep.replace('"id": 5', f'"id": {number}'))
        served.wait_for("asleep")
        gone = f'{{"jsonrpc": "2.0", "method": "notifications{slash}cancelled", "params": '
        assert raw(served, session, f'{gone}{{"requestId": {names}}}}}').status_code == 202
        assert answer_of(answer.result(WAIT))["error"]["code"] == -32800


def test_no_call_begins_in_a_session_that_ended_while_its_body_came(served, session):
    body = json.dumps(call(resource="probe", action="sleep", number=0)).encode()

    def slowly():
        yield body[:20]
        gone = httpx2.delete(served.url, headers={"mcp-session-id": session}, timeout=WAIT)
        assert gone.status_code == 200
        yield body[20:]

    assert raw(served, session, slowly()).status_code == 404
    assert "asleep" not in served.noted()


def test_a_body_that_says_it_is_too_long_is_refused_before_it_comes(served, session):
    address = httpx2.URL(served.url)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {address.host}:{address.port}\r\n"
        f"Mcp-Session-Id: {session}\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        f"Content-Length: {5 << 20}\r\n\r\n"
    )
    with socket.create_connection((address.host, address.port), timeout=10) as connection:
        connection.sendall(head.encode())
        assert b" 413 " in connection.recv(1000)


def test_nobody_else_calls_or_cancels_in_a_session(tmp_path):
    settings = (f'[serve.tokens.{who}]\nvalue = "{who}-token-for-tests"\n' for who in PEOPLE)
    (tmp_path / "strap.toml").write_text("".join(settings))
    one, other = ({"authorization": f"Bearer {who}-token-for-tests"} for who in PEOPLE)
    with Served(tmp_path) as served:
        served.notes = tmp_path / "data" / "principals" / "token-one" / "notes"
        session = open_session(served, **one)
        asks = call(resource="probe", action="task")
        assert not answer_of(post(served, asks, session, **one))["result"]["isError"]
        assert post(served, asks, session, **other).status_code == 404
        with ThreadPoolExecutor(1) as threads:
            asleep = call(resource="probe", action="sleep", number=1)
            answer = threads.submit(post, served, asleep, session, **one)
            served.wait_for("asleep")
            gone = notification("notifications/cancelled", {"requestId": asleep["id"]})
            assert post(served, gone, session, **other).status_code == 404
            assert said(answer.result(WAIT)) == "awake"
