"""Rendering of long pages: in a process of its own, which never outlives the call."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strap_http import rendering
from tests.site.server import serve

pytestmark = pytest.mark.anyio

LONG = "<h1>Long</h1>" + "<p>Some words and a <a href='/next'>link</a>.</p>\n" * 3_000
# Attributes of one tag are compared with one another: minutes of work in 2 MB.
ENDLESS = "<p " + " ".join(f"a{number}" for number in range(300_000)) + ">the text"


class Processes(list):
    """The processes that were started; `first` is set when one is."""

    def __init__(self):
        super().__init__()
        self.first = asyncio.Event()


@pytest.fixture
def processes(monkeypatch):
    started = Processes()
    create = asyncio.create_subprocess_exec

    async def recorded(*arguments, **options):
        process = await create(*arguments, **options)
        started.append(process)
        started.first.set()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", recorded)
    return started


async def test_a_long_page_is_rendered_as_a_short_one_is(web, processes):
    with serve({"/": LONG}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/", max_tokens=100)
    assert "# Long\n\nSome words and a [link](" in result.text
    assert f"({site}/next)." in result.text
    assert [process.returncode for process in processes] == [0]


async def test_a_page_that_takes_too_long_becomes_its_bare_text(monkeypatch, processes):
    monkeypatch.setattr(rendering, "SECONDS", 0.5)
    assert await rendering.render(ENDLESS, "https://example.com/") == "the text"
    assert [process.returncode for process in processes] == [-signal.SIGKILL]


async def test_a_cancelled_call_ends_the_process(processes):
    call = asyncio.create_task(rendering.render(ENDLESS, "https://example.com/"))
    await processes.first.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert [process.returncode for process in processes] == [-signal.SIGKILL]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of a parent's death on Linux")
def test_the_process_dies_with_the_one_that_started_it():
    """A killed server cannot clean up: the kernel does."""
    parent = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'strap_http.markdown', '60'],"
        " stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "child.stdin.write(sys.stdin.buffer.read()); child.stdin.close(); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        child = int(process.stdout.readline())
        process.stdin.write(f"https://example.com/\n{ENDLESS}".encode())
        process.stdin.close()
        wait_until(lambda: computing(child) > 0.3)
        process.kill()
        process.wait()
    wait_until(lambda: computing(child) is None)


def wait_until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def computing(pid):
    """Seconds of computing that a process has used; None when there is none (any more)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except (ProcessLookupError, FileNotFoundError):
        return None
    return None if fields[0] in "ZX" else int(fields[11]) / os.sysconf("SC_CLK_TCK")
