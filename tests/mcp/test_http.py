"""Streamable HTTP: the SDK's client and bare requests against a real server process."""

import json
import signal
import socket
import sys

import anyio
import httpx2
import pytest

from tests.mcp.conversation import (
    WAIT,
    call,
    initialize,
    modern,
    request,
    text_of,
)
from tests.mcp.http_server import (
    ACCEPT,
    ERAS,
    TOKEN,
    Served,
    answer_of,
    connect,
    open_session,
    post,
    post_modern,
    web,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ERAS)
async def test_the_client_of_the_sdk(served, mode):
    seen = []

    async def note(done, total, message):
        seen.append((done, total, message))

    async with connect(served, mode) as client:
        assert client.protocol_version == ERAS[mode]
        assert [tool.name for tool in (await client.list_tools()).tools] == ["web"]
        assert (await web(client, "say", words="hello")).content[0].text == "hello"
        assert (await web(client, "halves")).content[0].text == "left \ufffd right \ufffd end"
        assert (await web(client, "picture", number=600_000)).content[1].data
        result = await web(client, "fail")
        assert result.meta["strap/error"] == {"code": "weather", "retryable": True}
        arguments = {"resource": "probe", "action": "count", "number": 2}
        await client.call_tool("web", arguments, progress_callback=note)
    assert seen == [(1, 2, "step 1 \ufffd"), (2, 2, "step 2 \ufffd")]


@pytest.mark.parametrize("mode", ERAS)
async def test_cancelling_reaches_the_action(served, mode):
    async with connect(served, mode) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: web(client, "sleep", number=60))
            await anyio.to_thread.run_sync(served.wait_for, "asleep")
            tasks.cancel_scope.cancel()
        await anyio.to_thread.run_sync(served.wait_for, "cancelled")
        assert not (await web(client, "say", words="on")).is_error


@pytest.mark.parametrize("mode", ERAS)
async def test_an_answer_that_is_too_big_says_how_else(served, mode):
    async with connect(served, mode) as client:
        result = await web(client, "picture", number=800_000)
    assert result.is_error
    assert "output" in result.content[0].text
    assert result.meta["strap/error"]["code"] == "too_large"


def test_sessions_are_callers_of_their_own_and_end(served):
    first, second = open_session(served), open_session(served)
    who = call(resource="probe", action="who")
    assert text_of(answer_of(post(served, who, first))) == f"http local/{first}"
    assert text_of(answer_of(post(served, who, second))) == f"http local/{second}"
    gone = httpx2.delete(served.url, headers={"mcp-session-id": first})
    assert gone.status_code == 200
    served.wait_for(f"ended local/{first}")
    assert post(served, who, first).status_code == 404
    assert post(served, who, second).status_code == 200


def test_without_sessions_the_caller_is_given_a_handle(served):
    message = modern("tools/call", name="web", arguments={"resource": "probe", "action": "who"})
    text = text_of(answer_of(post_modern(served, message)))
    handle = text.split('session: "')[1].split('"')[0]
    assert text.startswith(f"http local/{handle}\n")


def test_an_idle_session_ends_and_a_busy_one_does_not(serve):
    served = serve(idle_seconds=2)
    idle, busy = open_session(served), open_session(served)
    sleeping = call(resource="probe", action="sleep", number=6)
    answer = answer_of(post(served, sleeping, busy))
    assert text_of(answer) == "awake"
    assert f"ended local/{idle}" in served.noted()
    assert f"ended local/{busy}" not in served.noted()[: served.noted().index("awake")]
    served.wait_for(f"ended local/{busy}")
    assert post(served, sleeping, busy).status_code == 404


