"""Choice of the Ray cluster and of its address, and the error where there is none."""

import os
import socket
import sys
from contextlib import ExitStack

import pytest

from strap.errors import StartupError
from strap_ray import cluster_address
from strap_ray.cluster import LOCAL

VARIABLES = ("RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH", *LOCAL)


@pytest.fixture(autouse=True)
def bare(monkeypatch, tmp_path):
    """An environment that says nothing of Ray, and a home where it has written nothing."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # put back what `join` sets
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delitem(sys.modules, "ray", raising=False)  # another test may have imported it


@pytest.fixture
def processes(monkeypatch, tmp_path):
    """A folder in place of the kernel's list of processes: others run Ray on this machine too."""
    monkeypatch.setattr(cluster_address, "_PROCESSES", tmp_path)
    return tmp_path


def runs(processes, address, *, users=None, name="/opt/ray/raylet"):
    pid = processes / str(100 + len([*processes.iterdir()]))
    pid.mkdir()
    (pid / "cmdline").write_text(f"{name}\0--node=1\0--gcs-address={address}\0")
    ids = "\t".join(map(str, users or 4 * [os.getuid()]))
    (pid / "status").write_text(f"Name:\traylet\nUid:\t{ids}\nGid:\t0\n")


STRANGERS = ("10.0.0.1:6379", "ray://head.example:10001", "[2001:db8::1]:6379")


@pytest.mark.parametrize("address", STRANGERS)
def test_a_cluster_that_others_reach_needs_a_token(address, monkeypatch):
    with pytest.raises(StartupError, match="without a token"):
        cluster_address.check_address(address, insecure=False)
    cluster_address.check_address(address, insecure=True)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    cluster_address.check_address(address, insecure=False)
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # then Ray sends none
    with pytest.raises(StartupError, match="without a token"):
        cluster_address.check_address(address, insecure=False)


def test_the_token_that_ray_keeps_in_a_file_is_one(tmp_path):
    assert not cluster_address.has_token()
    (tmp_path / "home" / ".ray").mkdir(parents=True)
    (tmp_path / "home" / ".ray" / "auth_token").write_text("x" * 32)
    assert cluster_address.has_token()


@pytest.mark.parametrize("address", ["127.0.0.1:6379", "localhost:6379", "ray://[::1]:10001"])
def test_a_cluster_of_this_machine_needs_none(address):
    cluster_address.check_address(address, insecure=False)


def test_auto_is_the_one_cluster_that_runs_here(processes):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        runs(processes, address)
        runs(processes, address, users=[0, 0, 0, 0])
        runs(processes, "127.0.0.1:1", users=[4711, 0, 0, 0])  # another's, by a program of root's
        runs(processes, "127.0.0.1:2", name="/bin/other")
        assert cluster_address.join("auto", insecure=False) == address


def test_auto_is_what_ray_says_in_a_job(processes, monkeypatch):
    runs(processes, "127.0.0.1:1")
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    with pytest.raises(StartupError, match=r"'10.0.0.1:6379' is asked without a token"):
        cluster_address.join("auto", insecure=False)


def test_auto_needs_a_cluster_and_not_two(processes):
    with pytest.raises(StartupError, match=r"No cluster .*`ray start --head`"):
        cluster_address.join("auto", insecure=False)
    runs(processes, "127.0.0.1:2")
    runs(processes, "127.0.0.1:1")
    with pytest.raises(StartupError, match=r"run here: 127.0.0.1:1, 127.0.0.1:2. Give --address."):
        cluster_address.join("auto", insecure=False)


SWITCH = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
LISTENERS = {
    "loopback alone": (["127.0.0.1"], "0"),
    "loopback alone, as gRPC does it": (["::ffff:127.0.0.1"], "0"),
    "loopback, and another's at the machine's": (["127.0.0.1", "127.0.0.2"], "0"),
    "loopback, and another's at all of IPv6": (["127.0.0.1", "::"], "0"),
    "all": (["0.0.0.0"], None),
    "all, as gRPC does it": (["::ffff:0.0.0.0"], None),
}


def listen(host, port):
    """A server at this address alone: at `::` not at those of IPv4."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server = socket.socket(family)
    if host == "::":
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((host, port))
    server.listen()
    return server


@pytest.mark.parametrize("name", LISTENERS)
def test_ray_is_told_of_a_cluster_that_only_this_machine_reaches(name):
    hosts, value = LISTENERS[name]
    with ExitStack() as servers:
        port = 0
        for host in hosts:
            port = servers.enter_context(listen(host, port)).getsockname()[1]
        cluster_address.join(f"127.0.0.1:{port}", insecure=False)
    assert os.environ.get(SWITCH) == value
    assert "RAY_AUTH_MODE" not in os.environ


def test_where_it_is_not_known_who_listens_ray_stays_on_loopback(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster_address, "_SOCKETS", (tmp_path / "none",))
    with socket.create_server(("", 0)) as server:
        cluster_address.join(f"localhost:{server.getsockname()[1]}", insecure=False)
    assert os.environ[SWITCH] == "0"


def test_ray_that_was_imported_too_early_is_sent_nowhere(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", sys)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(StartupError, match=f"imported before .*{SWITCH}=0 in the environ"):
            cluster_address.join(address, insecure=False)
        monkeypatch.setenv(SWITCH, "0")
        assert cluster_address.join(address, insecure=False) == address


def test_a_token_that_is_there_is_sent(monkeypatch):
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    with socket.create_server(("127.0.0.1", 0)) as server:
        cluster_address.join(f"127.0.0.1:{server.getsockname()[1]}", insecure=False)
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_a_cluster_where_nobody_listens_is_told_at_once():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(StartupError, match=f"cannot be reached at '{address}': Connection refused"):
        cluster_address.join(address, insecure=False)


@pytest.mark.parametrize("address", ["127.0.0.1", "local", "localhost:", "127.0.0.1:x"])
def test_what_is_no_address_is_told(address):
    with pytest.raises(StartupError, match=r"HOST:PORT|could not be cast"):
        cluster_address.join(address, insecure=True)


def test_it_is_told_why_workers_do_not_start(monkeypatch):
    missing = "ModuleNotFoundError: No module named 'strap.batch'"
    assert "Install this strap" in cluster_address.why_none_started(missing)
    never = "The actor never ran - it was cancelled before it started running."
    assert cluster_address.why_none_started(never) == ""
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    assert "RAY_AUTH_MODE=disabled" in cluster_address.why_none_started(never)
