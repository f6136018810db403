"""The SDK's packages without their initialisers, until somebody asks for what these define."""

import subprocess
import sys

PROGRAM = """
import sys
from strap.mcp.stdio.lazy_sdk import defer_initialisers
defer_initialisers()
import mcp.server.lowlevel.server
assert "mcp.client" not in sys.modules and "mcp.server.mcpserver" not in sys.modules
lowlevel = mcp.server.lowlevel.server.Server
{use}
assert mcp.server.Server is lowlevel
assert mcp.Client.__module__.startswith("mcp.client")
assert not hasattr(mcp, "no_such_name") and not hasattr(mcp.server, "no_such_name")
"""


def run(use):
    subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM.format(use=use)], check=True)


def test_attributes_are_there():
    run("")


def test_names_can_be_imported():
    run("from mcp import Client; from mcp.server import MCPServer")


def test_everything_can_be_imported():
    run("from mcp import *; assert Client is mcp.Client")


def test_modules_can_be_imported():
    run("import mcp.client.session, mcp.server.mcpserver")
