"""The first `launch` starts the browser before the server has loaded anything else."""

import json
import os
import socket
import sys
from contextlib import contextmanager, suppress

import pytest

from tests.mcp.conversation import Conversation, call, initialize, notification, text_of
from tests.plugins.browser.lifecycle.machine import browser_pid, children, litter, tree
from tests.soak.test_soak import SERVER, Server
from tests.support.processes import descendants
from tests.support.processes import gone as all_gone
from tests.support.waiting import wait_until

OPENING = (initialize(), notification("notifications/initialized"))
SETTINGS = {"STRAP_HEADLESS": "true", "STRAP_BROWSER__PORT": "0"}
LAUNCH = {"resource": "browser", "action": "launch"}
FRONT = """import os, sys, time
sys.path[0], sys.argv[0] = os.getcwd(), "strap"
from strap.mcp.stdio.handshake import Handshake
from strap.prepared_answers import load
front = Handshake(load())
front.start()
time.sleep(60)"""
"""A server that loads nothing."""


def data(home):
    return home / "data"


@pytest.fixture(scope="module")
def used_home(tmp_path_factory):
    """A home whose profile was used, and that knows what `launch` starts."""
    home = tmp_path_factory.mktemp("used")
    with Server(home) as server:
        server.web(**LAUNCH)
        assert server.ends_well()
    return home


@pytest.fixture
def home(used_home):
    """The used home; each test leaves no browser to the next one."""
    yield used_home
    wait_until_gone(used_home)


@contextmanager
def front_of(home, **settings):
    """The front of a server, whose client launches at once."""
    command = (sys.executable, "-c", FRONT, *SERVER[3:])
    with Conversation(home, command, **{**SETTINGS, **settings}) as front:
        front.send(*OPENING, call(**LAUNCH))
        yield front


def browsers_of(home, seconds=5.0):
    """Return the processes that were started on the profile, as soon as they are there."""
    with suppress(AssertionError):
        wait_until(lambda: tree(data(home)), seconds)
    return tree(data(home))


def wait_until_gone(home):
    wait_until(lambda: not tree(data(home)))


def test_before_anything_else_is_loaded(home):
    with front_of(home) as front:
        assert browsers_of(home)
        front.process.kill()  # nothing is left of a server that had no time for anything
    wait_until_gone(home)
    assert litter(data(home)) == []


@pytest.mark.parametrize(
    "fields",
    [{"profile": "other"}, {"profile": 5}, {"timeout": 5}, {"nonsense": 1}],
)
def test_only_for_a_plain_launch(home, fields):
    command = (sys.executable, "-c", FRONT, *SERVER[3:])
    with Conversation(home, command, **SETTINGS) as front:
        front.send(*OPENING, call(**LAUNCH, **fields))
        front.receive()
        assert browsers_of(home, 0.5) == []


def test_it_is_the_one_that_is_used(home, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    with Conversation(home, SERVER, **SETTINGS) as server:
        server.send(*OPENING, call(**LAUNCH))
        server.receive()
        early = set(children(server.process.pid, "--remote-debugging-pipe"))
        launched = json.loads(text_of(server.receive()))["profiles"][0]
        assert launched["running"]
        pid = browser_pid(data(home))
        assert children(server.process.pid, "--remote-debugging-pipe") == [pid]
        assert early <= {pid}
        assert os.getsid(pid) == pid
        shown = server.ask(call(6, resource="browser", action="navigate", url=site))
        assert 'Now at "Home"' in text_of(shown)
        refused = server.ask(call(7, resource="browser", action="navigate", url="http://10.0.0.1/"))
        assert refused["result"]["isError"]
        closed = server.ask(call(8, resource="browser", action="close"))
        assert "stopped the browser" in text_of(closed)
        started = descendants(server.process.pid)
        assert server.ends_well()
        assert all_gone(*started)
    assert litter(data(home)) == []


def test_where_another_process_runs_the_browser(home):
    with Server(home) as other:
        other.web(**LAUNCH)
        pid = browser_pid(data(home))
        with Conversation(home, SERVER, **SETTINGS) as server:
            server.send(*OPENING, call(**LAUNCH))
            server.receive()
            assert json.loads(text_of(server.receive()))["profiles"][0]["running"]
            assert children(server.process.pid, "--remote-debugging-pipe") == []
            assert server.ends_well()
        assert browser_pid(data(home)) == pid
        assert "running" in other.web(resource="browser", action="status")


def test_where_two_start_at_once(home):
    with (
        Conversation(home, SERVER, **SETTINGS) as one,
        Conversation(home, SERVER, **SETTINGS) as two,
    ):
        for server in (one, two):
            server.send(*OPENING, call(**LAUNCH))
        for server in (one, two):
            server.receive()
            assert json.loads(text_of(server.receive()))["profiles"][0]["running"]
        pid = browser_pid(data(home))
        owners = [children(server.process.pid, "--remote-debugging-pipe") for server in (one, two)]
        assert sorted(owners) == [[], [pid]]


def test_settings_that_changed_meanwhile(home):
    with front_of(home, STRAP_BROWSER__VIEWPORT="[900, 600]"):
        assert browsers_of(home, 0.5) == []


def test_another_port_where_that_one_is_in_use(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = {**SETTINGS, "STRAP_BROWSER__PORT": str(port)}
        with Conversation(home, SERVER, **settings) as first:
            first.open()  # which declares a browser with that port
            assert first.ends_well()
        with Conversation(home, SERVER, **settings) as server:
            server.send(*OPENING, call(**LAUNCH))
            server.receive()
            (profile,) = json.loads(text_of(server.receive()))["profiles"][:1]
            assert profile["running"]
            assert not profile["cdp_url"].endswith(f":{port}")
            (started,) = children(server.process.pid, "--remote-debugging-pipe")
            assert browser_pid(data(home)) == started  # none was ended for another one
            assert server.ends_well()
        with front_of(home, STRAP_BROWSER__PORT=str(port)):
            assert browsers_of(home)


def test_what_policy_denies_is_not_started(home):
    denied = {"STRAP_DENY": "browser.launch"}
    with Conversation(home, SERVER, **SETTINGS, **denied) as first:
        first.open()
        assert first.ends_well()
    with front_of(home, **denied):
        assert browsers_of(home, 0.5) == []


def test_another_program_than_was_declared(home, tmp_path):
    """It is found through the search path, which has changed since."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "chromium"
    script.write_text('#!/bin/sh\nexec chromium "$@"\n')
    script.chmod(0o755)
    path = os.environ["PATH"].replace("$", "")
    script.write_text(f'#!/bin/sh\nPATH={path}; exec chromium "$@"\n')
    with Conversation(home, SERVER, **SETTINGS, PATH=f"{folder}:{path}") as server:
        server.send(*OPENING, call(**LAUNCH))
        server.receive()
        assert json.loads(text_of(server.receive()))["profiles"][0]["running"]
        started = descendants(server.process.pid)
        assert server.ends_well()
        assert all_gone(*started)
    assert litter(data(home)) == []
