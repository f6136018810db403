"""Ports of strap's other processes, and DevTools of others: real processes, files and servers."""

import os
import signal
import subprocess
import sys

import pytest

from strap import Guard, PolicyDenied
from strap.network import SharedPorts
from strap.runtime_folder import runtime_folder
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio
HOLDER = """
import sys
from strap import Guard
from strap.network import SharedPorts
from strap.runtime_folder import runtime_folder
guard = Guard("all", ports=SharedPorts(runtime_folder()))
for port in map(int, sys.argv[1:]):
    guard.reserve(port, "http")
print("ready", flush=True)
for line in sys.stdin:
    guard.release(int(line))
    print("released", flush=True)
"""


@pytest.fixture
def folder(tmp_path):
    parent = tmp_path / "runtime"
    parent.mkdir(mode=0o700)
    return parent / "strap"


@pytest.fixture
def guard(folder):
    return Guard("all", ports=SharedPorts(folder))


@pytest.fixture
def holder(folder):
    """A process that listens on these ports, as it says."""
    started = []

    def start(*numbers):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, *map(str, numbers)],
            env=os.environ | {"XDG_RUNTIME_DIR": str(folder.parent)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def refused(guard, port):
    try:
        guard.check_url(f"http://localhost:{port}/")
    except PolicyDenied as error:
        return error.code == "own_port"
    return False


def test_the_ports_of_other_processes_are_refused_for_as_long_as_they_listen(guard, holder):
    assert not refused(guard, 8123)
    first = holder(8123, 8124)
    assert refused(guard, 8123)
    assert refused(guard, 8124)
    assert not refused(guard, 8125)
    holder(8125)
    assert refused(guard, 8125), "one that came a moment later"
    first.stdin.write("8123\n")
    first.stdin.flush()
    first.stdout.readline()
    assert not refused(guard, 8123)
    assert refused(guard, 8124)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_killed_holds_no_port(guard, holder, folder, number):
    process = holder(8123)
    assert refused(guard, 8123)
    process.send_signal(number)
    process.wait()
    assert not refused(guard, 8123)
    assert list(folder.iterdir()) == []


def test_what_was_read_long_ago_is_asked_for_again(guard, holder, folder):
    process = holder(8123)
    os.utime(folder, (1, 1))
    assert refused(guard, 8123)
    process.kill()
    process.wait()
    assert not refused(guard, 8123)


def test_two_servers_of_one_process_know_of_each_other(guard, folder):
    other = Guard("local", ports=SharedPorts(folder))
    other.reserve(8123, "devtools")
    other.reserve(8124)
    assert refused(guard, 8123)
    assert not refused(guard, 8124), "nobody listens there"
    other.release(8123)
    assert not refused(guard, 8123)


def test_the_folder_is_the_users_alone(monkeypatch, guard, folder, holder):
    holder(8123)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert not refused(guard, 8123), "anybody may have written there"
    guard.reserve(8124, "http")
    assert not any(path.name.startswith("8124") for path in folder.iterdir())
    assert refused(guard, 8124), "it knows its own all the same"


def test_a_folder_that_somebody_else_has_put_there_is_not_used(tmp_path, folder):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    SharedPorts(folder).add(8123, "http")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(folder):
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)
    SharedPorts(folder).add(8123, "http")
    assert list(folder.iterdir()) == []


def test_damaged_and_foreign_files_do_no_harm(guard, folder, holder):
    holder(8123)
    for name in ("x", "8125", "-", "99999999999999999999-http", "²-http-1"):
        (folder / name).touch()
    (folder / "8126-http-1-aa").mkdir()
    (folder / "8127-http-1-aa").symlink_to("/dev/zero")
    os.mkfifo(folder / "8128-http-1-aa")
    assert refused(guard, 8123)
    assert not any(refused(guard, port) for port in (8125, 8126, 8127, 8128))


@pytest.mark.parametrize("unsafe", ["", "relative", "shared", "missing", "link"])
def test_where_the_processes_of_a_user_meet(monkeypatch, tmp_path, unsafe):
    safe = tmp_path / "safe"
    safe.mkdir(mode=0o700)
    (tmp_path / "shared").mkdir(mode=0o777)
    (tmp_path / "shared").chmod(0o777)
    (tmp_path / "link").symlink_to(safe)
    monkeypatch.setattr("strap.runtime_folder.TEMPORARY", tmp_path)
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(safe))
    assert runtime_folder() == safe / "strap"
    value = unsafe if unsafe in ("", "relative") else str(tmp_path / unsafe)
    monkeypatch.setenv("XDG_RUNTIME_DIR", value)
    usual = [f"/run/user/{os.geteuid()}/strap", str(tmp_path / f"strap-{os.geteuid()}")]
    assert str(runtime_folder()) in usual


VERSION = Reply(
    headers={"Content-Type": "application/json"},
    body='{"Browser": "Chrome/150.0", "Protocol-Version": "1.3"}',
)


@pytest.fixture
def debugged():
    with serve({"/json/version": VERSION, "/": "home"}) as site:
        yield site


WAYS = [
    "/json", "/json/list", "/json/version", "/JSON/new?file:///etc/passwd", "/devtools/page/1",
    "//json/list", "/./json", "/x/../json", "/%6ason/list", "/%2e/json", "/x/%2e%2e/json",
    "/json;a", "/%09/../json",
]  # fmt: skip


@pytest.mark.parametrize("path", WAYS)
async def test_a_foreign_debugging_port_is_refused(debugged, path):
    with pytest.raises(PolicyDenied) as caught:
        await Guard("local").check(debugged + path)
    assert caught.value.code == "own_port"


async def test_servers_are_asked_only_where_it_matters_and_once(debugged):
    guard = Guard("local")
    for path in ("/", "/api/json", "/favicon.ico", "/?json", "/#/json"):
        await guard.check(debugged + path)
    assert debugged.requests == []
    for _ in range(3):
        with pytest.raises(PolicyDenied):
            await guard.check(f"{debugged}/json/list")
    assert [request.path for request in debugged.requests] == ["/json/version"]


@pytest.mark.parametrize("path", ["/json/list", "/jsonapi/users", "/devtools"])
async def test_what_is_no_debugging_port_may_use_such_paths(path):
    with serve({"/json/version": "<p>none</p>"}) as site:
        assert (await Guard("local").check(site + path)).port == site.port


async def test_a_port_where_nobody_listens_is_left_to_the_caller():
    assert (await Guard("local", ("127.0.0.1:9",)).check("http://127.0.0.1:9/json")).port == 9
