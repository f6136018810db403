"""The router with the page actions of these tests, and a look at the processes of the machine."""

import pytest

from tests.plugins.browser.lifecycle import pages


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
