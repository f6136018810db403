"""However its client ends, the server cleans up and is gone within two seconds.

After that time it leaves with status 1: status 0 says that it was quick enough.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.conftest import marked
from tests.mcp.conversation import (
    COMMAND,
    SCRIPT,
    WAIT,
    call,
    environment,
    initialize,
    request,
    text_of,
)

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


@pytest.fixture(params=["before the SDK", "with the SDK"])
def server(request, converse, early_server):
    """A server with an open state."""
    if request.param == "before the SDK":
        conversation = early_server()
    else:
        conversation = converse()
        conversation.open()
    conversation.ask(call(resource="probe", action="say", words="open the state"))
    return conversation


def answered(server, number):
    """The error that the call of a number is answered with, which comes next."""
    answer = server.receive()
    assert answer["id"] == number
    return answer["result"]["_meta"]["strap/error"]


def test_the_end_of_input_ends_it(server):
    assert server.finish() == 0
    assert server.noted() == ["opened", "closed"]
    assert "Traceback" not in server.log()


def test_the_end_of_input_cancels_a_call(server):
    server.sleep()
    assert server.finish() == 0
    assert server.noted() == ["opened", "asleep", "cancelled", "closed"]
    assert answered(server, 99)["code"] == "shutting_down"
    assert server.receive() is None


def test_calls_that_are_nearly_done_are_still_answered(converse, warm_home):
    """As with `printf '…' | strap serve`."""
    server = converse(home=warm_home)
    server.send(initialize(), call(1, resource="probe", action="say", words="at the last moment"))
    server.process.stdin.close()
    assert server.receive()["id"] == 0
    assert text_of(server.receive()) == "at the last moment"
    assert server.process.wait(WAIT) == 0


@pytest.mark.parametrize(
    ("number", "busy"),
    [
        (signal.SIGTERM, False),
        *((number, True) for number in SIGNALS),
        *(pytest.param(number, False, marks=pytest.mark.soak) for number in SIGNALS[1:]),
    ],
)
def test_a_signal_ends_it(server, number, busy):
    if busy:
        server.sleep()
    assert server.end(number) == 0
    assert server.noted()[-1] == "closed"
    assert ("cancelled" in server.noted()) == busy
    if busy:
        assert answered(server, 99) == {"code": "shutting_down", "retryable": True}
    assert server.receive() is None


def test_two_signals_are_not_too_many(server):
    server.sleep()
    server.process.send_signal(signal.SIGINT)
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(WAIT) == 0
    assert server.noted()[-1] == "closed"
    assert answered(server, 99)["code"] == "shutting_down"
    assert server.receive() is None


def test_a_client_that_does_not_read_is_left(server):
    server.sleep()
    for number in range(200, 220):
        server.send(call(number, resource="probe", action="picture", number=2_000_000))
    assert server.end() == 0
    assert server.noted()[-1] == "closed"


def test_a_broken_output_is_the_end_of_input(tmp_path):
    reading, writing = os.pipe()
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    os.close(writing)
    os.close(reading)
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert process.wait(WAIT) == 0
    assert b"Traceback" not in process.stderr.read()
    process.stdin.close()
    process.stderr.close()


def test_a_clean_up_that_hangs_is_left_behind(converse):
    server = converse(PROBE_HANG="1")
    server.open()
    server.ask(call(resource="probe", action="say", words="open the state"))
    assert server.finish() == 1
    assert "clean-up took too long" in server.log()


@pytest.mark.parametrize("end", ["finish", "end"])
def test_an_action_that_does_not_stop_is_left_behind(server, end):
    server.send(call(7, resource="probe", action="stick"))
    server.wait_for("asleep")
    assert getattr(server, end)() == 0
    assert answered(server, 7) == {"code": "shutting_down", "retryable": True}
    assert server.noted()[-1] == "closed"


def test_it_leaves_though_nobody_reads_its_last_words(tmp_path):
    """As with a client that was killed, which took all of its pipes along."""
    read, write = os.pipe()
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=write,
        env=environment(tmp_path, PROBE_HANG="1"),
    ) as process:
        os.close(write)
        messages = (initialize(), call(1, resource="probe", action="say", words="open the state"))
        process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
        process.stdin.flush()
        assert all(process.stdout.readline() for _ in messages)
        os.close(read)
        process.stdout.close()
        process.stdin.close()
        try:
            assert process.wait(WAIT) == 1
        finally:
            process.kill()


@pytest.mark.parametrize("line", [b"nonsense", b'{"jsonrpc":"2.0","id":1,"method":"x"}'])
def test_a_client_that_does_not_read_may_still_end_its_input(tmp_path, line):
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
    ) as process:
        process.stdin.write((line + b"\n") * 3_000)
        process.stdin.close()
        assert process.wait(WAIT) in (0, 1)


def test_a_client_that_leaves_at_once_is_not_waited_for(converse, warm_home):
    server = converse(home=warm_home)
    server.send(initialize())
    assert server.receive()["id"] == 0
    assert server.finish() == 0


def test_no_input_at_all_is_the_end(tmp_path):
    """A closed stdin, as some process managers leave it."""
    command = f'exec "{sys.executable}" "{SCRIPT}" <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment(tmp_path),
        capture_output=True,
        timeout=WAIT,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


KEEPER = """
import subprocess, sys
server = subprocess.Popen({command!r}, stdin=sys.stdin, stdout=sys.stdout)
print(server.pid, file=sys.stderr, flush=True)
server.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="follows the process by its pidfd")
def test_the_death_of_the_client_ends_it_though_its_pipe_lives(tmp_path):
    """SIGKILL of the parent, while this process holds the other end of the server's stdin."""
    parent = subprocess.Popen(
        [sys.executable, "-c", KEEPER.format(command=COMMAND)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    server = int(parent.stderr.readline())
    handle = os.pidfd_open(server)
    try:
        parent.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        parent.stdin.flush()
        assert b'"id":1' in parent.stdout.readline()
        parent.kill()
        parent.wait()
        for _ in range(WAIT * 20):
            if _is_gone(server):
                break
            threading.Event().wait(0.05)
        else:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            raise AssertionError("the server outlived its client")
    finally:
        os.close(handle)
        for stream in (parent.stdin, parent.stdout, parent.stderr):
            stream.close()


def _is_gone(process):
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_a_usage_error_ends_a_server_whose_client_waits(converse, warm_home):
    server = converse((sys.executable, "-m", "strap", "serve", "--no-such-option"), home=warm_home)
    server.send(request("ping"))
    assert server.process.wait(WAIT) == 2
    assert server.receive() is None
    assert "--no-such-option" in server.log()


def test_a_configuration_error_names_the_culprit(converse, tmp_path):
    (tmp_path / "strap.toml").write_text("no_such_key = 1\n")
    server = converse((sys.executable, "-m", "strap", "serve"))
    server.send(request("ping"))
    assert server.process.wait(WAIT) == 1
    assert "no_such_key" in server.log()


def test_options_after_serve_are_obeyed(converse):
    server = converse((sys.executable, "-m", "strap", "serve", "--deny", "search.*"))
    server.open()
    description = server.ask(request("tools/list"))["result"]["tools"][0]["description"]
    assert "search" not in description


def test_help_is_for_people(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "strap", "serve", "--help"],
        env=environment(tmp_path),
        capture_output=True,
        timeout=WAIT,
        check=True,
    )
    assert b"--http" in done.stdout


def test_a_server_that_a_test_leaves_is_found_at_the_end_of_the_run(server):
    assert any(line.startswith(f"{server.process.pid} ") for line in marked())
