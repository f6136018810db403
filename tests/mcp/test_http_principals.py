"""Named tokens: whom the server serves, what each of them may call and use, and what is its own."""

import hashlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from strap.config import load
from strap.errors import StartupError
from strap.mcp.http import server
from strap.mcp.http.principals.registry import Principals
from strap.mcp.http.rate import Rate
from strap.mcp.http.serve_settings import read
from tests.mcp.conversation import call, initialize, modern, request, text_of
from tests.mcp.http_server import Served, answer_of, open_session, post, post_modern
from tests.support.waiting import wait_until

CI, TEAM, SLOW, FLOOD = (
    {"authorization": f"Bearer a-token-of-{name}"} for name in ("ci", "team", "slow", "flood")
)
WHO = call(resource="probe", action="who")
SETTINGS = f"""
deny = ["probe.crash"]
[serve]
replica = "a"
[serve.tokens.ci]
value = "a-token-of-ci"
allow = ["probe.who", "probe.sleep", "probe.crash"]
limits = {{ sessions = 2, calls = 1, calls_per_minute = 0 }}
[serve.tokens.team]
sha256 = "{hashlib.sha256(b"a-token-of-team").hexdigest()}"
limits = {{ sessions = 0, calls = 0, calls_per_minute = 0 }}
[serve.tokens.slow]
value = "a-token-of-slow"
limits = {{ calls_per_minute = 15 }}
[serve.tokens.flood]
value = "a-token-of-flood"
limits = {{ calls_per_minute = 1 }}
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


@pytest.fixture
def session(served):
    session = open_session(served, **CI)
    yield session
    httpx2.delete(served.url, headers={"mcp-session-id": session, **CI})


def noted(served, principal):
    file = served.notes.parent / "principals" / principal / "notes"
    return file.read_text() if file.exists() else ""


def error_of(response):
    return answer_of(response)["result"]["_meta"]["strap/error"]


def test_who_calls_is_told_by_the_token(served, session):
    own = session.removeprefix("a_")
    assert text_of(answer_of(post(served, WHO, session, **CI))) == f"http token:ci/{own}"
    assert post(served, initialize()).status_code == 401
    assert post(served, initialize(), authorization="Bearer a-token-of-xy").status_code == 401


def test_a_session_is_its_principals_alone(served, session):
    assert post(served, WHO, session, **TEAM).status_code == 404
    assert post(served, WHO, session, **CI).status_code == 200


def test_a_token_allows_less_and_never_more_than_the_server(served, session):
    for action, fields in (("count", {"number": 1}), ("crash", {})):
        refused = call(resource="probe", action=action, **fields)
        assert error_of(post(served, refused, session, **CI))["code"] == "denied"
    listed = answer_of(post(served, request("tools/list"), session, **CI))
    description = listed["result"]["tools"][0]["description"]
    assert "sleep" in description
    assert "picture" not in description


def test_folders_are_the_principals_own(served, session):
    post(served, call(resource="probe", action="sleep", number=0), session, **CI)
    assert "asleep" in noted(served, "token-ci")


def test_sessions_of_a_principal_are_limited(served, session):
    second = open_session(served, **CI)
    refused = post(served, initialize(), **CI)
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"])
    httpx2.delete(served.url, headers={"mcp-session-id": open_session(served, **TEAM), **TEAM})
    httpx2.delete(served.url, headers={"mcp-session-id": second, **CI})


def test_calls_of_a_principal_are_limited_and_others_go_on(served, session):
    before = noted(served, "token-ci").count("asleep")
    with ThreadPoolExecutor() as pool:
        sleeping = call(1, resource="probe", action="sleep", number=2)
        answer = pool.submit(post, served, sleeping, session, **CI)
        wait_until(lambda: noted(served, "token-ci").count("asleep") > before)
        assert error_of(post(served, WHO, session, **CI)) == {"code": "busy", "retryable": True}
        other = open_session(served, **TEAM)
        assert not answer_of(post(served, WHO, other, **TEAM))["result"]["isError"]
        assert text_of(answer_of(answer.result())) == "awake"


def test_a_rate_lets_a_few_through_at_once_and_then_as_many_as_it_says():
    now = [0.0]
    rate = Rate(60, clock=lambda: now[0])
    assert [rate.take() for _ in range(11)] == [0] * 10 + [1]
    now[0] += 1
    assert [rate.take(), rate.take()] == [0, 1]
    assert not any(Rate(0).take() for _ in range(1000))


def test_calls_in_a_minute_are_limited(served):
    other = open_session(served, **SLOW)
    answers = [post(served, WHO, other, **SLOW) for _ in range(4)]
    late = [each for each in answers if answer_of(each)["result"].get("isError")]
    assert {error_of(each)["code"] for each in late} == {"busy"}
    assert min(each.elapsed.total_seconds() for each in late) >= 1


def test_requests_in_a_minute_are_limited_whatever_they_are(served):
    other = open_session(served, **FLOOD)
    with ThreadPoolExecutor(8) as pool:
        pings = [request("ping", number=number) for number in range(24)]
        answers = list(pool.map(lambda ping: post(served, ping, other, **FLOOD), pings))
    late = [each for each in answers if each.status_code == 429]
    assert late
    assert all(int(each.headers["retry-after"]) for each in late)
    assert min(each.elapsed.total_seconds() for each in late) >= 1
    assert post(served, request("ping"), open_session(served, **TEAM), **TEAM).status_code == 200


def test_ids_name_their_replica(served, session):
    assert session.startswith("a_")
    foreign = "b" + session[1:]
    assert post(served, WHO, foreign, **CI).status_code == 404
    arguments = {"resource": "probe", "action": "who"}
    answer = answer_of(
        post_modern(served, modern("tools/call", name="web", arguments=arguments), **CI)
    )
    handle = text_of(answer).split('session: "')[1].split('"')[0]
    assert handle.startswith("a_")
    for name, code in ((handle, None), ("b_" + handle[2:], "wrong_replica")):
        message = modern("tools/call", name="web", arguments={**arguments, "session": name})
        result = answer_of(post_modern(served, message, **CI))["result"]
        assert (result.get("_meta") or {}).get("strap/error", {}).get("code") == code


def raw(served, *lines, body=b""):
    """Return the server's answer to these bytes, until it closes or has said enough."""
    with socket.create_connection(("127.0.0.1", httpx2.URL(served.url).port), timeout=30) as wire:
        wire.sendall("\r\n".join((*lines, "", "")).encode() + body)
        answer = b""
        while b"\r\n\r\n" not in answer and (part := wire.recv(65_536)):
            answer += part
    return answer.decode("latin-1")


