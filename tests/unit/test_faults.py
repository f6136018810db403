"""Exceptions that end a process elsewhere fail the call here; those that end a call end it."""

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from strap import ActionError, Context, Params, Result, StartupError, action, hookimpl, testing
from strap.routing.watchdog import Watchdog
from tests.support.waiting import eventually

from . import faulty
from .faulty import KINDS, LATE, RELEASED, Kind

pytestmark = pytest.mark.anyio
WHERE = "of plugin 'tests.unit.faulty'"


@pytest.fixture
async def web(tmp_path):
    async with testing.router(faulty, home=tmp_path) as opened:
        yield opened


@pytest.fixture(autouse=True)
def threads_end():
    RELEASED.clear()
    LATE.clear()
    yield
    RELEASED.set()
    for thread in threading.enumerate():
        if thread.name.startswith("strap faulty."):
            thread.join(10)


@pytest.mark.parametrize("name", ["fail", "fail_in_thread"])
@pytest.mark.parametrize("kind", KINDS)
async def test_an_action_that_raises_it_fails(web, name, kind):
    error = await web.fails(resource="faulty", action=name, kind=kind)
    assert error.code == "internal"
    raised = "RuntimeError" if kind == "stop" else type(KINDS[kind]).__name__
    assert str(error).startswith(f"Internal error ({raised}) in faulty.{name} {WHERE};")
    assert (await web(resource="faulty", action="fine")).text == "fine"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_check_that_raises_it_denies(tmp_path, kind):
    class Check:
        @hookimpl
        def strap_check_call(self, call):
            if call.params.kind:
                raise KINDS[kind]

    async with testing.router(faulty, Check(), home=tmp_path) as web:
        error = await web.fails(resource="faulty", action="fine", kind="x")
        assert str(error) == "The check of plugin 'Check' failed, so the call is denied."
        assert (await web(resource="faulty", action="fine")).text == "fine"


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"stop"}))
@pytest.mark.parametrize("early", [True, False])
async def test_a_wrapper_that_raises_it_fails(tmp_path, kind, early):
    class Wrap:
        @hookimpl
        def strap_wrap_call(self, call):
            async def wrapper(call, call_next):
                raise KINDS[kind]

            if early:
                raise KINDS[kind]
            return wrapper

    async with testing.router(faulty, Wrap(), home=tmp_path) as web:
        error = await web.fails(resource="faulty", action="fine")
        assert error.code == "internal"
        assert "rapper of plugin 'Wrap'" in str(error)


async def test_a_wrapper_is_not_blamed_for_what_it_wraps(tmp_path):
    class Wrap:
        @hookimpl
        def strap_wrap_call(self, call):
            async def wrapper(call, call_next):
                return await call_next(call)

            return wrapper

    async with testing.router(faulty, Wrap(), home=tmp_path) as web:
        error = await web.fails(resource="faulty", action="fail", kind="exit")
        assert "in faulty.fail of plugin" in str(error)


@pytest.mark.parametrize(
    "result",
    [
        Result(text=5, whole=True),
        Result(text="x", images=("page.png",)),
        Result(text="x", files=("a.txt",)),
        Result(text="x", images=3),
    ],
)
async def test_a_result_that_is_none_names_the_plugin(tmp_path, result):
    """The caller was told of an internal error of nobody, or saw a traceback in a shell."""

    class Odd:
        @hookimpl
        def strap_register_actions(self, config):
            return [odd]

        @hookimpl
        def strap_wrap_call(self, call):
            return wrapper if call.params.kind == "wrap" else None

    @action("faulty", effect="read")
    async def odd(params: Kind, ctx: Context) -> Result:
        """Answer."""
        return result

    async def wrapper(call, call_next):
        return result

    async with testing.router(faulty, Odd(), home=tmp_path) as web:
        error = await web.fails(resource="faulty", action="odd")
        assert str(error).startswith("Internal error (TypeError) in faulty.odd of plugin 'Odd'")
        error = await web.fails(resource="faulty", action="fine", kind="wrap")
        assert str(error).startswith("Internal error (TypeError) in the wrapper of plugin 'Odd'")


def test_an_error_as_a_message_is_its_text():
    assert str(ActionError(KeyError("x"), hint=ValueError("y"))) == "'x' y"
    assert str(ActionError("x", hint=None)) == "x"


async def test_a_state_that_cannot_be_opened_closed_or_left(tmp_path, caplog):
    async with testing.router(faulty, home=tmp_path, deny=["*@no.example"]) as web:
        error = await web.fails(resource="faulty", action="fine")
        assert "Internal error (SystemExit) in the opening of faulty" in str(error)
    async with testing.router(faulty, home=tmp_path) as web:
        await web(resource="faulty", action="fine")
        await web.router.end_session("local/local")
    assert "Ending a session of resource 'faulty' failed" in caplog.text
    assert "Closing resource 'faulty' failed" in caplog.text


