"""Actions that go on where they should end: whoever called is answered all the same."""

import asyncio
import functools
import os
import subprocess
import sys
import textwrap
import time

import pytest

from strap import Context, Params, Resource, Result, action, hookimpl, testing

pytestmark = pytest.mark.anyio
WHERE = "of plugin 'tests.unit.test_unending'"
sample = Resource(name="unending", summary="Goes on.")
ENDED, BEGUN = [], []


class Seconds(Params):
    seconds: float = 600
    """How long it goes on after its end was asked for."""


async def going_on(seconds, deaf_to=asyncio.CancelledError):
    until = time.monotonic() + seconds if seconds < 600 else None
    while until is None or time.monotonic() < until:
        try:
            await asyncio.sleep(0.02 if until else 60)
        except deaf_to:
            ENDED.append("asked")


@action(sample, effect="read", timeout=0.2)
async def stay(params: Seconds, ctx: Context) -> Result:
    """Take no notice of the wish that it ends."""
    await going_on(params.seconds)
    return Result(text="what there was")


@action(sample, effect="read", timeout=0.2)
async def resist(params: Seconds, ctx: Context) -> Result:
    """Take no notice of anything."""
    await going_on(params.seconds, deaf_to=BaseException)
    return Result(text="what there was")


@action(sample, effect="read", timeout=0.2)
async def tidy(params: Seconds, ctx: Context) -> Result:
    """Clean up before it ends."""
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(params.seconds)
        ENDED.append("tidied")
    return Result(text="awake")


@action(sample, effect="read", timeout=60)
async def let_stay(params: Seconds, ctx: Context) -> Result:
    """Call what takes no notice."""
    return await ctx.web(resource="unending", action="stay", timeout=60)


@action(sample, effect="read")
async def end_itself(params: Seconds, ctx: Context) -> Result:
    """Ask for its own end."""
    asyncio.current_task().cancel()
    await asyncio.sleep(60)
    return Result(text="awake")


@action(sample, effect="read")
async def begin(params: Seconds, ctx: Context) -> Result:
    """Begin a task that takes no notice of its end."""
    BEGUN.append(asyncio.create_task(going_on(600)))
    BEGUN.append(asyncio.create_task(asyncio.wait_for(BEGUN[0], 600)))
    return Result(text="begun")


@action(sample, effect="read")
async def fine(params: Seconds, ctx: Context) -> Result:
    """Answer."""
    return Result(text="fine")


@hookimpl
def strap_register_resources(config):
    return [sample]


@hookimpl
def strap_register_actions(config):
    return [stay, resist, tidy, let_stay, end_itself, begin, fine]


@pytest.fixture
async def web(tmp_path, monkeypatch):
    monkeypatch.setattr("strap.routing.apart.GRACE", 0.5)
    ENDED.clear()
    async with testing.router(sys.modules[__name__], home=tmp_path) as opened:
        yield opened


async def test_its_caller_is_answered_at_the_time_limit(web, caplog):
    error = await asyncio.wait_for(web.fails(resource="unending", action="stay"), 5)
    assert (error.code, error.retryable) == ("timeout", True)
    assert str(error).startswith("unending.stay did not finish within 0.")
    assert "unending.stay goes on although it was cancelled" in caplog.text
    assert (await web(resource="unending", action="fine")).text == "fine"


async def test_what_it_answers_soon_after_that_counts(web):
    answer = await web(resource="unending", action="stay", seconds=0.4)
    assert (answer.text, ENDED) == ("what there was", ["asked"])


async def test_a_clean_up_has_ended_when_its_caller_is_answered(web):
    error = await web.fails(resource="unending", action="tidy", seconds=0.2)
    assert (error.code, ENDED) == ("timeout", ["tidied"])


async def test_a_clean_up_that_takes_longer_goes_on(web, caplog):
    error = await web.fails(resource="unending", action="tidy", seconds=0.8)
    assert (error.code, ENDED) == ("timeout", [])
    await asyncio.sleep(0.6)
    assert ENDED == ["tidied"]


@pytest.mark.parametrize("name", ["stay", "let_stay"])
@pytest.mark.parametrize("times", [1, 50])
async def test_a_caller_who_leaves_waits_for_nothing(web, caplog, name, times):
    """Cancel scopes of anyio repeat the wish at every turn of the loop."""
    task = asyncio.create_task(web(resource="unending", action=name, timeout=60))
    await asyncio.sleep(0.1)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.wait({task}, timeout=5)
    assert task.cancelled()
    assert ENDED == ["asked"]
    left = [each for each in caplog.messages if "goes on" in each]
    assert [each.split()[0] for each in left] == ["unending.stay"]


async def test_one_that_ends_itself_is_blamed(web):
    error = await web.fails(resource="unending", action="end_itself")
    assert f"Internal error (CancelledError) in unending.end_itself {WHERE}" in str(error)
    assert (await web(resource="unending", action="fine")).text == "fine"


PROGRAM = """
    import asyncio, sys
    from pathlib import Path
    from strap import testing
    from tests.unit import test_unending

    async def main(home, name):
        async with testing.router(test_unending, home=Path(home)) as web:
            error = await web.fails(resource="unending", action=name)
            print(error, flush=True)

    asyncio.run(main(*sys.argv[1:]))
"""


def ended_program(home, name):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(home), name],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"unending.{name} did not finish within" in done.stdout
    return done.stderr


def test_a_program_ends_though_an_action_does_not(tmp_path):
    said = ended_program(tmp_path, "stay")
    assert said.startswith("unending.stay goes on although it was cancelled")
    assert len(said.splitlines()) == 1


def test_a_program_ends_though_an_action_resists_its_end(tmp_path):
    said = ended_program(tmp_path, "resist")
    assert f"Unexpected error in unending.resist {WHERE}" in said
    assert "coroutine ignored GeneratorExit" in said
    assert "Task was destroyed" not in said
    assert "never retrieved" not in said


@pytest.fixture
def call(site):
    site("unending", "from tests.unit.test_unending import *")
    path = os.pathsep.join([str(site.folder), *sys.path])
    return functools.partial(site.strap, "call", "unending", PYTHONPATH=path)


def test_the_command_line_ends_though_an_action_does_not(call):
    done = call("stay")
    assert done.returncode == 1, done.stderr
    assert "unending.stay did not finish within" in done.stderr


def test_the_command_line_ends_though_a_task_of_a_plugin_does_not(call):
    done = call("begin")
    assert (done.returncode, done.stdout) == (0, "begun\n"), done.stderr
    (said,) = done.stderr.splitlines()
    assert said.endswith("Tasks that were cancelled in vain are closed: going_on, wait_for")
