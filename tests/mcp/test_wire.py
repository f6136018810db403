"""Input of any kind gets one clear answer, and the next message is served."""

import json

import pytest

from tests.mcp.conversation import call, initialize, notification, request, text_of

PARSE, INVALID = -32700, -32600


@pytest.fixture(scope="module")
def server(warm_home):
    from tests.mcp.conversation import Conversation

    with Conversation(warm_home) as conversation:
        conversation.open()
        yield conversation
        assert conversation.finish() == 0


def serves(server):
    answer = server.ask(call(77, resource="probe", action="say", words="still here"))
    return answer["id"] == 77 and text_of(answer) == "still here"


BAD = {
    "not JSON": (b"hello", PARSE, None, "not JSON"),
    "half an object": (b'{"jsonrpc": "2.0", "id": 1', PARSE, None, "not JSON"),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE, None, "not UTF-8"),
    "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":NaN}', PARSE, None, "not JSON"),
    "deep": (b"[" * 10_000, PARSE, None, "not JSON"),
    "deeper": (b"[" * 100_000, INVALID, None, "20,000 values"),
    "a list of many": (b"[" + b"1," * 1_000_000 + b"1]", INVALID, None, "20,000 values"),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID, None, "batches"),
    "an empty batch": (b"[]", INVALID, None, "batches"),
    "a number": (b"5", INVALID, None, "JSON-RPC"),
    "no version": (b'{"id":1,"method":"ping"}', INVALID, 1, "JSON-RPC"),
    "old version": (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID, 1, "JSON-RPC"),
    "no method": (b'{"jsonrpc":"2.0","id":"x"}', INVALID, "x", "JSON-RPC"),
    "method a number": (b'{"jsonrpc":"2.0","id":1,"method":5}', INVALID, 1, "JSON-RPC"),
    "list of params": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', INVALID, 1, ""),
    "id a list": (b'{"jsonrpc":"2.0","id":[],"method":5}', INVALID, None, "JSON-RPC"),
    "id a boolean": (b'{"jsonrpc":"2.0","id":true,"method":5}', INVALID, None, "JSON-RPC"),
    "a request whose id is a part": (
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        INVALID,
        None,
        "id",
    ),
    "a request whose id is null": (
        b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
        INVALID,
        None,
        "id",
    ),
    "a request whose id is a list": (
        b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
        INVALID,
        None,
        "id",
    ),
    "half a character as id": (b'{"jsonrpc":"2.0","id":"\\ud800"}', INVALID, "\ufffd", ""),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lines_are_answered(server, name):
    line, code, number, words = BAD[name]
    server.write(line + b"\n")
    answer = server.receive()
    assert (answer["error"]["code"], answer["id"]) == (code, number)
    assert words in answer["error"]["message"]
    assert serves(server)


@pytest.mark.parametrize(
    "name",
    ["not JSON", *(pytest.param(n, marks=pytest.mark.soak) for n in ("a batch", "no method"))],
)
def test_bad_lines_before_the_handshake_are_answered(converse, name):
    line, code, number, _ = BAD[name]
    server = converse()
    server.write(line + b"\n")
    answer = server.receive()
    assert (answer["error"]["code"], answer["id"]) == (code, number)
    assert "result" in server.open()


def test_a_message_that_is_too_long_is_refused(server):
    piece = b"x" * (1 << 20)
    server.write(b'{"jsonrpc":"2.0","id":1,"method":"')
    for _ in range(65):
        server.write(piece)
    server.write(b'"}\n')
    answer = server.receive()
    assert answer["error"]["code"] == INVALID
    assert "too long" in answer["error"]["message"]
    assert serves(server)


def test_a_message_of_many_values_is_refused_and_holds_up_nobody(server):
    many = {f"k{number}": number for number in range(1_000_000)}
    line = json.dumps(call(1, resource="probe", action="say", words="x", **many)).encode()
    server.write(line + b"\n")
    answer = server.receive()
    assert answer["error"]["code"] == INVALID
    assert "more than 20,000 values" in answer["error"]["message"]
    assert serves(server)


def test_strings_without_end_are_many_values(server):
    server.write(b'["' + b"," * 30_000 + b'"' + b'""' * 50_000 + b"]\n")
    assert "more than 20,000 values" in server.receive()["error"]["message"]
    assert serves(server)


def test_an_argument_that_looks_like_many_values_is_one(server):
    words = '{"a": [1, "b\\"", {}]},' * 30_000
    answer = server.ask(call(resource="probe", action="say", words=words))
    assert text_of(answer).startswith('{"a": [1, ')