def test_a_call_that_nobody_waits_for_keeps_its_session(serve):
    """Over the protocols with sessions a call runs on when its request is dropped."""
    served = serve(idle_seconds=2)
    session = open_session(served)
    with socket.create_connection(("127.0.0.1", httpx2.URL(served.url).port)) as raw:
        body = json.dumps(call(resource="probe", action="sleep", number=5)).encode()
        head = (
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\n"
            f"Accept: {ACCEPT['accept']}\r\nMcp-Session-Id: {session}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        raw.sendall(head.encode() + body)
        served.wait_for("asleep")
    served.wait_for(f"ended local/{session}")
    assert served.noted()[:3] == ["opened", "asleep", "awake"]


def test_there_is_room_for_so_many_sessions(serve):
    served = serve(max_sessions=2)
    first = open_session(served)
    open_session(served)
    refused = post(served, initialize())
    assert refused.status_code == 503
    assert "Too many sessions" in refused.json()["error"]["message"]
    modern_one = post_modern(served, modern("tools/list"))
    assert modern_one.status_code == 200
    httpx2.delete(served.url, headers={"mcp-session-id": first})
    open_session(served)


def test_a_failed_opening_takes_no_room(serve):
    served = serve(max_sessions=1)
    for _ in range(3):
        assert post(served, request("tools/list")).status_code == 400
    open_session(served)


def test_too_many_calls_are_told_to_wait(serve):
    served = serve(max_calls=1)
    session = open_session(served)
    with httpx2.Client() as client:
        sleeping = call(resource="probe", action="sleep", number=60)
        headers = {**ACCEPT, "mcp-session-id": session}
        with client.stream("POST", served.url, json=sleeping, headers=headers):
            served.wait_for("asleep")
            answer = answer_of(post(served, call(resource="probe", action="who"), session))
    assert answer["result"]["_meta"]["strap/error"] == {"code": "busy", "retryable": True}


REFUSED = {
    "another host": ({"host": "evil.example"}, 421),
    "another host with our port": ({"host": "evil.example:8000"}, 421),
    "a name that begins like ours": ({"host": "localhost.evil.example"}, 421),
    "a name behind ours": ({"host": "localhost:evil.example"}, 421),
    "a user before a name": ({"host": "localhost:1@evil.example"}, 421),
    "an address behind ours": ({"host": "[::1]:evil"}, 421),
    "no host": ({"host": ""}, 421),
    "an origin that begins like ours": ({"origin": "http://localhost:80.evil.example"}, 403),
    "an origin with a user": ({"origin": "http://localhost:1@evil.example"}, 403),
    "an origin with a path": ({"origin": "http://localhost/evil"}, 403),
    "an empty origin": ({"origin": ""}, 403),
    "strap itself": ({"strap-request": "1"}, 403),
    "another origin": ({"origin": "https://evil.example"}, 403),
    "no origin in particular": ({"origin": "null"}, 403),
    "an extension": ({"origin": "chrome-extension://abc"}, 403),
    "text": ({"content-type": "text/plain"}, 400),
    "no events": ({"accept": "application/json"}, 406),
    "unknown session": ({"mcp-session-id": "0" * 32}, 404),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("home"), token=TOKEN) as served:
        yield served


AUTH = {"authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize("name", REFUSED)
def test_requests_that_are_refused(shared, name):
    headers, status = REFUSED[name]
    assert post(shared, initialize(), **{**AUTH, **headers}).status_code == status


def test_the_second_of_two_origins_counts(shared):
    own, foreign = ("origin", "http://localhost"), ("origin", "http://evil.example")
    headers = [*ACCEPT.items(), *AUTH.items(), own, foreign]
    response = httpx2.post(shared.url, json=initialize(), headers=headers, timeout=WAIT)
    assert response.status_code == 403


@pytest.mark.parametrize("media_type", ["Application/JSON", "APPLICATION/JSON; charset=utf-8"])
def test_letters_are_compared_whatever_their_case(shared, media_type):
    headers = {"content-type": media_type, "host": "LOCALHOST:8000", **AUTH}
    assert post(shared, initialize(), **headers).status_code == 200


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", "HTTPS://[::1]"])
def test_pages_of_this_machine_may_ask(shared, origin):
    assert post(shared, initialize(), origin=origin, **AUTH).status_code == 200


WITHOUT = {
    "none": {},
    "wrong": {"authorization": "Bearer wrong"},
    "longer": {"authorization": f"Bearer {TOKEN}x"},
    "another scheme": {"authorization": f"Basic {TOKEN}"},
    "bare": {"authorization": TOKEN},
    "beyond ASCII": {"authorization": b"Bearer \xff\xfe"},
}


@pytest.mark.parametrize("name", WITHOUT)
@pytest.mark.parametrize("send", [post, post_modern])
def test_without_the_token_nothing_is_answered(shared, name, send):
    response = send(shared, modern("tools/list"), **WITHOUT[name])
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")


async def test_with_the_token_it_is_served(shared):
    async with connect(shared, "auto", TOKEN) as client:
        assert "http bearer/" in (await web(client, "who")).content[0].text


def test_other_paths_and_methods_are_not_served(shared):
    base = shared.url.removesuffix("/mcp")
    assert httpx2.get(f"{base}/", headers=AUTH).status_code == 404
    assert httpx2.put(shared.url, headers=AUTH).status_code in (400, 405)
    assert httpx2.options(shared.url, headers=AUTH).status_code in (400, 405)


BODIES = {
    "not JSON": (b"hello", 400),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', 400),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400),
    "too long": (b" " * ((4 << 20) + 1), 413),
    "deep": (b"[" * 10_000, 400),
    "deeper": (b"[" * 100_000, 413),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_bad_bodies_are_refused(shared, name, version):
    body, status = BODIES[name]
    headers = {**ACCEPT, **AUTH, "content-type": "application/json"}
    headers |= {"mcp-protocol-version": version, "mcp-method": "ping"}
    response = httpx2.post(shared.url, content=body, headers=headers)
    assert response.status_code == status
    assert post(shared, initialize(), **AUTH).status_code == 200


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(n, marks=pytest.mark.soak) for n in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_a_signal_ends_it(serve, number):
    """With a call in flight and an open stream; status 0 says that it took less than 2 s."""
    served = serve(drain=0)
    session = open_session(served)
    headers = {**ACCEPT, "mcp-session-id": session}
    with httpx2.Client(timeout=WAIT) as client:
        sleeping = call(resource="probe", action="sleep", number=60)
        with (
            client.stream("GET", served.url, headers={**headers, "accept": "text/event-stream"}),
            client.stream("POST", served.url, json=sleeping, headers=headers),
        ):
            served.wait_for("asleep")
            assert served.end(number) == 0
    assert served.noted()[-1] == "closed"
    assert "cancelled" in served.noted()


def test_beyond_loopback_a_token_is_needed(serve):
    served = serve(host="0.0.0.0")
    assert served.process.wait(WAIT) == 1
    assert "bearer token" in served.log()


def test_with_a_token_it_listens_beyond_loopback(serve):
    served = serve(host="0.0.0.0", token=TOKEN, names=["strap.example"])
    port = httpx2.URL(served.url).port
    served.url = f"http://127.0.0.1:{port}/mcp"
    assert post(served, initialize(), host=f"strap.example:{port}", **AUTH).status_code == 200
    refused = post(served, initialize(), host="other.example", **AUTH)
    assert refused.status_code == 421
    assert refused.json()["error"]["message"] == (
        "Not served under the host 'other.example'; allow it with --name."
    )
    assert post(served, initialize()).status_code == 401


def test_a_port_that_is_taken_is_named(converse, served):
    port = str(httpx2.URL(served.url).port)
    second = converse((sys.executable, "-m", "strap", "serve", "--http", "--port", port))
    assert second.process.wait(WAIT) == 1
    assert f"port {port}" in second.log()


def test_its_own_port_is_not_the_web(served):
    port = httpx2.URL(served.url).port
    session = open_session(served)
    fetch = call(resource="http", action="fetch", url=f"http://127.0.0.1:{port}/")
    result = answer_of(post(served, fetch, session))["result"]
    assert result["_meta"]["strap/error"]["code"] == "own_port"
