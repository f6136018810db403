"""A router, and engines that reach their sites through a proxy, or their APIs, on loopback."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from strap import Guard, testing
from strap_search.engine import Engine, Query
from strap_search.paging import PageCursor, ResultPage
from strap_search.settings import SearchSettings
from strap_search.state import SearchState
from tests.site.tlsproxy import Site, TlsProxy, tls_proxy

Play = Callable[[Site], TlsProxy]
OpenWeb = Callable[..., AbstractAsyncContextManager[testing.Web]]
ANY = Query(words="any", region="us-en", safe="moderate")


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Run a site behind a proxy until the end of the test."""
    with ExitStack() as stack:

        def run(site: Site) -> TlsProxy:
            folder = tmp_path / "certificates"
            folder.mkdir(exist_ok=True)
            return stack.enter_context(tls_proxy(folder, site))

        yield run


def through(site: TlsProxy, **settings: object) -> dict[str, object]:
    """Settings that send every request of the plugin to `site`, without pauses."""
    return {"proxy": site.url, "ca_file": str(site.ca_file), "interval": 0, **settings}


def state(**settings: object) -> SearchState:
    """The state of the resource, as the router would open it; a context manager."""
    return SearchState(SearchSettings.model_validate(settings), Guard("local"))


def engines(site: TlsProxy, **settings: object) -> SearchState:
    """The state of the resource, with everything sent to `site`."""
    return state(**through(site, **settings))


async def pick(opened: SearchState, name: str) -> Engine:
    """Make the engine that answers for `name`."""
    return await opened.open(await opened.resolve(name))


async def found(opened: SearchState, name: str, query: Query = ANY, limit: int = 10) -> ResultPage:
    """Return what a first call finds, cleaned and without duplicates."""

    async def silent(*_: object) -> None:
        return None

    engine = await pick(opened, name)
    trail = PageCursor(engine, query, opened.pace(type(engine)))
    return await trail.window(skip=0, limit=limit, seconds=20, report=silent)


@pytest.fixture
def open_web(tmp_path: Path) -> OpenWeb:
    """Open the real router with these settings of the plugin."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncIterator[testing.Web]:
        home = tmp_path / "home"
        async with testing.router(home=home, plugins={"search": settings}) as web:
            yield web

    return opened
