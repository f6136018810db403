"""Signals that ask a command to end: noted, answered, or as Ctrl-C."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from strap.mcp.signals import NAMES, Ending, end_as_ctrl_c
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def handlers():
    before = {name: signal.getsignal(getattr(signal, name)) for name in NAMES}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for name, handler in before.items():
        signal.signal(getattr(signal, name), handler)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_noted_until_somebody_answers(name):
    ending, ended = Ending(), []
    ending.note()
    signal.raise_signal(getattr(signal, name))
    with ending.answered_by(lambda: ended.append(ending.came)):
        assert ended == [1]
        signal.raise_signal(signal.SIGTERM)
    assert ended == [1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_it_interrupts_where_something_is_waited_for(name):
    ending = Ending()
    ending.note()
    with pytest.raises(KeyboardInterrupt), ending.interrupting():
        signal.raise_signal(getattr(signal, name))
    with pytest.raises(KeyboardInterrupt), ending.interrupting():
        pytest.fail("it came before")


@pytest.mark.parametrize("name", NAMES)
def test_others_end_a_command_as_ctrl_c_does(name):
    end_as_ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(getattr(signal, name))


@pytest.mark.parametrize("begin", [Ending().note, end_as_ctrl_c])
def test_what_is_ignored_stays_ignored(begin):
    """As under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    begin()
    signal.raise_signal(signal.SIGHUP)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("words", [["-"], ["http", "fetch", "url=http://x/", "body=-"]])
@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_waits_for_its_input_ends(tmp_path, words, name):
    environ = {**os.environ, "STRAP_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "strap", "call", *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ,
    )  # fmt: skip
    with process:
        maps = Path(f"/proc/{process.pid}/maps")
        wait_until(lambda: "pydantic_core" in maps.read_text())  # it has begun
        process.send_signal(getattr(signal, name))
        assert process.wait(30) == 1
        assert process.stderr.read().strip() == b"Aborted!"
