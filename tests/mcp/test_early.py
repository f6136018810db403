"""Calls that come before the SDK is loaded are answered as it answers them."""

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.mcp.conversation import call, initialize, modern, notification, request, text_of

VERSIONS = [*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28"]


def probe(action, **arguments):
    return {"name": "web", "arguments": {"resource": "probe", "action": action, **arguments}}


CALLS = [
    probe("say", words="hé \U0001f600"),
    probe("say", words=""),
    probe("fail"),
    probe("crash"),
    probe("picture", number=4),
    probe("halves"),
    probe("say", words="left \ud83d right"),
    probe("say"),
    {"name": "web", "arguments": None},
    {"name": "web", "arguments": {"action": []}},
    {"name": "web", "arguments": {"action": {}}},
    {"name": "web"},
    {**probe("count", number=2), "_meta": {"progressToken": "step"}},
    {**probe("count", number=1), "_meta": {"progressToken": 7, "x/y": 1}},
    probe("count", number=1),
]


def in_era(version, method, params, number):
    if version != "2026-07-28":
        return request(method, params, number)
    message = modern(method, number)
    envelope = message["params"]["_meta"]
    return {**message, "params": {**params, "_meta": {**envelope, **params.get("_meta", {})}}}


def load_sdk(server, version="2025-11-25"):
    """Send what nobody but the SDK answers."""
    assert "error" in server.ask(in_era(version, "no/such", {}, "odd"))


def is_early(server, version="2025-11-25"):
    answer = server.ask(in_era(version, "tools/call", probe("loaded"), "early"))
    return text_of(answer) == "False"


def said_to(server, version, calls):
    """Everything that the server says to `calls`, made one after the other."""
    said = []
    for number, params in enumerate(calls):
        said.append(server.ask(in_era(version, "tools/call", params, number)))
        while "id" not in said[-1]:
            said.append(server.receive())
    return said


@pytest.mark.parametrize(
    "version",
    [
        *(VERSIONS[0], *VERSIONS[-2:]),
        *(pytest.param(version, marks=pytest.mark.soak) for version in VERSIONS[1:-2]),
    ],
)
def test_every_answer_is_that_of_the_sdk(converse, warm_home, version):
    early, late = (converse(home=warm_home) for _ in range(2))
    for server in (early, late):
        if version != "2026-07-28":
            server.open(version)
    load_sdk(late, version)
    assert said_to(early, version, CALLS) == said_to(late, version, CALLS)
    assert is_early(early, version)
    assert not is_early(late, version)


@pytest.fixture
def server(early_server):
    return early_server()


NOT_PLAIN = {
    "another tool": {"name": "other", "arguments": {}},
    "no name": {"arguments": {}},
    "arguments of another kind": {"name": "web", "arguments": [1]},
    "a token that is none": {**probe("loaded"), "_meta": {"progressToken": []}},
    "an envelope": {**probe("loaded"), **modern("x")["params"]},
    "a further parameter": {**probe("loaded"), "task": {}},
}


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_the_sdk(server, sdk_answers, name):
    message = request("tools/call", NOT_PLAIN[name], 4)
    _, expected = sdk_answers(initialize(), message)
    answer = server.ask(message)
    if "result" in expected:
        assert text_of(answer) == "True"
    else:
        assert answer == expected
    assert not is_early(server)


@pytest.mark.parametrize("number", ["99", '"99"'])
@pytest.mark.parametrize("slash", ["/", r"\/"])
def test_a_call_is_cancelled(server, number, slash):
    server.sleep()
    gone = f'{{"jsonrpc":"2.0","method":"notifications{slash}cancelled","params":{{"requestId":'
    server.write(f"{gone}{number}}}}}\n".encode())
    server.wait_for("cancelled")
    assert is_early(server)  # and nothing was said of the cancelled call


def test_calls_go_on_while_the_sdk_takes_over(server):
    server.sleep()
    server.send(
        call(7, resource="probe", action="sleep", number=1.5),
        request("no/such", {}, "odd"),
        call(8, resource="probe", action="loaded"),
    )
    answers = {m["id"]: m for m in (server.receive() for _ in range(3))}
    assert "error" in answers["odd"]
    assert [text_of(answers[number]) for number in (7, 8)] == ["awake", "True"]
    server.send(notification("notifications/cancelled", {"requestId": 99}))
    server.wait_for("cancelled")


def test_an_id_in_use_is_left_to_the_sdk(server):
    server.sleep()
    answer = server.ask(call(99, resource="probe", action="loaded"))
    assert (answer["id"], text_of(answer)) == (99, "True")


def test_a_cancellation_of_nothing_is_kept_for_the_sdk(server):
    server.send(notification("notifications/cancelled", {"requestId": []}))
    assert is_early(server)
    load_sdk(server)
    assert not is_early(server)


def test_messages_without_an_answer_can_wait(server):
    server.send(notification("notifications/roots/list_changed"))
    server.send(notification("notifications/cancelled", {"requestId": "unknown"}))
    assert is_early(server)
