"""The load balancers of `deploy/`, run for real before three replicas, where they are installed."""

from collections import Counter
from contextlib import ExitStack
from types import SimpleNamespace

import httpx2
import pytest

from benchmarks.serving.servers import PROXIES, Proxy
from tests.mcp.conversation import call, text_of
from tests.mcp.http_server import Served, answer_of, open_session, post

WHO = call(resource="probe", action="who")


@pytest.fixture(params=PROXIES)
def proxied(request, tmp_path):
    if not Proxy.installed(request.param):
        pytest.skip(f"{PROXIES[request.param][0]} is not installed")
    with ExitStack() as stack:
        replicas = {}
        for letter in "abc":
            home = tmp_path / letter
            home.mkdir()
            replicas[letter] = stack.enter_context(Served(home, replica=letter))
        ports = {letter: httpx2.URL(each.url).port for letter, each in replicas.items()}
        proxy = stack.enter_context(Proxy(request.param, ports, tmp_path))
        yield SimpleNamespace(url=f"http://127.0.0.1:{proxy.port}/mcp"), replicas


def told(proxy, session):
    return text_of(answer_of(post(proxy, WHO, session)))


@pytest.mark.parametrize("calls", [10, pytest.param(333, marks=pytest.mark.soak)])
def test_sessions_find_their_replica_and_outlive_another(proxied, calls):
    proxy, replicas = proxied
    sessions = [open_session(proxy) for _ in range(30)]
    assert Counter(session[:2] for session in sessions).keys() == {"a_", "b_", "c_"}
    for _ in range(calls):
        for session in sessions:
            assert told(proxy, session) == f"http local/{session[2:]}"
    assert replicas["a"].end() == 0
    for session in sessions:
        if session.startswith("a_"):
            assert post(proxy, WHO, session).status_code == 404
        else:
            assert told(proxy, session) == f"http local/{session[2:]}"
    assert {open_session(proxy)[:2] for _ in range(6)} <= {"b_", "c_"}
