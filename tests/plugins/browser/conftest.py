"""A router with a real headless Chromium on a fresh home, and a site for it to visit."""

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from strap import testing
from tests.site.server import Site, serve
from tests.support.browser import SETTINGS, with_own

OpenWeb = Callable[..., AbstractAsyncContextManager[testing.Web]]


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def open_web(home: Path) -> OpenWeb:
    """Open the real router on `home`, with further plugins and settings of the browser."""

    @asynccontextmanager
    async def opened(*plugins: Any, **settings: Any) -> AsyncIterator[testing.Web]:
        tables = {"browser": with_own(SETTINGS, settings)}
        async with testing.router(*plugins, home=home, network="local", plugins=tables) as web:
            yield web

    return opened


@pytest.fixture
async def web(open_web: OpenWeb) -> AsyncIterator[testing.Web]:
    """The router; no browser runs yet."""
    async with open_web() as opened:
        yield opened


@pytest.fixture
def serve_site() -> Iterator[Callable[..., Site]]:
    """Serve routes or a folder until the end of the test: `site = serve_site({"/": "<h1>…"})`."""
    with ExitStack() as stack:
        yield lambda *args, **options: stack.enter_context(serve(*args, **options))


@pytest.fixture
def unused_port():
    """A port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
