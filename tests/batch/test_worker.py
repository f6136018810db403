"""A worker of Ray without Ray: what it takes, runs and returns, several items at a time.

And what it leaves.
"""

import asyncio
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from strap import config
from strap.batch.on_ray import homes
from strap.batch.on_ray import worker as workers
from strap.batch.options import BatchOptions

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
        await worker.start()
        opened.append(worker)
        worker.ran = ran
        return worker

    yield open_
    for worker in opened:
        await worker.start()
        await worker.stop()


def items(*keys):
    return [(number, key, ()) for number, key in enumerate(keys)]


async def test_what_is_quick_returns_together(open_worker, monkeypatch):
    monkeypatch.setattr(workers, "LINGER", 30.0)
    worker = await open_worker(concurrency=2)
    await worker.give(items(*["quick"] * 7))
    done = await worker.take()
    assert sorted(ticket for ticket, _ in done) == [*range(7)]
    assert {outcome["status"] for _, outcome in done} == {"ok"}


async def test_what_is_quick_does_not_wait_for_what_is_slow(open_worker):
    worker = await open_worker(concurrency=2)
    await worker.give(items("slow", "quick", "quick"))
    found = []
    while len(found) < 2:
        found += [ticket for ticket, _ in await worker.take()]
    assert found == [1, 2]


async def test_what_waits_behind_slow_items_is_handed_back_and_was_not_begun(
    open_worker, monkeypatch
):
    monkeypatch.setattr(workers, "PATIENCE", 0.3)
    worker = await open_worker(concurrency=2)
    await worker.give(items("slow1", "slow2", "quick"))
    assert await worker.take() == [(2, None)]
    assert worker.ran == ["slow1", "slow2"]


async def test_what_is_dropped_makes_room(open_worker):
    worker = await open_worker(concurrency=1)
    await worker.give(items("slow", "quick"))
    await asyncio.sleep(0)
    await worker.drop(0)
    ((ticket, outcome),) = await worker.take()
    assert (ticket, outcome["status"]) == (1, "ok")


async def test_whoever_starts_it_again_gets_nothing_of_what_ran_before(open_worker):
    worker = await open_worker(concurrency=1)
    await worker.give(items("quick", "slow"))
    await asyncio.sleep(0.01)
    await worker.start()
    await worker.give([(7, "quick", ())])
    assert [ticket for ticket, _ in await worker.take()] == [7]


async def test_a_fault_of_straps_own_is_a_row(open_worker):
    worker = await open_worker()
    await worker.give(items("broken"))
    ((_, outcome),) = await worker.take()
    assert (outcome["status"], outcome["code"]) == ("failed", "internal")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where this test's temporary files are."""
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
        (folder / f"{homes.PREFIX}{ended}-{number}").mkdir()
    at_once, start = 8, Barrier(8)

    def sweep():
        start.wait()
        homes.sweep()

    with ThreadPoolExecutor(at_once) as pool:
        for swept in [pool.submit(sweep) for _ in range(at_once)]:
            swept.result()
    assert [*folder.iterdir()] == []


async def test_what_a_worker_leaves_is_removed_once_it_has_ended(folder):
    program = (sys.executable, "-c", "input()")
    process = await asyncio.create_subprocess_exec(*program, stdin=subprocess.PIPE)
    (folder / f"{homes.PREFIX}{process.pid}-1").mkdir()
    await homes.sweep_after([process.pid], 0.01)
    assert len([*folder.iterdir()]) == 1
    sweeping = asyncio.create_task(homes.sweep_after([process.pid], 60))
    await process.communicate(b"\n")
    await sweeping
    assert [*folder.iterdir()] == []
