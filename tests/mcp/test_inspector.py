"""The inspector's command line, a client of another SDK, over stdio."""

import json
import sys

import pytest

from tests import node
from tests.mcp.conversation import SCRIPT

VERSION = "2.12.0"


@pytest.fixture
def inspect(tmp_path):
    command = node.installed(node.INSPECTOR, VERSION, "clients/launcher/build/index.js")

    def ask(*options):
        variables = (f"HOME={tmp_path}", f"STRAP_HOME={tmp_path}/data")
        passed = [part for variable in variables for part in ("-e", variable)]
        server = [sys.executable, SCRIPT]
        done = node.run([*command, "--cli", *server, *passed, *options], tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return ask


def test_it_lists_the_tool(inspect):
    (tool,) = inspect("--method", "tools/list")["tools"]
    assert tool["name"] == "web"
    assert tool["inputSchema"]["type"] == "object"


def test_it_calls_the_tool(inspect):
    arguments = ("resource=probe", "action=say", "words=hello")
    given = [part for argument in arguments for part in ("--tool-arg", argument)]
    result = inspect("--method", "tools/call", "--tool-name", "web", *given)
    assert result["content"] == [{"type": "text", "text": "hello"}]
