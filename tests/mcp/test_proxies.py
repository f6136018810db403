"""The load balancers of `deploy/`, run for real before three replicas, where they are installed."""

import re
import shutil
import signal
import socket
import subprocess
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from tests.mcp.conversation import call
from tests.mcp.test_http import Served, answer_of, open_session, post, text_of
from tests.support.waiting import wait_until

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
WHO = call(resource="probe", action="who")
COMMANDS = {
    "nginx.conf": ("nginx", "-g", "daemon off; pid nginx.pid; error_log stderr;", "-p", ".", "-c"),
    "haproxy.cfg": ("haproxy", "-db", "-f"),
}


class Proxy:
    """A proxy before replicas, for requests as they go to a server."""

    def __init__(self, name, replicas, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        text = (DEPLOY / name).read_text().replace("bind :80", f"bind 127.0.0.1:{port}")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
        for letter, replica in replicas.items():
            address = replica.url.removeprefix("http://").removesuffix("/mcp")
            text = text.replace(f"replica-{letter}:8000", address)
        assert "replica-" not in re.sub("#.*", "", text)
        (folder / name).write_text(text)
        (folder / "logs").mkdir()
        command = (*COMMANDS[name], str(folder / name))
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}/mcp"
        wait_until(self.answers)

    def answers(self):
        try:
            return httpx2.get(self.url).status_code not in (502, 503)
        except httpx2.TransportError:
            return False

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@pytest.fixture(params=COMMANDS)
def proxied(request, tmp_path):
    if shutil.which(COMMANDS[request.param][0]) is None:
        pytest.skip(f"{COMMANDS[request.param][0]} is not installed")
    with ExitStack() as stack:
        replicas = {}
        for letter in "abc":
            home = tmp_path / letter
            home.mkdir()
            replicas[letter] = stack.enter_context(Served(home, replica=letter))
        proxy = Proxy(request.param, replicas, tmp_path)
        stack.callback(proxy.end)
        yield proxy, replicas


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
