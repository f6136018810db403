"""A router and engines that reach their sites through a proxy on loopback."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from strap import testing
from strap_search.engines import Engines
from strap_search.settings import SearchSettings
from tests.site.tlsproxy import Site, TlsProxy, tls_proxy

Play = Callable[[Site], TlsProxy]
OpenWeb = Callable[..., AbstractAsyncContextManager[testing.Web]]


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


def engines(site: TlsProxy, **settings: object) -> Engines:
    """The state of the resource, as the router would open it."""
    return Engines(SearchSettings.model_validate(through(site, **settings)))


@pytest.fixture
def open_web(tmp_path: Path) -> OpenWeb:
    """Open the real router with these settings of the plugin."""

    @asynccontextmanager
    async def opened(**settings: object) -> AsyncIterator[testing.Web]:
        home = tmp_path / "home"
        async with testing.router(home=home, plugins={"search": settings}) as web:
            yield web

    return opened
