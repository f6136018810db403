"""The public conformance suite against our server, with the suite's fixtures grafted on."""

import sys
from pathlib import Path

import pytest

from tests import node
from tests.mcp.conversation import WAIT, Conversation

ROOT = Path(__file__).parents[2]
SUITES = {
    "0.1.16 active": ("0.1.16", "--suite", "active"),
    "0.1.16 pending": ("0.1.16", "--suite", "pending"),
    "0.2 for 2025-11-25": ("0.2.0-alpha.12", "--requirements", "2025-11-25"),
    "0.2 for 2026-07-28": ("0.2.0-alpha.12", "--requirements", "2026-07-28"),
}
EARLIER = "0.1"
"""The releases whose scenarios a later one has as well."""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    command = (sys.executable, "-m", "tests.mcp.conformance.serve")
    home = tmp_path_factory.mktemp("home")
    with Conversation(home, command, PYTHONPATH=str(ROOT)) as server:
        for _ in range(WAIT * 50):
            found = [word for word in b"".join(server._log).split() if word.startswith(b"http:")]
            if found:
                break
            server._threads[1].join(0.02)
        yield found[0].decode()
        assert server.end() == 0


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in SUITES if not name.startswith(EARLIER)),
        *(pytest.param(n, marks=pytest.mark.soak) for n in SUITES if n.startswith(EARLIER)),
    ],
)
def test_the_suite_passes(url, tmp_path, name):
    """Extensions, the tasks among them, are told and not scored: they have to pass too."""
    version, *options = SUITES[name]
    command = node.installed(node.CONFORMANCE, version, "dist/index.js")
    done = node.run([*command, "server", "--url", url, *options], tmp_path)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    summary = done.stdout.split("=== SUMMARY ===")[1].splitlines()
    assert [line for line in summary if line.startswith("✗")] == []
