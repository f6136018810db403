"""Limits on strangers without a token at the HTTP server, and on sessions."""

import json
import re
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress

import httpx2
import pytest

from strap.config import load
from strap.errors import StartupError
from strap.mcp.http import server
from tests.mcp.conversation import request
from tests.mcp.http_server import TOKEN, Served, open_session, post
from tests.support.waiting import becomes

SILENT = 600
"""Connections: more than there are places for requests."""
AUTHORIZED = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("home"), token=TOKEN, max_sessions=2) as served:
        yield served


def crowd(served, stack, head=b"", number=SILENT):
    port = httpx2.URL(served.url).port
    made = []
    for _ in range(number):
        made.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30)))
        made[-1].sendall(head)
    return made


@pytest.mark.parametrize("head", [b"", b"POST /mcp HTTP/1.1\r\nHost: 127"], ids=["silent", "half"])
def test_connections_without_a_request_keep_nobody_out(guarded, head):
    with ExitStack() as stack:
        made = crowd(guarded, stack, head)
        with a_session(guarded):
            pass
        gone = sum(is_closed(each) for each in made[: SILENT // 4])
        assert gone == SILENT // 4  # the oldest had to go


@contextmanager
def a_session(served):
    session = open_session(served, **AUTHORIZED)
    yield session
    headers = {"mcp-session-id": session, **AUTHORIZED}
    assert httpx2.delete(served.url, headers=headers).status_code == 200


def is_closed(connection, within=5):
    """Whether a connection is ended by the server; what it says before does not count."""
    connection.settimeout(within)
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


@contextmanager
def dripping(connection):
    """Send a byte now and then, which is no excuse."""
    end = threading.Event()

    def drip():
        with suppress(OSError):
            while not end.wait(0.5):
                connection.sendall(b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    yield
    end.set()
    thread.join()


def test_a_request_has_to_begin_in_time(guarded):
    """On a new connection, on one that is kept, and on one whose last request goes on for ever."""
    begins = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    answered = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as stack:
        made = [
            crowd(guarded, stack, head, number=1)[0]
            for head in (begins, answered + begins, begins + b"Content-Length: 90000\r\n\r\n")
        ]
        for each in made:
            stack.enter_context(dripping(each))
        for each in made:
            assert is_closed(each, within=60)


def test_a_kept_connection_is_open_for_longer_than_clients_keep_it(guarded):
    """Many give it up after 5 s: a server that ends it then drops what they send meanwhile."""
    with ExitStack() as stack:
        [kept] = crowd(guarded, stack, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", number=1)
        assert not is_closed(kept, within=6.5)


def test_an_initialize_that_fails_takes_no_place(guarded):
    for _ in range(4):
        failed = post(guarded, request("initialize", {"protocolVersion": 5}), **AUTHORIZED)
        assert "error" in failed.text
    with a_session(guarded):
        pass


def test_a_body_of_many_values_is_refused_before_it_is_taken_apart(guarded):
    many = {f"k{number}": number for number in range(200_000)}
    with a_session(guarded) as session:
        headers = {"mcp-session-id": session, **AUTHORIZED}
        refused = post(
            guarded, request("tools/call", {"name": "web", "arguments": many}), **headers
        )
        assert refused.status_code == 413
        assert "more than 20,000 values" in refused.text
        assert post(guarded, request("ping", None), **headers).status_code == 200


def test_an_event_to_go_on_from_is_no_error(guarded):
    wanted = {"accept": "text/event-stream", "last-event-id": "999"}
    with a_session(guarded) as session:
        headers = {"mcp-session-id": session, **wanted, **AUTHORIZED}
        with httpx2.stream("GET", guarded.url, headers=headers) as answer:
            assert answer.status_code == 200


def test_no_session_is_told_of_events_of_another(guarded):
    wanted = {"accept": "text/event-stream", **AUTHORIZED}
    called = {"name": "web", "arguments": {"resource": "http", "action": "help"}}
    asked = request("tools/call", {**called, "_meta": {"progressToken": 1}})
    with a_session(guarded) as first:
        told = post(guarded, asked, **{"mcp-session-id": first, **AUTHORIZED})
        assert "HTTP requests" in told.text
        for last in {"0", "1", first, *re.findall(r"^id: *(.+?)\r?$", told.text, re.MULTILINE)}:
            with a_session(guarded) as second:
                headers = {"mcp-session-id": second, "last-event-id": last, **wanted}
                assert not heard(guarded, headers)


def heard(guarded, headers, seconds=0.5):
    """Return the bytes of a stream of events within some time."""
    said = b""
    limit = httpx2.Timeout(30, read=seconds)
    with (
        suppress(httpx2.ReadTimeout),
        httpx2.stream("GET", guarded.url, headers=headers, timeout=limit) as answer,
    ):
        assert answer.status_code == 200
        for piece in answer.iter_raw():
            said += piece
    return said


@pytest.mark.parametrize("token", ["schlüssel", "two\nlines", " blank", "a b", "a\tb"])
def test_a_token_that_nobody_can_send_is_refused_at_the_start(token):
    with pytest.raises(StartupError, match="no client can send"):
        server.serve(load(), token=token)


@pytest.mark.anyio
async def test_an_initialize_whose_answer_nobody_waits_for_takes_no_place(guarded):
    body = json.dumps(request("initialize", {"protocolVersion": 5})).encode()
    fields = {
        "Host": "127.0.0.1",
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    for _ in range(9):
        with ExitStack() as stack:
            crowd(guarded, stack, f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body, number=1)
    await becomes(lambda: opens(guarded))


def opens(served):
    with suppress(AssertionError), a_session(served):
        return True
    return False
