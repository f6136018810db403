"""Metrics of the server, at a port of its own."""

import socket

import httpx2
import pytest

from strap.config import load
from strap.errors import StartupError
from strap.mcp.http import server
from tests.mcp.conversation import call
from tests.mcp.http_server import TOKEN, Served, answer_of, open_session, post

pytest.importorskip("prometheus_client")
AUTH = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def served(tmp_path_factory, port):
    with Served(tmp_path_factory.mktemp("home"), metrics=port, token=TOKEN) as served:
        yield served


def counted(port):
    lines = httpx2.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()
    pairs = [line.rpartition(" ") for line in lines if line[0] != "#"]
    return {name: float(value) for name, _, value in pairs}


def test_calls_are_counted_and_nothing_of_what_they_say(served, port):
    session = open_session(served, **AUTH)
    said = call(resource="probe", action="say", words="hidden.example")
    for message in (said, said, call(resource="probe", action="fail")):
        post(served, message, session, **AUTH)
    post(served, said)
    found = counted(port)
    labels = 'resource="probe"'
    assert found[f'strap_calls_total{{action="say",outcome="ok",{labels}}}'] == 2
    assert found[f'strap_calls_total{{action="fail",outcome="failed",{labels}}}'] == 1
    assert found[f'strap_call_seconds_count{{action="say",{labels}}}'] == 2
    assert found["strap_sessions"] == 1
    assert found["strap_calls_running"] == 0
    assert found["strap_words"] == 2
    assert found['strap_refused_total{reason="token"}'] == 1
    assert "hidden" not in str(found)


def test_calls_cannot_reach_them(served, port):
    session = open_session(served, **AUTH)
    fetch = call(resource="http", action="fetch", url=f"http://127.0.0.1:{port}/metrics")
    result = answer_of(post(served, fetch, session, **AUTH))["result"]
    assert result["_meta"]["strap/error"]["code"] == "own_port"


def test_a_port_that_is_taken_is_named(tmp_path):
    config = load(environ={}, directory=tmp_path, home=tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StartupError, match="for metrics"):
            server.serve(config, port=0, metrics=taken.getsockname()[1])
