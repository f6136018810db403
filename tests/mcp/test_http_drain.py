"""A server that is told to end finishes what it began, and tells everybody else to come back."""

import json
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.mcp.conversation import WAIT, call, initialize, modern, text_of
from tests.mcp.http_server import Served, answer_of, open_session, post, post_modern
from tests.support.waiting import wait_until

RESTARTS = 50


@pytest.fixture
def draining(tmp_path):
    """A server with a call of 3 s in flight, told to end meanwhile."""
    with Served(tmp_path) as served, ThreadPoolExecutor() as pool:
        session = open_session(served)
        sleeping = call(1, resource="probe", action="sleep", number=3)
        answer = pool.submit(post, served, sleeping, session)
        served.wait_for("asleep")
        assert probe(served, "readyz").status_code == 200
        served.process.send_signal(signal.SIGTERM)
        wait_until(lambda: probe(served, "readyz").status_code == 503)
        yield served, session, answer


def probe(served, path, **headers):
    return httpx2.get(served.url.replace("mcp", path), headers=headers)


def error_of(response):
    return answer_of(response)["result"]["_meta"]["strap/error"]


def test_it_finishes_what_it_began(draining):
    served, _, answer = draining
    assert text_of(answer_of(answer.result())) == "awake"
    assert served.process.wait(WAIT) == 0
    assert served.noted()[-1] == "closed"


def test_it_takes_nothing_new_meanwhile(draining):
    served, session, _ = draining
    new_session = post(served, initialize())
    without_session = post_modern(served, modern("tools/list"))
    for refused in (new_session, without_session):
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"])
    who = call(2, resource="probe", action="who")
    assert error_of(post(served, who, session)) == {"code": "shutting_down", "retryable": True}
    assert probe(served, "healthz").status_code == 200


def test_requests_that_never_arrive_do_not_hold_it_up(tmp_path):
    with Served(tmp_path) as served, ExitStack() as stack:
        session = open_session(served)
        url = urlsplit(served.url)
        head = (
            f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: 500\r\n"
            f"Content-Type: application/json\r\nMcp-Session-Id: {session}\r\n\r\n{{"
        )
        for _ in range(50):
            sent = stack.enter_context(socket.create_connection((url.hostname, url.port)))
            sent.sendall(head.encode())
        post(served, call(2, resource="probe", action="who"), session)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(10) == 0


def test_a_second_signal_ends_it_now(draining):
    served, _, answer = draining
    assert served.end() == 0
    assert error_of(answer.result()) == {"code": "shutting_down", "retryable": True}
    assert "awake" not in served.noted()


def test_what_takes_longer_is_cancelled_with_an_answer(tmp_path):
    with Served(tmp_path, drain=1) as served, ThreadPoolExecutor() as pool:
        session = open_session(served)
        sleeping = call(1, resource="probe", action="sleep", number=60)
        answer = pool.submit(post, served, sleeping, session)
        served.wait_for("asleep")
        assert served.end() == 0
        assert error_of(answer.result())["code"] == "shutting_down"


def test_probes_need_neither_token_nor_name(tmp_path):
    with Served(tmp_path, token="a-token-for-tests", max_sessions=1) as served:
        assert probe(served, "healthz", host="10.1.2.3").text == "ok\n"
        assert probe(served, "readyz", host="10.1.2.3").status_code == 200
        open_session(served, authorization="Bearer a-token-for-tests")
        assert probe(served, "readyz").status_code == 503  # full


@pytest.mark.soak
def test_no_call_is_lost_in_restarts_under_load(tmp_path):
    """Calls that began, as the server's own notes say, must all have been answered."""
    for number in range(RESTARTS):
        home = tmp_path / str(number)
        home.mkdir()
        with Served(home) as served:
            answered = under_load(served)
            assert served.noted().count("awake") == answered


def under_load(served):
    """Call from four threads until the server is gone; returns how many calls it answered."""
    answered, sessions = [], [open_session(served) for _ in range(4)]

    def go_on(session):
        nap = call(1, resource="probe", action="sleep", number=0.05)
        while True:
            try:
                response = post(served, nap, session)
            except httpx2.TransportError:
                return
            if response.status_code != 200 or "awake" not in json.dumps(answer_of(response)):
                return
            answered.append(response)

    threads = [threading.Thread(target=go_on, args=(each,)) for each in sessions]
    for thread in threads:
        thread.start()
    threading.Event().wait(0.3)
    assert served.end() == 0
    for thread in threads:
        thread.join(WAIT)
    return len(answered)
