"""`strap demo` as a user runs it: every call is shown with its answer, and nothing is left."""

import asyncio
import re
import signal
import subprocess
import sys

import pytest

from tests.mcp.conversation import environment
from tests.plugins.browser.live.watcher import watching
from tests.support.waiting import becomes

CALLS = [
    "tools/list",
    "web(resource: 'http', action: 'fetch'",
    "web(resource: 'browser', action: 'launch'",
    "web(resource: 'browser', action: 'navigate'",
    "web(resource: 'browser', action: 'snapshot'",
    "web(resource: 'browser', action: 'fill'",
    "web(resource: 'browser', action: 'click'",
    "web(resource: 'browser', action: 'screenshot'",
    "web(resource: 'browser', action: 'close'",
]
COST = re.compile(r"^  \[(?:~([1-9]\d*) tokens, )?([1-9]\d*) ms\]$")


@pytest.fixture
def demo(tmp_path):
    """Run the demonstration with directories of its own; returns how it ended."""
    temporary = tmp_path / "t"
    temporary.mkdir()

    def run(*options, **more):
        done = subprocess.run(
            [sys.executable, "-m", "strap", "demo", *options],
            cwd=tmp_path,
            env=environment(tmp_path, TMPDIR=str(temporary), **more),
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert list(temporary.iterdir()) == []
        assert processes_of(temporary) == []
        return done

    return run


def processes_of(folder):
    listing = subprocess.run(
        ["ps", "-axww", "-o", "args="], capture_output=True, text=True, check=True
    )
    return [line for line in listing.stdout.splitlines() if str(folder) in line]


def shown(output):
    """The calls with their answers, as they were printed."""
    return [part.splitlines() for part in output.removeprefix("\n> ").split("\n\n> ")]


def test_tour(demo, tmp_path):
    done = demo("--keep")
    assert (done.returncode, done.stderr) == (0, "")
    steps = shown(done.stdout.partition("The screenshot is in ")[0].rstrip("\n"))
    assert [step[0][: len(call)] for step, call in zip(steps, CALLS, strict=True)] == CALLS
    for call, *answer, cost in steps:
        assert answer, call
        assert bool(COST.match(cost)[1]) == (call != "tools/list"), (call, cost)
    said = {call.split("action: '")[-1].split("'")[0]: "\n".join(rest) for call, *rest in steps}
    assert "Thank you, Ada Lovelace" in said["click"]
    assert "image/jpeg" in said["screenshot"]
    assert '{"' not in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].startswith("It works. ")
    assert (tmp_path / "strap-demo.jpg").read_bytes().startswith(b"\xff\xd8")


@pytest.mark.anyio
async def test_watched(tmp_path):
    (tmp_path / "t").mkdir()
    opened, opener = tmp_path / "opened", tmp_path / "open"
    opener.write_text(f'#!/bin/sh\necho "$1" > {opened}.new; mv {opened}.new {opened}\n')
    opener.chmod(0o700)
    env = environment(tmp_path, TMPDIR=str(tmp_path / "t"), BROWSER=str(opener))
    command = [sys.executable, "-m", "strap", "demo", "--live"]
    pipe = asyncio.subprocess.PIPE
    demo = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, env=env, stdout=pipe)
    try:
        await becomes(opened.exists, within=60)
        async with watching(opened.read_text().strip()) as viewer:
            await viewer.open()
            await viewer.next("entry", lambda told: told["text"].startswith("click"), 60)
            while b"Ctrl-C ends it" not in await demo.stdout.readline():
                pass
    finally:
        demo.send_signal(signal.SIGINT)
        assert await demo.wait() == 0
    assert list((tmp_path / "t").iterdir()) == []
    assert processes_of(tmp_path / "t") == []


def test_without_a_browser_it_says_so_once(demo, tmp_path):
    missing = str(tmp_path / "nowhere")
    done = demo(STRAP_BROWSER_PATH=missing)
    assert done.returncode == 1
    assert shown(done.stdout)[-1][0].startswith("web(resource: 'browser', action: 'launch'")
    first, *rest = done.stderr.strip().splitlines()
    assert first == (
        f"The demonstration failed: The configured browser {missing!r} is not an executable file. "
        "Correct STRAP_BROWSER_PATH, or remove it to let strap find a browser."
    )
    assert rest == ["Try: strap doctor"]


def test_whoever_reads_may_leave_early(tmp_path):
    command = [sys.executable, "-m", "strap", "demo"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as demo:
        assert demo.stdout.readline() == b"\n"  # before the first call
        demo.stdout.close()
        assert demo.stderr.read() == b""
        assert demo.wait(60) == 1
