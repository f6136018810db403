"""Answers that clients over HTTP missed, asked for again with `Last-Event-ID`."""

import asyncio
import socket
import threading
import time
from contextlib import contextmanager, suppress

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import JSONRPCNotification, JSONRPCResponse

from strap.mcp.http import missed
from strap.mcp.http.missed import MissedAnswers, Resumption
from tests.mcp.conversation import WAIT, call, notification
from tests.mcp.http_server import ACCEPT, Served, answer_of, open_session, post

TOKENS = {name: f"a-token-of-{name}" for name in ("ci", "team")}
SETTINGS = "".join(
    f'[serve.tokens.{name}]\nvalue = "{token}"\nlimits = {{ calls = 0, calls_per_minute = 0 }}\n'
    for name, token in TOKENS.items()
)
CI, TEAM = ({"authorization": f"Bearer {token}"} for token in TOKENS.values())


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    (home / "strap.toml").write_text(SETTINGS)
    with Served(home) as served:
        yield served


def headers_of(session, who=CI, **more):
    version = {"mcp-protocol-version": "2025-11-25"}
    return {**ACCEPT, **who, **version, "mcp-session-id": session, **more}


def left(served, session, message):
    """Call, leave when the stream has begun, and return the id of its first event."""
    headers = headers_of(session)
    with httpx2.stream("POST", served.url, json=message, headers=headers, timeout=WAIT) as answer:
        return next(line[3:].strip() for line in answer.iter_lines() if line.startswith("id:"))


def resumed(served, session, event, who=CI, wait=WAIT):
    """The whole stream that a client gets which goes on after an event; "" if nothing comes."""
    headers = headers_of(session, who, **{"last-event-id": event})
    said = ""
    with (
        suppress(httpx2.ReadTimeout),
        httpx2.stream("GET", served.url, headers=headers, timeout=wait) as answer,
    ):
        for piece in answer.iter_text():
            said += piece
    return said


def asleep(seconds, number=5):
    return call(number, resource="probe", action="sleep", number=seconds)


@pytest.mark.parametrize("away", [0, 2], ids=["before the answer", "after it"])
def test_who_comes_back_gets_the_answer(served, away):
    session = open_session(served, **CI)
    event = left(served, session, asleep(1))
    time.sleep(away)
    for _ in range(2):  # and again, should that connection drop as well
        said = resumed(served, session, event)
        assert said.count('"awake"') == 1
    last = next(line[3:].strip() for line in said.splitlines() if line.startswith("id:"))
    assert resumed(served, session, last) == ""


def test_nobody_else_gets_it_and_all_that_is_no_event_is_alike(served):
    session = open_session(served, **CI)
    event = left(served, session, asleep(0))
    others = [(open_session(served, **CI), CI), (open_session(served, **TEAM), TEAM)]
    for other, who in others:
        left_of_own = post(served, asleep(0), other, **who)
        assert answer_of(left_of_own)["result"]
        for each in (event, "9999-9999", "1", "x", "-1", "9" * 500):
            assert resumed(served, other, each, who, wait=0.2) == ""
    foreign = headers_of(session, TEAM, **{"last-event-id": event})
    assert httpx2.get(served.url, headers=foreign, timeout=WAIT).status_code == 404
    assert '"awake"' in resumed(served, session, event)


def test_the_end_of_a_session_ends_who_waits_for_its_answer(served):
    session = open_session(served, **CI)
    event = left(served, session, asleep(60))
    said = []
    waiting = threading.Thread(target=lambda: said.append(resumed(served, session, event)))
    waiting.start()
    time.sleep(0.5)
    gone = httpx2.delete(served.url, headers=headers_of(session), timeout=WAIT)
    assert gone.status_code == 200
    waiting.join(WAIT)
    assert said == [""]
    assert httpx2.get(served.url, headers=headers_of(session), timeout=WAIT).status_code == 404


def test_a_call_that_was_cancelled_is_told_to_who_comes_back(served):
    session = open_session(served, **CI)
    event = left(served, session, asleep(60))
    gone = notification("notifications/cancelled", {"requestId": 5})
    assert post(served, gone, session, **CI).status_code == 202
    assert "Request cancelled" in resumed(served, session, event)


@contextmanager
def dropping(port, seconds):
    """A proxy before the server that cuts each connection after some seconds."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source, sink):
        with suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)

    def carry(client):
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            for pair in ((client, server), (server, client)):
                threading.Thread(target=pump, args=pair, daemon=True).start()
            time.sleep(seconds)
            for each in (client, server):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=carry, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"


@pytest.mark.anyio
async def test_twenty_calls_are_answered_over_a_line_that_drops(served):
    """The SDK's client, whose connections are cut after 1.5 s: calls take four."""
    answers = []
    with dropping(httpx2.URL(served.url).port, 1.5) as url:
        async with (
            httpx2.AsyncClient(headers=CI, timeout=WAIT) as http,
            Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
        ):

            async def ask():
                asked = {"resource": "probe", "action": "sleep", "number": 4}
                result = await client.call_tool("web", asked)
                answers.append(result.content[0].text)

            async with anyio.create_task_group() as tasks:
                for _ in range(20):
                    tasks.start_soon(ask)
    assert answers == ["awake"] * 20


def answer(number, text):
    return JSONRPCResponse(jsonrpc="2.0", id=number, result={"text": text})


@pytest.mark.anyio
async def test_what_is_kept_is_bounded_by_bytes_and_time(monkeypatch):
    kept, store, got = MissedAnswers(), Resumption(), []

    async def send(event):
        got.append(event.message.result["text"][:5])

    with kept.of(None) as streams:
        kept.begin("s", streams)
        first = [await store.store_event(str(n), None) for n in range(40)]
        for n in range(40):
            await store.store_event(str(n), answer(n, f"{n:05}" + "x" * (1 << 20)))
        assert kept._bytes <= missed.MOST_BYTES
        assert [kept.has(each, "s") for each in first].count(True) == 15
        assert not kept.has(first[0], "s")
        for each in first:
            await store.replay_events_after(each, send)
        assert got == [f"{n:05}" for n in range(25, 40)]
        monkeypatch.setattr(missed, "KEPT_SECONDS", 0.2)
        open_one = await store.store_event("open", None)
        note = JSONRPCNotification(jsonrpc="2.0", method="n")
        await store.store_event("open", note)
        await asyncio.sleep(0.5)
        assert (kept._bytes, len(kept._streams)) == (0, 1)
        assert kept.has(open_one, "s")  # its answer is still to come
        with monkeypatch.context() as short:
            short.setattr(missed, "TAIL_SECONDS", 0.2)
            await store.replay_events_after(open_one, send)
            assert kept.has(open_one, "s")  # who has waited in vain comes back
        replay = asyncio.create_task(store.replay_events_after(open_one, send))
        await asyncio.sleep(0)
        await store.store_event("open", answer(1, "later"))
        await replay
        assert got[-1] == "later"
        kept.end("s")
        assert (kept._bytes, kept._streams, len(kept._entries)) == (0, {}, 0)