def test_a_request_that_could_be_read_in_two_ways_is_none(served, session):
    head = ("POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json")
    ours = (f"Mcp-Session-Id: {session}", f"Authorization: {CI['authorization']}")
    hidden = b"0\r\n\r\nDELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    ways = {
        "two sessions": (*ours, "Mcp-Session-Id: a_0"),
        "two sessions, one of another replica": (*ours, "Mcp-Session-Id: b_0"),
        "two tokens": (*ours, f"Authorization: {TEAM['authorization']}"),
        "two lengths": (*ours, "Content-Length: 5", "Content-Length: 6"),
        "two ways to tell the length": (*ours, "Content-Length: 5", "Transfer-Encoding: chunked"),
        "a space before the colon": (*ours, "Mcp-Session-Id : a_0"),
        "two hosts": (*ours, "Host: localhost"),
    }
    for way, lines in ways.items():
        answer = raw(served, *head, *lines, body=hidden)
        assert int(answer.split()[1]) in (400, 404, 421), way
        assert way != "two ways to tell the length" or "connection: close" in answer.lower()
    assert post(served, WHO, session, **CI).status_code == 200


WRONG = {
    "a blank": ({"tokens": {"ci": {"value": "a b"}}}, "no blanks"),
    "no token": ({"tokens": {"ci": {}}}, "either a value or a sha256"),
    "both": ({"tokens": {"ci": {"value": "x", "sha256": "0" * 64}}}, "either a value or"),
    "two alike": ({"tokens": {"a": {"value": "x"}, "b": {"value": "x"}}}, "two tokens are"),
    "a name": ({"tokens": {"../x": {"value": "x"}}}, "serve.tokens"),
    "an action": ({"tokens": {"a": {"value": "x", "allow": ["htp.*"]}}}, "htp"),
    "a replica": ({"replica": "A b"}, "serve.replica"),
    "a key": ({"limits": {"pages_per_hour": 3}}, "serve.limits.pages_per_hour"),
}


@pytest.mark.parametrize("name", WRONG)
def test_settings_that_make_no_sense_are_refused_at_the_start(name, tmp_path):
    table, said = WRONG[name]
    config = load(environ={}, directory=tmp_path, home=tmp_path, serve=table)
    with pytest.raises(StartupError, match=said):
        server.serve(config, port=0)


def test_the_value_of_a_token_is_in_no_error(tmp_path):
    environ = {"STRAP_SERVE__TOKENS__CI__VALUE": "hidden-one", "STRAP_SERVE__REPLICA": "A"}
    config = load(environ=environ, directory=tmp_path, home=tmp_path)
    with pytest.raises(StartupError) as caught:
        server.serve(config, port=0)
    assert "hidden-one" not in json.dumps(str(caught.value)) + repr(config)


def test_limits_on_browsers_win_over_what_is_set_for_all(tmp_path):
    (tmp_path / "strap.toml").write_text(
        """
        [plugins.browser]
        max_pages = 7
        max_runs = 3
        [serve.limits]
        pages = 0
        memory_mb = 700
        [serve.tokens.ci]
        value = "a-token-of-ci"
        """
    )
    environ = {"STRAP_BROWSER__MAX_RUNS": "5", "STRAP_BROWSER__AUTO_LAUNCH": "true"}
    config = load(environ=environ, directory=tmp_path, home=tmp_path)
    principals = Principals(config, read(config), token="another-token", max_calls=9)
    found = {each.name: each.tool.router.catalog.settings["browser"] for each in principals}
    limited, shared = found["token:ci"], found["bearer"]
    assert (limited.max_pages, limited.max_runs, limited.max_memory_mb) == (7, 2, 700)
    assert (shared.max_pages, shared.max_runs, shared.max_memory_mb) == (7, 5, 0)
    assert limited.auto_launch
