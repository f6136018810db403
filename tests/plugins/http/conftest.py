"""A router that may reach loopback, and names that lead there."""

from itertools import count

import pytest

from strap import testing
from tests.unit.names import Names


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def own_web(tmp_path):
    """The real router in mode `local`."""
    async with testing.router(home=tmp_path, network="local") as opened:
        yield opened


@pytest.fixture
def web(own_web):
    return own_web


@pytest.fixture(scope="module")
async def shared(tmp_path_factory, anyio_backend):
    async with testing.router(home=tmp_path_factory.mktemp("home"), network="local") as opened:
        yield opened


@pytest.fixture(scope="module")
def callers():
    return count(1)


@pytest.fixture
def shared_web(shared, callers):
    """That of a module, for a caller of its own: what reads pages takes long to start."""
    return shared.as_caller(f"caller{next(callers)}")


@pytest.fixture
async def named_web(tmp_path):
    """Open a router where `*.test` names lead to loopback: `named_web("a", "b", ca_file=…)`."""
    opened = []

    async def make(*names, answers=None, **settings):
        table = answers or {f"{name}.test": [["127.0.0.1"]] for name in names}
        plugins = {"http": settings} if settings else {}
        context = testing.router(
            home=tmp_path, network="all", plugins=plugins, resolver=Names(table)
        )
        opened.append(context)
        return await context.__aenter__()

    yield make
    for context in opened:
        await context.__aexit__(None, None, None)