async def test_an_answer_to_errors_that_fails_itself(tmp_path):
    def render(failed):
        raise SystemExit(1)

    class Nothing(Params):
        pass

    @action("faulty", effect="read", render_error=render)
    async def contract(params: Nothing, ctx: Context) -> Result:
        """Fail."""
        return Result(text=str(1 / 0))

    class Contract:
        @hookimpl
        def strap_register_actions(self, config):
            return [contract]

    async with testing.router(faulty, Contract(), home=tmp_path) as web:
        error = await web.fails(resource="faulty", action="contract")
    assert str(error).startswith("Internal error (SystemExit) in faulty.contract of plugin")


async def test_an_action_of_a_thread_has_its_time_limit_and_its_late_result_is_dropped(web):
    error = await web.fails(resource="faulty", action="wait_in_thread", seconds=60)
    assert (error.code, LATE) == ("timeout", [])
    done = await web(resource="faulty", action="wait_in_thread", seconds=0, timeout=30)
    assert done.text == "strap faulty.wait_in_thread"
    RELEASED.set()


async def test_a_cancelled_call_leaves_its_thread_behind(web):
    call = web(resource="faulty", action="wait_in_thread", seconds=60, timeout=60)
    task = asyncio.create_task(call)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert LATE == []


async def test_threads_that_hang_exhaust_no_other_action(web):
    hang = {"resource": "faulty", "action": "wait_in_thread", "seconds": 60}
    hanging = await asyncio.gather(*(web.fails(**hang) for _ in range(9)))
    assert {error.code for error in hanging} == {"timeout"}
    busy = await web.fails(**hang)
    assert (busy.code, busy.retryable) == ("busy", True)
    assert "All 8 threads of faulty.wait_in_thread hang in earlier calls." in str(busy)
    ended = await web.fails(resource="faulty", action="fail_in_thread", kind="exit")
    assert ended.code == "internal"
    RELEASED.set()
    again = await eventually(lambda: web(**hang, timeout=30))  # a thread ends after its call
    assert again.text == "strap faulty.wait_in_thread"


async def test_more_calls_than_threads_wait_their_turn(web):
    RELEASED.set()
    calls = (web(resource="faulty", action="wait_in_thread", timeout=30) for _ in range(50))
    assert len(await asyncio.gather(*calls)) == 50


async def test_what_a_thread_returns_is_checked(web):
    error = await web.fails(resource="faulty", action="nothing_in_thread")
    assert "Internal error (TypeError) in faulty.nothing_in_thread" in str(error)


def plain(params: faulty.Kind, ctx: Context) -> Result:
    """Plain."""


def generator(params: faulty.Kind, ctx: Context) -> Result:
    """Yield."""
    yield


async def coroutine(params: faulty.Kind, ctx: Context) -> Result:
    """Await."""


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (plain, {}, r"must be an async function. @action\(…, blocking=True\) runs a plain one"),
        (coroutine, {"blocking": True}, "must be a plain function: blocking=True runs it in a"),
        (generator, {"blocking": True}, "must be a plain function"),
    ],
)
def test_the_kind_of_function_must_be_as_declared(function, options, said):
    with pytest.raises(StartupError, match=said):
        action("faulty", effect="read", **options)(function)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("strap.routing.watchdog.PATIENCE", 0.3)


async def test_what_blocks_the_loop_is_named(web, caplog, impatient):
    await web(resource="faulty", action="fine")
    await web(resource="faulty", action="block", seconds=1.5)
    await eventually(lambda: "blocked the event loop" in caplog.text)
    assert "faulty.block blocks the event loop: use asyncio.to_thread, or @action(" in caplog.text
    assert "time.sleep(params.seconds)" in caplog.text
    assert "router.py" not in caplog.text


async def test_an_import_that_takes_long_is_no_news(web, caplog, impatient, tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(1.5)\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert await web(resource="faulty", action="load")
    await asyncio.sleep(0.6)
    assert "event loop" not in caplog.text


async def test_nobody_blocks_a_loop_that_gets_no_processor(web, caplog, impatient, monkeypatch):
    await web(resource="faulty", action="fine")
    assert (web.router._watchdog._starved() > 0) == (sys.platform == "linux")
    monkeypatch.setattr(Watchdog, "_starved", lambda watchdog: time.monotonic())
    await web(resource="faulty", action="block", seconds=1.5)
    assert "event loop" not in caplog.text


async def test_waiting_does_not_block_the_loop(web, caplog):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await web(resource="faulty", action="wait_in_thread", seconds=60, timeout=60)
    assert "event loop" not in caplog.text


PROGRAM = """
    import asyncio, os, signal, sys, threading, time
    from pathlib import Path
    from strap import testing
    from tests.unit import faulty

    # What a shell runs in the background ignores it, and so does whatever that starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    async def main(home):
        async with testing.router(faulty, home=Path(home)) as web:
            await web(resource="faulty", action="fine")
            print("ready", flush=True)
            await web(resource="faulty", **{call})

    asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("call", "signals"),
    [
        ({"action": "wait_in_thread", "seconds": 60, "timeout": 60}, 1),
        ({"action": "block", "seconds": 60}, 2),
    ],
)
def test_the_operators_interrupt_ends_the_program(tmp_path, call, signals):
    program = textwrap.dedent(PROGRAM).replace("{call}", repr(call))
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(signals):
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.7)
            process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in log
    assert process.returncode == -signal.SIGINT
