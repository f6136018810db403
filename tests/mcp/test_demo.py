"""`strap demo` as a user runs it: every call is shown with its answer, and nothing is left."""

import re
import subprocess
import sys

import pytest

from tests.mcp.conversation import environment

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
    "web(resource: 'browser', action: 'help'",
]
COST = re.compile(r"^  \[(\d+) tokens, (\d+) ms\]$")


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
        tokens, milliseconds = map(int, COST.match(cost).groups())
        assert min(tokens, milliseconds) > 0, (call, cost)
    said = {call.split("action: '")[-1].split("'")[0]: "\n".join(rest) for call, *rest in steps}
    assert "Thank you, Ada Lovelace" in said["click"]
    assert "image/jpeg" in said["screenshot"]
    assert (tmp_path / "strap-demo.jpg").read_bytes().startswith(b"\xff\xd8")


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