def test_a_long_argument_is_refused_by_its_own_limit(server):
    answer = server.ask(call(resource="probe", action="say", words="x" * 20_000_000))
    assert answer["result"]["isError"]
    assert "words" in text_of(answer)
    assert serves(server)


def test_blank_lines_and_carriage_returns_are_nothing(server):
    server.write(b"\n\r\n  \n" + json.dumps(request("ping", None, 3)).encode() + b"\r\n")
    assert server.receive() == {"jsonrpc": "2.0", "id": 3, "result": {}}


def test_a_message_may_come_in_pieces(server):
    line = json.dumps(request("ping", None, 4)).encode() + b"\n"
    for at in range(0, len(line), 7):
        server.write(line[at : at + 7])
    assert server.receive()["id"] == 4


def test_a_notification_with_an_id_that_is_null_is_one(server):
    server.send({"jsonrpc": "2.0", "id": None, "method": "notifications/initialized"})
    assert serves(server)


def test_responses_to_nothing_are_ignored(server):
    server.write(b'{"jsonrpc":"2.0","id":12,"result":{}}\n')
    server.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}\n')
    server.send(notification("notifications/no/such"), notification("notifications/cancelled", {}))
    assert serves(server)


@pytest.mark.parametrize("number", [[], {}, None, True, 1.5])
def test_a_cancellation_of_nothing_is_ignored(server, number):
    server.send(notification("notifications/cancelled", {"requestId": number}))
    assert serves(server)


@pytest.mark.parametrize("number", [[], {}])
def test_a_cancellation_of_nothing_while_the_server_starts(converse, number):
    server = converse()
    server.send(notification("notifications/cancelled", {"requestId": number}))
    server.open()
    server.send(notification("notifications/cancelled", {"requestId": number}))
    assert serves(server)


def test_half_a_character_in_an_argument_is_replaced(server):
    server.write(
        b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"web","arguments":'
        b'{"resource":"probe","action":"say","words":"a \\ud83d b \\ud83d\\ude00"}}}\n'
    )
    assert text_of(server.receive()) == "a \ufffd b \U0001f600"


def test_half_a_character_in_an_answer_is_replaced(server):
    """And what the action and its child print goes to stderr, not into the protocol."""
    answer = server.ask(call(resource="probe", action="halves"))
    assert text_of(answer) == "left \ufffd right \ufffd end"
    assert serves(server)


WRONG = {
    "no name": {},
    "name a number": {"name": 5},
    "arguments a list": {"name": "web", "arguments": []},
    "another tool": {"name": "browse", "arguments": {}},
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_calls_are_invalid_parameters(server, name):
    assert server.ask(request("tools/call", WRONG[name]))["error"]["code"] == -32602


def test_an_unknown_tool_is_named(server):
    error = server.ask(request("tools/call", {"name": "browse"}))["error"]
    assert error["message"] == "Unknown tool: 'browse' (valid: web)."


def test_an_unknown_method_is_not_found(server):
    assert server.ask(request("no/such"))["error"]["code"] == -32601


@pytest.mark.parametrize(
    "arguments",
    [{}, {"resource": 5}, {"resource": "probe", "action": []}, {"action": []}, {"action": {}}],
)
def test_bad_arguments_are_failed_results(server, arguments):
    result = server.ask(call(**arguments))["result"]
    assert result["isError"]
    assert result["_meta"]["strap/error"]["retryable"] is False


def test_missing_arguments_are_empty_ones(server):
    assert server.ask(request("tools/call", {"name": "web"}))["result"]["isError"]


def test_a_call_before_the_handshake_is_refused_by_the_sdk(converse):
    server = converse()
    assert server.ask(call(resource="probe", action="say", words="x"))["error"]["code"] == -32602
    assert "result" in server.ask(initialize())


def test_large_answers_arrive(server):
    answer = server.ask(call(resource="probe", action="picture", number=6_000_000))
    assert len(answer["result"]["content"][1]["data"]) == 8_000_000


@pytest.mark.parametrize("depth", [40, 600, 900])
def test_deeply_nested_arguments_are_refused(server, converse, warm_home, depth):
    line = (
        b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"web","arguments":'
        b'{"resource":"probe","action":"say","words":%s%s}}}\n' % (b"[" * depth, b"]" * depth)
    )
    early = converse(home=warm_home)
    early.open()
    for one in (server, early):
        one.write(line)
        answer = one.receive()
        assert answer["id"] == 6
        text = answer["error"]["message"] if "error" in answer else text_of(answer)
        assert "nested too deeply" in text
        assert serves(one)
    assert early.finish() == 0
    assert "Traceback" not in early.log()
