"""The router with the page actions of these tests, and a look at the processes of the machine."""

import pytest

from tests.plugins.browser.lifecycle import pages
from tests.plugins.browser.lifecycle.clients import listen
from tests.plugins.browser.lifecycle.machine import litter
from tests.soak.test_soak import descendants, gone


@pytest.fixture
async def web(open_web):
    async with open_web(pages) as opened:
        yield opened


@pytest.fixture
def browse(web):
    """Call the resource `browser`."""

    async def call(action, **arguments):
        return await web(resource="browser", action=action, **arguments)

    return call


@pytest.fixture
def fails(web):
    """Call the resource `browser` and return the error."""

    async def call(action, **arguments):
        return await web.fails(resource="browser", action=action, **arguments)

    return call


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """`strap serve --http` with a browser; when it has ended, nothing is left."""
    home = tmp_path_factory.mktemp("home")
    with listen(home) as server:
        yield server
        started = descendants(server.process.pid)
        assert len(started) > 3
        assert server.end() == 0, server.log()
        assert gone(started)
        assert litter(home / "data") == []
