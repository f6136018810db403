"""The local socket of a process, and `strap live`."""

import asyncio
import json
import os
import signal
import socket
import stat
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from click.testing import CliRunner

from strap import Config, local_socket
from strap_live.commands import diagnose, live
from strap_live.local_socket import LocalSocket, ask, sockets
from tests.support.caller import Caller
from tests.support.waiting import eventually

from .conftest import keep_run
from .watcher import address, watching

pytestmark = pytest.mark.anyio


@pytest.fixture
async def listening(short_home):
    async def answer(asked):
        return {"asked": asked}

    local = LocalSocket(short_home, answer)
    await local.begin()
    yield local
    await local.aclose()


@pytest.fixture
def short_home(tmp_path_factory):
    return tmp_path_factory.mktemp("h")


async def off(work, *args):
    return await asyncio.to_thread(work, *args)


async def test_it_is_the_users_alone(listening, short_home):
    [path] = sockets(short_home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    told = await off(ask, path, {"op": "x"})
    assert told == {"asked": {"op": "x"}, "pid": os.getpid()}


async def test_another_user_is_told_nothing(listening, short_home, monkeypatch):
    [path] = sockets(short_home)
    monkeypatch.setattr(local_socket, "peer_user", lambda _: os.geteuid() + 1)

    def say():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            with suppress(ConnectionResetError, BrokenPipeError):  # it need not read the question
                connection.sendall(b'{"op": "list"}\n')
                return connection.recv(1_000)
            return b""

    assert await off(say) == b""


@pytest.mark.parametrize("line", [b"x\n", b"[]\n", b"[" * 4_000 + b"\n", b"\n"])
async def test_what_is_no_question_is_no_harm(listening, short_home, line):
    [path] = sockets(short_home)

    def say():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(line)
            with connection.makefile("rb") as lines:
                return [json.loads(each) for each in lines]

    assert (await off(say))[-1] == {"error": "no JSON object"}


async def test_nothing_is_left_of_it(short_home):
    async def answer(asked):
        return {}

    local = LocalSocket(short_home, answer)
    await local.begin()
    await local.aclose()
    assert list(sockets(short_home)) == []


async def test_one_whose_process_was_killed_is_cleared_away(short_home):
    folder = short_home / "processes"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "1.sock"))
    [path] = sockets(short_home)
    assert ask(path, {"op": "list"}) is None
    assert not path.exists()


async def test_a_terminal_gets_a_link_to_all_of_the_process(open_web, home, site):
    async with open_web() as web:
        caller = Caller(web, site)
        await caller("launch")
        await caller.open("/")
        await eventually(lambda: list(sockets(home)))
        run = CliRunner()
        done = await off(run.invoke, live, ["--print", "--home", str(home)])
        assert done.exit_code == 0, done.output
        link = done.output.strip()
        assert address(link)[0]
        async with watching(link) as viewer:
            assert viewer.last("welcome")["role"] == "control"
            await viewer.open()
            await viewer.picture()
        done = await off(run.invoke, live, ["--print", "--watch-only", "--home", str(home)])
        async with watching(done.output.strip()) as viewer:
            assert viewer.last("welcome")["role"] == "watch"
        told = await off(diagnose, Config.load(home=str(home)))
        assert (told.ok, told.detail.startswith("on (127.0.0.1, on demand, any port); ")) == (
            True,
            True,
        )
        assert f"process {os.getpid()}: session 'local'" in told.detail


async def test_where_no_process_runs_the_runs_that_are_kept_are_shown(home):
    run = keep_run(home / "runs", owner="somebody")
    command = [sys.executable, "-m", "strap", "live", "--print", "--home", str(home), run[:8]]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    try:
        async with watching((await process.stdout.readline()).decode().strip()) as viewer:
            assert b"Ctrl-C ends it" in await process.stderr.readline()
            welcome = viewer.last("welcome")
            assert (welcome["role"], welcome["place"]) == ("watch", run)
            assert (await viewer.next("places"))["places"] == []
            await viewer.send(type="run", id=run)
            assert (await viewer.next("run"))["task"] == "Buy an oak"
    finally:
        process.send_signal(signal.SIGINT)
        await process.wait()
    assert process.returncode == 0
    done = await off(CliRunner().invoke, live, ["--print", "--home", str(home), "0" * 8])
    assert "no run '00000000'" in str(done.exception)


def test_where_nothing_runs_it_says_so(tmp_path):
    config = Config.load(home=str(tmp_path))
    assert diagnose(config).detail.endswith("no process to watch")
    without = replace(config, plugins={"browser": {"live": {"enabled": False}}})
    assert diagnose(without).detail == "off (enabled = false)"
    done = CliRunner().invoke(live, ["--home", str(tmp_path)])
    assert "Nothing to watch" in str(done.exception)
