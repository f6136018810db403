"""Packages without their initialisers, until somebody asks for what these define."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from strap.lazy_packages import defer_initialisers
from strap.mcp.stdio.session import SDK
defer_initialisers(*SDK)
import mcp.server.lowlevel.server
assert "mcp.client" not in sys.modules and "mcp.server.mcpserver" not in sys.modules
lowlevel = mcp.server.lowlevel.server.Server
{use}
assert mcp.server.Server is lowlevel
assert mcp.Client.__module__.startswith("mcp.client")
assert not hasattr(mcp, "no_such_name") and not hasattr(mcp.server, "no_such_name")
"""


def run(use):
    run_program(PROGRAM.format(use=use))


def run_program(program):
    environ = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, env=environ)


def test_attributes_are_there():
    run("")


def test_names_can_be_imported():
    run("from mcp import Client; from mcp.server import MCPServer")


def test_everything_can_be_imported():
    run("from mcp import *; assert Client is mcp.Client")


def test_modules_can_be_imported():
    run("import mcp.client.session, mcp.server.mcpserver")


THREADS = """
from threading import Thread
found = []
threads = [Thread(target=lambda: found.append(known.version("pydantic"))) for _ in range(8)]
[each.start() for each in threads], [each.join() for each in threads]
assert len(found) == 8
"""
METADATA = """
import sys
from strap.lazy_packages import defer_initialisers
defer_initialisers("importlib.metadata", "no_such_package")
import importlib.metadata as known
from pydantic import BaseModel
class Model(BaseModel):
    number: int
Model(number=1)
assert "importlib.metadata._meta" not in sys.modules and "no_such_package" not in sys.modules
{use}
assert "importlib.metadata._meta" in sys.modules
"""


@pytest.mark.parametrize(
    "use",
    [
        "assert known.version('pydantic')",
        "from importlib.metadata import PackageNotFoundError, version; assert version('pydantic')",
        "from importlib.metadata import *; assert version('pydantic')",
        "import importlib; assert importlib.metadata.distribution('pydantic').name == 'pydantic'",
        THREADS,
    ],
)
def test_metadata_is_there_for_whoever_asks(use):
    run_program(METADATA.format(use=use))
