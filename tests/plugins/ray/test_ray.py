"""The engine `ray`: one start of Ray for what needs no fault, further ones in the long tests."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from benchmarks.of_scale import faults
from strap.batch.engine import NoWorkers
from strap.batch.folder import rows
from strap.batch.options import BatchOptions
from strap.batch.worker_dirs import PREFIX
from strap_ray import cluster, ray_dirs
from tests.batch.test_command import LINE, batch, ended, journal
from tests.site.server import serve
from tests.support.waiting import wait_until

ray = pytest.importorskip("ray")
NUMBER = 120
LISTEN = "0A"
LOOPBACK = ("0100007F:", "0000000000000000FFFF00000100007F:", f"{1 << 24:032X}:")
"""127.0.0.1, the same in IPv6, ::1, in the order of bytes of this kernel."""


EARLY = 30
"""Pages that are answered at once; the others wait until the test lets them go."""


@pytest.fixture
def killed():
    """Set it, and the later pages are answered."""
    return threading.Event()


@pytest.fixture
def site(killed):
    def answer(request):
        if int(request.path[1:]) >= EARLY:
            killed.wait(60)
        return "<p>text</p>"

    with serve({f"/{n}": answer for n in range(NUMBER)}) as site:
        yield site
        killed.set()


@pytest.fixture
def table(tmp_path, site):
    path = tmp_path / "urls.csv"
    path.write_text("url\n" + "".join(f"{site}/{n}\n" for n in range(NUMBER)))
    return path


@pytest.fixture
def folder(tmp_path):
    """Folder for this test's temporary files: Ray's sockets want a short path."""
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        yield Path(folder)


def run(tmp_path, table, folder, *arguments):
    given = ("--call", LINE, "--to", "results", "--home", "home", "--per-host", 0)
    ray = ("--engine", "ray", "--workers", 2, "--concurrency", 4)
    environment = {**os.environ, "TMPDIR": str(folder)}
    return batch(tmp_path, "run", table, *given, *ray, *arguments, env=environment)


def workers(folder):
    """The processes that have a home in `folder`."""
    return [int(path.name.removeprefix(PREFIX).split("-")[0]) for path in folder.glob(f"{PREFIX}*")]


def listening(pids):
    """The addresses on which these processes listen, as the kernel writes them."""
    own = {link for pid in pids for link in sockets(pid)}
    lines = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {each[1] for each in lines if each[3] == LISTEN and f"socket:[{each[9]}]" in own}


def cmdline(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def sockets(pid):
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                yield str(descriptor.readlink())


def family(pid):
    """A process and all that it started."""
    children = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += (task / "children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def executions(site):
    return Counter(request.path for request in site.requests if request.path != "/robots.txt")


def attempts(tmp_path):
    """On a busy machine a page may be waited for so long that it is asked for again."""
    return sum(row.attempts for row in rows(tmp_path / "results"))


def early(tmp_path):
    return len(journal(tmp_path)) >= EARLY


def started(tmp_path, table, folder):
    """A batch whose early rows are there; Ray gives up where a machine is too slow to start it."""
    for _ in range(3):
        process = run(tmp_path, table, folder)
        wait_until(lambda p=process: early(tmp_path) or p.poll() is not None, within=300)
        if process.poll() is None:
            return process
        status, _, said = ended(process)
        assert (status, "Ray did not start" in said) == (3, True), said
    raise AssertionError("Ray did not start")


def test_a_killed_worker_costs_nothing_but_the_time(tmp_path, table, folder, site, killed):
    process = started(tmp_path, table, folder)
    addresses = listening(family(process.pid))
    os.kill(workers(folder)[0], signal.SIGKILL)
    killed.set()
    status, out, said = ended(process)
    assert (status, out) == (0, ""), said
    assert f"{NUMBER} ok, 0 failed" in said
    assert addresses
    assert all(each.startswith(LOOPBACK) for each in addresses), addresses
    found = [*rows(tmp_path / "results")]
    assert len({row.key for row in found}) == len(journal(tmp_path)) == NUMBER
    assert sum(row.losses for row in found) > 0
    # On a slow machine a page that waits for the test may be asked for again as well.
    assert sum(executions(site).values()) <= sum(row.attempts for row in found)
    assert len({row.worker for row in found}) >= 2
    assert [*folder.iterdir()] == []  # neither homes nor what Ray writes


def test_a_ray_that_does_not_start_in_time_is_no_fault_of_the_batch(tmp_path, monkeypatch):
    def init(**_):
        raise Exception("The current node timed out during startup.")  # noqa: TRY002 - as Ray does

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in (*cluster.LOCAL, "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "")  # put back what it sets
    with pytest.raises(NoWorkers, match="Ray did not start: The current node timed out"):
        cluster.Cluster(BatchOptions())
    assert [*tmp_path.iterdir()] == []


def test_sockets_of_ray_have_short_paths_wherever_temporary_files_are(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = ray_dirs.make_ray_folder()
    below = "session_2026-11-25_10-59-12_256338_4194304/sockets/plasma_store"
    assert len(os.fsencode(made / below)) <= 104
    assert made.stat().st_mode & 0o777 == 0o700
    ray_dirs.sweep()
    assert made.exists()
    made.rmdir()


def test_what_a_killed_driver_leaves_is_ended_and_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / f"{ray_dirs.PREFIX}4194305-abcdef"  # there is no such process
    folder.mkdir()
    with (folder / "agent.log").open("w") as log:
        agent, reader = (
            subprocess.Popen([name, "60"], executable=shutil.which("sleep"), stdout=log)
            for name in ("ray::DashboardAgent", "less")
        )
    try:
        wait_until(lambda: cmdline(agent.pid).startswith(b"ray::"))
        ray_dirs.sweep()
        assert not folder.exists()
        assert agent.wait(10) == -signal.SIGKILL
        assert reader.poll() is None
    finally:
        for each in (agent, reader):
            each.kill()
            each.wait()


@contextmanager
def two_nodes(folder, environment, cpus=(1, 1)):
    """A cluster of two nodes on this machine; yields its process, which removes one on a line."""
    (folder / "ray").mkdir()
    script = Path(__file__).with_name("ray_nodes.py")
    process = subprocess.Popen(
        [sys.executable, script, folder / "ray", *map(str, cpus)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        with suppress(OSError):
            process.communicate("\n\n", timeout=60)
        process.kill()
        process.wait()


def told(process, word):
    for line in process.stdout:
        if line.startswith(word):
            return line.split()[-1]
    raise AssertionError(word)


def on_nodes(tmp_path, table, address, environment):
    given = ("--call", LINE, "--to", "results", "--home", "home", "--per-host", 0)
    ray = ("--engine", "ray", "--address", address, "--workers", 3, "--concurrency", 4)
    return batch(tmp_path, "run", table, *given, *ray, env=environment)


@pytest.fixture
def environment(folder):
    from strap_ray.cluster import LOCAL

    own = {"RAY_AUTH_TOKEN": "t" * 64, "TMPDIR": str(folder), "STRAP_BATCH__WORKER_WAIT": "10"}
    return {**os.environ, **LOCAL, **own}


@pytest.mark.soak
def test_a_signal_finishes_what_workers_run(tmp_path, table, folder, site, killed):
    process = started(tmp_path, table, folder)
    process.send_signal(signal.SIGTERM)
    assert any("finishing" in line for line in process.stderr)
    killed.set()
    assert ended(process)[:2] == (3, "")
    found = journal(tmp_path)
    assert EARLY < len(found) < NUMBER
    assert sum(executions(site).values()) == attempts(tmp_path)
    assert [*folder.iterdir()] == []
    given = ("--call", LINE, "--to", "results", "--home", "home", "--per-host", 0)
    assert ended(batch(tmp_path, "run", table, *given))[0] == 0
    assert len(executions(site)) == NUMBER
    assert sum(executions(site).values()) == attempts(tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("kill", [faults.workers_killed, faults.drivers_killed])
def test_what_is_killed_at_random_moments_loses_nothing(kill):
    found = kill(20)
    assert found.kills >= 15  # a batch may end before the last of them
    assert (found.lost, found.doubled, found.repeated, found.failed) == (0, 0, 0, [])
    assert found.executions <= 2 * (4 + 10) * found.kills  # what was in flight, or had ahead
    assert found.left == []


@pytest.mark.soak
def test_an_item_that_ends_its_workers_is_set_aside():
    found = faults.poisoned()
    assert (found.lost, found.doubled, found.failed) == (0, 0, ["worker_lost"])


@pytest.mark.soak
def test_the_browser_of_a_killed_worker_is_gone_soon():
    found = faults.browsers_killed(5)
    assert (found.lost, found.doubled, found.repeated, found.failed) == (0, 0, 0, [])
    assert len(found.seconds) == found.kills > 2
    assert max(found.seconds) < 10  # a busy machine; `benchmarks scale` has the figure
    assert found.left == []


@pytest.mark.soak
def test_where_nobody_is_left_the_batch_stops_and_goes_on_later(
    tmp_path, table, folder, killed, environment
):
    with two_nodes(folder, environment, cpus=(0, 2)) as nodes:
        process = on_nodes(tmp_path, table, told(nodes, "address"), environment)
        wait_until(lambda: early(tmp_path), within=300)
        nodes.stdin.write("\n")
        nodes.stdin.flush()
        status, out, said = ended(process)
        assert (status, out) == (3, ""), said
        assert "No worker came back within 10 s. Run it again to go on." in said
    assert EARLY <= len(journal(tmp_path)) < NUMBER
    killed.set()
    given = ("--call", LINE, "--to", "results", "--home", "home", "--per-host", 0)
    assert ended(batch(tmp_path, "run", table, *given))[0] == 0
    assert len({row.key for row in rows(tmp_path / "results")}) == len(journal(tmp_path)) == NUMBER


@pytest.mark.soak
def test_a_node_that_is_lost_costs_nothing_but_the_time(
    tmp_path, table, folder, site, killed, environment
):
    with two_nodes(folder, environment) as nodes:
        process = on_nodes(tmp_path, table, told(nodes, "address"), environment)
        wait_until(lambda: early(tmp_path), within=300)
        nodes.stdin.write("\n")
        nodes.stdin.flush()
        told(nodes, "removed")
        killed.set()
        status, out, said = ended(process)
        assert (status, out) == (0, ""), said
        assert "3 workers were asked for, there is room for 2" in said
        assert f"{NUMBER} ok, 0 failed" in said
        found = [*rows(tmp_path / "results")]
        assert len({row.key for row in found}) == len(journal(tmp_path)) == NUMBER
        assert len({row.worker for row in found}) == 2
        assert sum(executions(site).values()) <= NUMBER + sum(row.losses for row in found)


@pytest.mark.soak
@pytest.mark.parametrize("token", ["t" * 64, ""])
def test_the_cluster_of_this_machine_is_joined_as_it_was_started(
    tmp_path, table, folder, killed, environment, token
):
    killed.set()
    started = environment | {"RAY_AUTH_MODE": "token" if token else "disabled"}
    own = {name: each for name, each in environment.items() if name not in cluster.LOCAL}
    with two_nodes(folder, started) as nodes:
        own["RAY_ADDRESS"] = told(nodes, "address")
        if not token:
            status, _, said = ended(on_nodes(tmp_path, table, "auto", own))
            assert (status, "set RAY_AUTH_MODE=disabled" in said) == (2, True), said
        own["RAY_AUTH_TOKEN"] = token
        status, out, said = ended(on_nodes(tmp_path, table, "auto", own))
        assert (status, out) == (0, ""), said
        assert f"{NUMBER} ok, 0 failed" in said
