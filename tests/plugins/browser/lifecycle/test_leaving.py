"""A client that is gone in the middle of a call on a page: the call ends, and the page is free."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from itertools import count

import httpx2
import pytest

from tests.mcp.conversation import call, notification
from tests.mcp.http_server import open_session, post
from tests.plugins.browser.lifecycle.clients import Client, SessionClient
from tests.site.server import serve
from tests.soak.test_soak import Server
from tests.support.waiting import wait_until

WAITING = {
    "wait for a text": {"action": "wait", "text": "Zanzibar"},
    "wait for rest": {"action": "wait", "value": "50"},
    "navigate": {"action": "navigate", "url": "/silent"},
    "reload": {"action": "reload"},
    "evaluate": {"action": "evaluate", "text": "new Promise(() => {})"},
    "evaluate a loop": {"action": "evaluate", "text": "while (true) {}"},
    "batch": {"action": "batch", "steps": ["text", "wait selector=#nothing"]},
}
FEW = ("wait for a text", "navigate", "evaluate a loop")


@pytest.fixture(scope="module")
def site():
    release, seen = threading.Event(), set()

    def once(request):
        """Answer the first request with this query; the next ones get nothing."""
        if str(request.query) in seen:
            release.wait(600)
        seen.add(str(request.query))
        return "<title>Once</title><h1>Once</h1>"

    routes = {
        "/": "<title>Home</title><h1>Home</h1>",
        "/once": once,
        "/silent": lambda request: release.wait(600) and "",
    }
    with serve(routes) as running:
        yield running
        release.set()


@pytest.fixture(scope="module")
def numbers():
    return count(1)


@contextmanager
def in_the_middle(client, **arguments):
    """Give the id of a call while it waits; afterwards its connection is cut."""
    message = client.message(**arguments)
    body = json.dumps(message).encode()
    headers = {
        "Host": "127.0.0.1",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(body)),
        **client.headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    port = httpx2.URL(client.server.url).port
    with socket.create_connection(("127.0.0.1", port)) as raw:
        raw.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        wait_until(client.is_busy)
        yield message["id"]


def prepared(client, site, what, number):
    """The arguments of a call that waits, with the client's page ready for it."""
    client.text(action="navigate", url=f"{site}/once?{number}" if what == "reload" else str(site))
    arguments = dict(WAITING[what])
    if "url" in arguments:
        arguments["url"] = f"{site}{arguments['url']}"
    return arguments


@pytest.mark.parametrize(
    "what", [*FEW, *(pytest.param(w, marks=pytest.mark.soak) for w in WAITING if w not in FEW)]
)
def test_a_connection_that_is_cut_ends_the_call(served, site, numbers, what):
    """From protocol 2026-07-28 on: there the connection is all that a client has."""
    number = next(numbers)
    client, other = Client(served, f"one{number}"), Client(served, f"two{number}")
    arguments = prepared(client, site, what, number)
    with in_the_middle(client, **arguments, timeout=300):
        assert "Home" in other.text(action="navigate", url=str(site))
    wait_until(lambda: not client.is_busy())
    assert "Home" in client.text(action="navigate", url=str(site), timeout=30)
    assert client.text(action="list_pages").count("\n") == 0
    assert "Home" in other.text(action="snapshot")


@pytest.mark.parametrize("what", FEW)
def test_a_call_that_is_cancelled_after_its_connection_was_cut(served, site, numbers, what):
    """With sessions a connection may break and the call goes on: what ends it is said."""
    client = SessionClient(served, open_session(served))
    arguments = prepared(client, site, what, next(numbers))
    with in_the_middle(client, **arguments, timeout=300) as number:
        pass
    assert client.is_busy()
    gone_away = notification("notifications/cancelled", {"requestId": number})
    assert post(served, gone_away, client.handle).status_code == 202
    wait_until(lambda: not client.is_busy())
    assert "Home" in client.text(action="navigate", url=str(site), timeout=30)


def test_a_session_that_ends_takes_its_calls_and_pages_along(served, site, numbers):
    client, other = (SessionClient(served, open_session(served)) for _ in range(2))
    arguments = prepared(client, site, "wait for a text", next(numbers))
    other.text(action="navigate", url=str(site))
    with in_the_middle(client, **arguments, timeout=300):
        ended = httpx2.delete(served.url, headers={"mcp-session-id": client.handle})
        assert ended.status_code == 200
    assert post(served, client.message(action="text"), client.handle).status_code == 404
    assert "Home" in other.text(action="snapshot")


@pytest.mark.parametrize("what", FEW)
def test_a_call_that_is_cancelled_over_stdio(stdio, site, numbers, what):
    arguments = prepared(stdio, site, what, next(numbers))
    stdio.server.send(call(7, resource="browser", **arguments, timeout=300))
    wait_until(stdio.is_busy)
    stdio.server.send(notification("notifications/cancelled", {"requestId": 7}))
    wait_until(lambda: not stdio.is_busy())
    assert "Home" in stdio.text(action="navigate", url=str(site), timeout=30)


class Stdio(Client):
    """The client of a server over stdio; a cancelled call is never answered."""

    def __init__(self, server):
        super().__init__(server, None)
        self.number = 100

    def result(self, **arguments):
        self.number += 1
        answer = self.server.ask(call(self.number, resource="browser", **arguments))
        assert answer["id"] == self.number
        return answer["result"]


@pytest.fixture(scope="module")
def stdio(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("home")) as server:
        server.web(resource="browser", action="launch")
        yield Stdio(server)


CLOSING = """import asyncio, os
from strap.mcp.event_loop import run
from strap_browser.cdp.pipe import Pipe

async def main():
    (held, commands), (replies, other) = os.pipe(), os.pipe()
    pipe = Pipe(commands, replies)
    await pipe.open(print, lambda: print("ended"))
    pipe.write("x" * 1_000_000)
    pipe.close()
    await asyncio.sleep(0.1)
    for descriptor in (commands, replies):
        try:
            os.fstat(descriptor)
        except OSError:
            print("closed")

run(main)"""


def test_a_pipe_is_closed_before_all_is_sent():
    done = subprocess.run(
        [sys.executable, "-c", CLOSING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.split()) == (0, ["ended", "closed", "closed"])
