"""A process that a resource works with is started by the first call, before plugins are loaded."""

import shutil

import pytest

from tests.mcp.conversation import Conversation, call, initialize, modern, notification, text_of
from tests.support.processes import alive
from tests.support.waiting import wait_until

OPENERS = {
    "handshake": [initialize(), notification("notifications/initialized")],
    "no handshake": [modern("tools/list", 0)],
}


def echo(opener, number=5):
    arguments = {"resource": "probe", "action": "echo", "words": "hello"}
    if opener == "handshake":
        return call(number, **arguments)
    return modern("tools/call", number, name="web", arguments=arguments)


def started(home):
    """The ids of the helpers that were started."""
    file = home / "data" / "helpers"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A home that knows the helper, and a copy of it."""
    home, copy = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("copy")
    with Conversation(home) as first:
        first.open()
        assert text_of(first.ask(echo("handshake"))) == "There is no helper."
        assert first.finish() == 0
    return home, shutil.copytree(home, copy, dirs_exist_ok=True)


@pytest.fixture
def home(learned):
    """The home as it was: what was learned in it holds nowhere else."""
    home, copy = learned
    shutil.rmtree(home)
    return shutil.copytree(copy, home)


@pytest.mark.parametrize("opener", OPENERS)
def test_the_first_call_starts_the_helper(converse, home, opener):
    server = converse(home=home)
    server.send(*OPENERS[opener], echo(opener), echo(opener, 6))
    server.receive()
    assert [text_of(server.receive()) for _ in range(2)] == ["echo of hello"] * 2
    (pid,) = started(home)
    assert alive(pid)
    assert server.finish() == 0
    wait_until(lambda: not alive(pid))


def test_other_calls_start_none(converse, home):
    server = converse(home=home)
    server.send(*OPENERS["handshake"], call(resource="probe", action="say", words="hi"))
    server.receive()
    assert text_of(server.receive()) == "hi"
    assert text_of(server.ask(echo("handshake"))) == "There is no helper."
    assert started(home) == []


@pytest.mark.parametrize("name", [None, 7, ["echo"], "nothing"])
def test_calls_that_make_no_sense_start_none(converse, home, name):
    server = converse(home=home)
    server.send(*OPENERS["handshake"], call(resource="probe", action=name, words="hi"))
    server.receive()
    assert server.receive()["result"]["isError"]
    assert started(home) == []


def test_a_helper_that_nobody_took_ends_with_the_server(converse, home):
    server = converse(home=home, PROBE_FRONT_ONLY="1")
    server.open()
    server.send(echo("handshake"))
    wait_until(lambda: started(home))
    (pid,) = started(home)
    assert alive(pid)
    server.process.kill()
    server.process.wait()
    wait_until(lambda: not alive(pid))


def test_what_a_call_does_not_take_ends_with_the_call(converse, home):
    server = converse(home=home, PROBE_TAKES_NONE="1")
    server.send(*OPENERS["handshake"], echo("handshake"))
    server.receive()
    assert text_of(server.receive()) == "There is no helper."
    (pid,) = started(home)
    wait_until(lambda: not alive(pid))
    assert text_of(server.ask(echo("handshake"))) == "There is no helper."


def test_what_was_declared_in_vain_is_declared_anew(converse, home):
    for _ in ("wasted", "declared anew"):
        with converse(home=home, PROBE_TAKES_NONE="1") as server:
            server.send(*OPENERS["handshake"], echo("handshake"))
            server.receive()
            server.receive()
            assert server.finish() == 0
        assert len(started(home)) == 1


def test_a_call_that_needs_none(converse, home):
    server = converse(home=home)
    arguments = {"resource": "probe", "action": "echo", "words": "nothing to be done"}
    server.send(*OPENERS["handshake"], call(**arguments))
    server.receive()
    assert text_of(server.receive()) == "There is no helper."
    assert started(home) == []


def test_a_helper_that_cannot_be_started_is_done_without(converse, tmp_path):
    with converse(home=tmp_path, PROBE_HELPER="/no/such/program") as first:
        first.open()
        assert first.finish() == 0
    server = converse(home=tmp_path)
    server.send(*OPENERS["handshake"], echo("handshake"))
    server.receive()
    assert text_of(server.receive()) == "There is no helper."
