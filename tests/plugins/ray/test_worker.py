"""A worker of Ray without Ray: what it takes, runs and returns, several items at a time.

And what it leaves.
"""

import asyncio
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from types import SimpleNamespace

import pytest

from strap import config
from strap.batch.engine import WorkerLost
from strap.batch.options import BatchOptions
from strap.batch.worker_dirs import PREFIX
from strap_ray import ray_dirs, worker_handle
from strap_ray import worker as workers
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
async def open_worker(tmp_path, monkeypatch):
    """Open workers whose items are named after what they do: `quick`, `slow`, `broken`."""
    opened, ran = [], []

    async def run_calls(router, key, calls, wanted, limit):
        ran.append(key)
        if key.startswith("slow"):
            await asyncio.sleep(30)
        if key.startswith("broken"):
            raise RuntimeError("no")
        return {"status": "ok", "seconds": 0.0}

    monkeypatch.setattr(workers, "run_calls", run_calls)
    monkeypatch.setattr(workers, "PATIENCE", 30.0)

    async def open_(**options):
        spec = workers.Spec.of(config.load(environ={}, home=tmp_path), BatchOptions(**options))
        worker = workers.Worker(spec)
        await worker.start(1)
        opened.append(worker)
        worker.ran = ran
        return worker

    yield open_
    for worker in opened:
        await worker.start(9)
        await worker.stop()


def items(*keys):
    return [(number, key, ()) for number, key in enumerate(keys)]


async def test_what_is_quick_returns_together(open_worker, monkeypatch):
    monkeypatch.setattr(workers, "LINGER", 30.0)
    worker = await open_worker(concurrency=2)
    await worker.give(1, items(*["quick"] * 7))
    done, had = await worker.take(1)
    assert sorted(ticket for ticket, _ in done) == [*range(7)]
    assert {outcome["status"] for _, outcome in done} == {"ok"}
    assert had == []


async def test_what_is_quick_does_not_wait_for_what_is_slow(open_worker):
    worker = await open_worker(concurrency=2)
    await worker.give(1, items("slow", "quick", "quick"))
    found = []
    while len(found) < 2:
        found += [ticket for ticket, _ in (await worker.take(1))[0]]
    assert found == [1, 2]


async def test_what_waits_behind_slow_items_is_handed_back_and_was_not_begun(
    open_worker, monkeypatch
):
    monkeypatch.setattr(workers, "PATIENCE", 0.3)
    worker = await open_worker(concurrency=2)
    await worker.give(1, items("slow1", "slow2", "quick"))
    assert await worker.take(1) == ([(2, None)], [0, 1])
    assert worker.ran == ["slow1", "slow2"]


async def test_what_is_dropped_makes_room(open_worker):
    worker = await open_worker(concurrency=1)
    await worker.give(1, items("slow", "quick"))
    await asyncio.sleep(0)
    await worker.drop(0)
    (((ticket, outcome),), _) = await worker.take(1)
    assert (ticket, outcome["status"]) == (1, "ok")


async def test_whoever_starts_it_again_gets_nothing_of_what_ran_before(open_worker):
    worker = await open_worker(concurrency=1)
    await worker.give(1, items("quick", "slow"))
    await asyncio.sleep(0.01)
    await worker.start(2)
    await worker.give(2, [(7, "quick", ())])
    assert [ticket for ticket, _ in (await worker.take(2))[0]] == [7]


async def test_a_call_that_comes_late_does_nothing(open_worker):
    worker = await open_worker(concurrency=2)
    await worker.start(3)
    await worker.give(3, items("quick", "slow"))
    late = asyncio.create_task(worker.take(2))
    await worker.start(2)
    await worker.give(2, [(7, "quick", ())])
    assert await late == ([], [])
    done, had = await worker.take(3)
    assert ([ticket for ticket, _ in done], had) == ([0], [1])


class Wire:
    """An actor without Ray, to which calls of one name do not come."""

    def __init__(self, worker, lost):
        self._worker, self._lost = worker, lost

    def __getattr__(self, name):
        return SimpleNamespace(remote=partial(self._call, name))

    async def _call(self, name, *arguments):
        if name == self._lost:
            self._lost = ""
            return None
        return await getattr(self._worker, name)(*arguments)


async def test_what_a_worker_never_got_is_given_to_another(open_worker, monkeypatch):
    for module in (worker_handle, workers):
        monkeypatch.setattr(module, "BEAT", 0.2)
    worker = await open_worker(concurrency=2)
    exceptions = SimpleNamespace(RayError=ConnectionError, ActorUnavailableError=ConnectionError)
    wire = Wire(worker, lost="give")
    handle = worker_handle.WorkerHandle(
        SimpleNamespace(exceptions=exceptions), wire, BatchOptions()
    )
    working = asyncio.create_task(handle.work(lambda returned: None))
    await eventually(lambda: handle.ready)
    pending = [worker_handle.PendingItem(n, "quick", (), asyncio.Future()) for n in range(2)]
    handle.give(pending[0])
    with pytest.raises(WorkerLost, match="does not have it any more"):
        await pending[0].future
    handle.give(pending[1])
    assert (await pending[1].future)["status"] == "ok"
    working.cancel()


async def test_a_fault_of_straps_own_is_a_row(open_worker):
    worker = await open_worker()
    await worker.give(1, items("broken"))
    (((_, outcome),), _) = await worker.take(1)
    assert (outcome["status"], outcome["code"]) == ("failed", "internal")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder for this test's temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def ended():
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_workers_that_sweep_at_once_do_not_stumble(folder, ended):
    for number in range(300):
        (folder / f"{PREFIX}{ended}-{number}").mkdir()
    at_once, start = 8, Barrier(8)

    def sweep():
        start.wait()
        ray_dirs.sweep()

    with ThreadPoolExecutor(at_once) as pool:
        for swept in [pool.submit(sweep) for _ in range(at_once)]:
            swept.result()
    assert [*folder.iterdir()] == []


async def test_what_a_worker_leaves_is_removed_once_it_has_ended(folder):
    program = (sys.executable, "-c", "input()")
    process = await asyncio.create_subprocess_exec(*program, stdin=subprocess.PIPE)
    (folder / f"{PREFIX}{process.pid}-1").mkdir()
    await ray_dirs.sweep_after([process.pid], 0.01)
    assert len([*folder.iterdir()]) == 1
    sweeping = asyncio.create_task(ray_dirs.sweep_after([process.pid], 60))
    await process.communicate(b"\n")
    await sweeping
    assert [*folder.iterdir()] == []
