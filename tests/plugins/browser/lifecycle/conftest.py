"""The router with the page actions of these tests, and a look at the processes of the machine."""

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from strap import testing
from tests.plugins.browser.lifecycle import pages
from tests.plugins.browser.lifecycle.clients import listen
from tests.plugins.browser.lifecycle.machine import litter
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.processes import descendants, gone


@pytest.fixture
async def web(open_web):
    async with open_web(pages) as opened:
        yield opened


@pytest.fixture(scope="module")
def common_home(tmp_path_factory):
    return tmp_path_factory.mktemp("common") / "home"


@pytest.fixture(scope="module")
async def common(common_home, anyio_backend):
    """A router for all tests of a module: its browser runs until one of them ends it."""
    tables = {"browser": SETTINGS}
    async with testing.router(pages, home=common_home, network="local", plugins=tables) as web:
        yield web


@pytest.fixture(scope="module")
def numbers():
    return count(1)


@pytest.fixture
async def newcomer(common, numbers):
    """A caller of the common router; its pages go with it."""
    session = f"newcomer{next(numbers)}"
    yield common.as_caller(session, transport="stdio")
    await common.router.end_session(f"local/{session}")


@pytest.fixture
def browse(web):
    """Call the resource `browser`."""
    return Caller(web).result


@pytest.fixture
def fails(web):
    """Call the resource `browser` and return the error."""
    return Caller(web).fails


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """`strap serve --http` with a browser; when it has ended, nothing is left."""
    home = tmp_path_factory.mktemp("home")
    with listen(home) as server:
        yield server
        started = descendants(server.process.pid)
        assert len(started) > 3
        assert server.ends_well(), server.log()
        assert gone(*started)
        # Of a server that had too little of the processor, the next one sweeps up what is left.
        assert server.process.returncode or litter(home / "data") == []


@pytest.fixture
def runtime():
    """A folder with a short path, as those of sockets have to be."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)
