"""Sessions that calls of the command line share, and the socket by which they do."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from strap import UsageError, local_socket
from strap.cli.kept.client import end_session
from tests.support.processes import gone
from tests.support.waiting import wait_until


@pytest.fixture
def runtime():
    """A folder with a short path, as those of sockets have to be."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder, "strap")


@pytest.fixture
def kept(strap, runtime):
    """Run `strap …` where sessions are the test's own; they end with it."""

    def run(*words, **options):
        return strap(*words, XDG_RUNTIME_DIR=str(runtime.parent), **options)

    yield run
    for path in runtime.rglob("*.sock"):
        end_session(path)


def facts(kept):
    return [json.loads(line) for line in kept("sessions", "--json").stdout.splitlines()]


def test_calls_share_a_session_until_it_is_closed(kept, runtime):
    first = kept("call", "--keep", "http", "help", "value=fetch")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == kept("call", "http", "help", "value=fetch").stdout
    assert kept("call", "http", "help", STRAP_SESSION="main").returncode == 0
    (session,) = facts(kept)
    assert session["name"] == "main"
    assert kept("sessions").stdout.startswith(f"main: process {session['pid']}, idle for ")
    (path,) = runtime.rglob("*.sock")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "no session 'other'" in kept("sessions", "close", STRAP_SESSION="other").stderr
    assert kept("sessions", "close").stdout == "Session 'main' has ended.\n"
    assert gone(session["pid"])
    assert not list(runtime.rglob("*.sock"))
    assert "There is no session 'main'" in kept("sessions", "close").stderr
    shown = kept("sessions")
    assert (shown.stdout, shown.stderr[:20]) == ("", "No session is kept. ")


def test_answers_are_those_of_a_call_alone(kept, tmp_path):
    (tmp_path / "body").write_bytes(b"\xff")
    for words in (
        ("http", "fetch", "http://127.0.0.1:9/"),
        ("htpt", "help"),
        ("http", "fetch", "a", "b", "--json"),
        ("http", "fetch", "x", "body=@body"),
        ("http", b"help", b"value=\xff"),
    ):
        alone, shared = kept("call", *words), kept("call", "--keep=a-1", *words)
        assert shared.returncode == alone.returncode
        assert (shared.stdout, shared.stderr) == (alone.stdout, alone.stderr)
    lines = "http help\nnonsense\n"
    alone = kept("call", "-", stdin=lines)
    assert kept("call", "--keep=a-1", "-", stdin=lines).stdout == alone.stdout


def test_first_calls_at_the_same_time_begin_one_session(kept):
    threads = [
        threading.Thread(target=kept, args=("call", "--keep", "http", "help")) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(facts(kept)) == 1


def test_a_session_of_other_settings_is_not_used(kept, tmp_path):
    kept("call", "--keep", "http", "help")
    for more, environ in ((["--deny", "http.*"], {}), ([], {"STRAP_NETWORK": "public"})):
        refused = kept("call", "--keep", *more, "http", "help", **environ)
        assert refused.returncode == 1
        assert "was begun with other settings" in refused.stderr
        assert "strap sessions close main" in refused.stderr
    elsewhere = kept("call", "--keep", "http", "help", STRAP_HOME=str(tmp_path / "other"))
    assert elsewhere.returncode == 0
    assert len(facts(kept)) == 2
    assert kept("sessions", "close", "--all").stdout.count("has ended") == 2


def test_what_is_wrong_with_the_configuration_is_told(kept, tmp_path):
    shown = kept("call", "--keep", "http", "help", STRAP_NETWORK="everything")
    assert shown.returncode == 1
    assert "Session 'main' cannot be kept: 'network' is 'everything'; valid" in shown.stderr
    assert "is not a valid name" in kept("call", "--keep=a/b", "http", "help").stderr


def test_a_session_that_nobody_uses_ends(kept, runtime):
    kept("call", "--keep", "http", "help", STRAP_KEEP_IDLE="0.2")
    (session,) = facts(kept) or [None]
    assert session is None or gone(session["pid"])
    assert not list(runtime.rglob("*.sock"))
    assert "'keep_idle' must be seconds above 0" in kept("doctor", STRAP_KEEP_IDLE="0").stdout


def test_a_kill_leaves_nothing_and_the_next_call_begins_anew(kept, runtime):
    kept("call", "--keep", "http", "help")
    (session,) = facts(kept)
    os.kill(session["pid"], signal.SIGKILL)
    assert gone(session["pid"])
    assert kept("call", "--keep", "http", "help").returncode == 0
    (anew,) = facts(kept)
    assert anew["pid"] != session["pid"]
    assert len(list(runtime.rglob("*.sock"))) == 1


@pytest.fixture
def folder(tmp_path):
    return tmp_path


SERVER = """
import sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from strap import local_socket
listener, path = local_socket.listen(Path(sys.argv[1]), "other")
print(path, flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(sys.argv[2].encode() + b"\\n")
    if b"close" in connection.recv(100):
        break
"""


@pytest.fixture
def server(folder):
    """Serve a socket in a process of its own, which says what a test wants."""
    started = []

    def start(place, line):
        command = [sys.executable, "-c", SERVER, str(place), line]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1].stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_session_of_another_version_is_told_and_can_be_closed(kept, runtime, server):
    kept("call", "--keep", "http", "help")
    (path,) = runtime.rglob("*.sock")
    server(path.parent, "strap 0.0.9")
    refused = kept("call", "--keep=other", "http", "help")
    assert "'other' is kept by strap 0.0.9, and this is strap 0." in refused.stderr
    assert "Close it: strap sessions close other" in refused.stderr
    assert "other: Session 'other' is kept by strap 0.0.9" in kept("sessions").stdout
    assert "'other' has ended" in kept("sessions", "close", "other").stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_a_socket_of_somebody_else_is_told(kept, runtime):
    kept("call", "--keep", "http", "help")
    (path,) = runtime.rglob("*.sock")
    os.chown(path, 12345, -1)
    assert "belongs to another user, and is not used" in kept("call", "--keep", "http", "x").stderr
    os.chown(path, os.getuid(), -1)


def test_the_user_at_the_other_end(folder):
    listener, path = local_socket.listen(folder, "a")
    with listener, local_socket.connect(path) as connection:
        assert local_socket.peer_user(connection) == os.geteuid()
        with closing(listener.accept()[0]) as other:
            assert local_socket.peer_user(other) == os.geteuid()


def test_a_socket_that_nobody_serves_is_removed(folder):
    path = folder / "a.1.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    assert local_socket.connect(path) is None
    assert not path.exists()
    assert list(local_socket.sockets(folder)) == []


def test_the_file_goes_with_a_server_that_is_killed(folder):
    command = [sys.executable, "-c", SERVER, str(folder), "x"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        path = Path(server.stdout.readline().strip())
        assert path.exists()
        server.kill()
    wait_until(lambda: not path.exists())


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "a" * 65, "*"])
def test_what_is_no_name(name):
    with pytest.raises(UsageError, match="is not a valid name"):
        local_socket.check_name(name)


def test_a_folder_that_others_may_enter_keeps_no_session(kept, runtime):
    runtime.mkdir(mode=0o700)
    runtime.chmod(0o755)
    assert "is not yours alone" in kept("call", "--keep", "http", "help").stderr
