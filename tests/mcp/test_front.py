"""The front answers the handshake before the SDK is there, and exactly as the SDK does."""

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.mcp.conversation import (
    INFO,
    PREFIX,
    call,
    initialize,
    modern,
    notification,
    request,
    text_of,
)

VERSIONS = [*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-01-01"]
LIST = request("tools/list", {}, 1)
TOKEN = request("tools/list", {"_meta": {"progressToken": 7}}, "two")
PING = request("ping", None, 3)


def early(converse, home, messages):
    """Return the answers of the front alone: in this process the SDK is never loaded."""
    front = converse(home=home, PROBE_FRONT_ONLY="1")
    return [front.ask(message) for message in messages]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_handshake_is_answered_as_by_the_sdk(converse, warm_home, sdk_answers, version):
    messages = [initialize(version), LIST, TOKEN, PING]
    assert early(converse, warm_home, messages) == sdk_answers(*messages)


def test_the_protocol_without_handshake_is_answered_as_by_the_sdk(converse, warm_home, sdk_answers):
    messages = [modern("server/discover", 1), modern("tools/list", "a")]
    assert early(converse, warm_home, messages) == sdk_answers(*messages)


def test_capabilities_and_names_of_real_clients_are_taken(converse, warm_home, sdk_answers):
    hello = initialize()
    hello["params"]["clientInfo"] = {**INFO, "title": "Tests"}
    hello["params"]["capabilities"] = {
        "roots": {"listChanged": True},
        "sampling": {},
        "elicitation": {"form": {}, "url": {}},
        "experimental": {"x": {"y": {}}},
    }
    assert early(converse, warm_home, [hello]) == sdk_answers(hello)


BAD_INFO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": 1}}
BAD_ROOTS = {"protocolVersion": "2025-11-25", "capabilities": {"roots": 5}, "clientInfo": INFO}
ICONS = {**INFO, "icons": [{"src": "data:,"}]}
ODD_OPENERS = {
    "list first": [LIST],
    "ping first": [PING],
    "unknown method first": [request("no/such", {})],
    "initialize without parameters": [request("initialize")],
    "initialize with a bad name": [request("initialize", BAD_INFO)],
    "initialize with bad capabilities": [request("initialize", BAD_ROOTS)],
    "initialize with icons": [
        request("initialize", {**BAD_INFO, "clientInfo": ICONS}),
        LIST,
    ],
    "initialize with an envelope": [
        request("initialize", {**initialize()["params"], **modern("x")["params"]}),
        LIST,
    ],
    "initialize twice": [initialize(), initialize("2024-11-05", 9), LIST],
    "a cursor that is none": [initialize(), request("tools/list", {"cursor": 5})],
    "a token that is none": [initialize(), request("ping", {"_meta": {"progressToken": []}})],
    "envelope after the handshake": [initialize(), modern("tools/list")],
    "handshake after an envelope": [modern("tools/call", name="web"), initialize()],
    "unknown version": [modern("tools/list", version="2031-01-01")],
    "half an envelope": [request("tools/list", {"_meta": {PREFIX + "protocolVersion": "x"}})],
    "discover of an unknown version": [modern("server/discover", version="2031-01-01")],
    "discover without an envelope": [request("server/discover", {})],
    "modern ping": [modern("ping")],
}


SIMILAR = (
    *("ping first", "unknown method first", "initialize without parameters"),
    *("initialize with bad capabilities", "half an envelope", "modern ping"),
    "discover of an unknown version",
)
"""Cases that the SDK answers for the same reason as another one."""


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in ODD_OPENERS if name not in SIMILAR),
        *(pytest.param(name, marks=pytest.mark.soak) for name in SIMILAR),
    ],
)
def test_odd_openers_get_the_answers_of_the_sdk(converse, warm_home, sdk_answers, name):
    messages = ODD_OPENERS[name]
    server = converse(home=warm_home)
    assert [server.ask(message) for message in messages] == sdk_answers(*messages)


@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize("version", ["2026-07-28", "2031-01-01"])
def test_initialize_is_served_after_discover(converse, warm_home, tmp_path, prepared, version):
    """Clients that try the new protocol first and shake hands all the same are not refused."""
    server = converse(home=warm_home if prepared else tmp_path)
    first = server.ask(modern("server/discover", version=version))
    assert ("result" in first) == (version == "2026-07-28")
    assert "result" in server.open()
    answer = server.ask(call(resource="probe", action="say", words="hello"))
    assert text_of(answer) == "hello"


def test_the_new_protocol_goes_on_after_discover(converse, warm_home):
    server = converse(home=warm_home)
    server.ask(modern("server/discover"))
    arguments = {"resource": "probe", "action": "say", "words": "hello"}
    answer = server.ask(modern("tools/call", 2, name="web", arguments=arguments))
    assert text_of(answer) == "hello"


def test_what_comes_before_the_sdk_is_answered_in_full(converse, warm_home):
    server = converse(home=warm_home)
    server.send(
        initialize(),
        notification("notifications/initialized"),
        call(7, resource="probe", action="say", words="one"),
        call(8, resource="probe", action="say", words="two"),
        LIST,
    )
    answers = {m["id"]: m for m in (server.receive() for _ in range(4))}
    assert set(answers) == {0, 1, 7, 8}
    assert [text_of(answers[i]) for i in (7, 8)] == ["one", "two"]
    assert server.finish() == 0
    assert server.receive() is None


def test_an_outdated_listing_is_taken_back(converse, tmp_path):
    with converse() as first:
        first.open()
        first.finish()
    server = converse(PROBE_EXTRA="1")
    server.open()
    old = server.ask(LIST)["result"]["tools"][0]["description"]
    assert "surplus" not in old
    assert server.receive() == notification("notifications/tools/list_changed")
    assert "surplus" in server.ask(LIST)["result"]["tools"][0]["description"]
    server.finish()
    again = early(converse, tmp_path, [initialize(), LIST])
    assert "surplus" in again[1]["result"]["tools"][0]["description"]
