"""A user's Chromium with the extension and strap beside it, and a site to look at."""

import json
import socket
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from strap import testing
from strap_browser.relay.access.pairing import Pairing
from tests.plugins.browser.chrome.chromium import Chromium, running
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.waiting import eventually

PAGES = Path(__file__).parents[3] / "site" / "pages"
FRAME = "<title>Frame</title><button onclick=\"this.textContent='Pressed'\">In the frame</button>"
HOME = """<!doctype html><title>Home</title><h1>Home</h1>
<a id=popup href=/two target=_blank rel=opener>Another page</a>
<a id=apart href=/two target=_blank rel=noopener>Apart</a>
<button onclick="this.textContent=confirm('Sure?')">Ask</button>"""
BUSY = """<!doctype html><title>Busy</title><p>Waiting</p><script>
console.error('Something broke');
fetch('/data.json').then((r) => r.json()).then((data) => {
  document.querySelector('p').textContent = `Got ${data.a}`;
});
</script>"""
CALLERS = count(1)
LIMIT = 40.0
"""Seconds to wait for Chrome: more than the half minute between two looks of a sleeping worker."""
T = TypeVar("T")


@pytest.fixture(scope="module")
def site():
    with serve({"/frame": FRAME}) as frames:
        far = f"http://localhost:{frames.port}/frame"
        routes = {
            "/": HOME,
            "/two": "<!doctype html><title>Two</title><h1>Two</h1>",
            "/frames": f"<!doctype html><title>Frames</title><iframe src='{far}'></iframe>",
            "/worker.js": "onmessage = ({ data }) => postMessage(data * 2)",
            "/busy": BUSY,
            "/data.json": Reply(body='{"a": 42}', headers={"Content-Type": "application/json"}),
            "/login": Reply(headers={"Set-Cookie": "member=ada"}, body="<title>In</title>"),
        }
        with serve(routes, folder=PAGES) as served:
            yield served


@pytest.fixture(scope="module")
async def chromium(tmp_path_factory, anyio_backend):
    async with running(tmp_path_factory.mktemp("chromium")) as started:
        yield started


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def tables(port: int, **settings: Any) -> dict[str, Any]:
    """The settings of a strap whose relay listens on `port`."""
    return {"browser": {**SETTINGS, "relay_port": port, **settings}}


@dataclass
class Strap:
    """A router whose profile `chrome` the user's Chromium is paired with."""

    web: testing.Web
    chromium: Chromium
    home: Path
    port: int

    def caller(self) -> "ChromeCaller":
        """A new caller."""
        return ChromeCaller(self.web.as_caller(f"caller{next(CALLERS)}"), self.chromium)


class ChromeCaller(Caller):
    """A caller who works in the profile `chrome`."""

    def __init__(self, web: testing.Web, chromium: Chromium) -> None:
        super().__init__(web, profile="chrome")
        self.chromium = chromium

    async def share(self, url: str) -> tuple[str, str]:
        """Open a tab and click the button, as the user; return strap's name and the target."""
        known = set(await self.pages())
        target = await self.chromium.open(url)
        await self.chromium.until(target, "document.readyState === 'complete'")
        await self.chromium.click_toolbar(target)
        (name,) = await self.new_pages(known)
        return name, target

    async def pages(self) -> dict[str, str]:
        """Strap's names of the shared tabs, with what it says of each."""
        lines = (await self("list_pages")).splitlines()
        rows = [line.split(" ", 1) for line in lines if line.startswith("t")]
        return {row[0]: row[1] for row in rows}

    async def new_pages(self, known: set[str]) -> set[str]:
        """The names of the tabs beside `known`, once there are any."""

        async def found() -> set[str]:
            return set(await self.pages()) - known

        return await eventually(found, LIMIT)

    async def gone(self, name: str) -> None:
        """Wait until a tab is not listed any more."""

        async def left() -> bool:
            return name not in await self.pages()

        await eventually(left, LIMIT)

    async def connected(self) -> None:
        """Wait until strap sees the extension."""

        async def seen() -> bool:
            (entry,) = json.loads(await self("status"))["profiles"]
            return bool(entry["extension_connected"])

        await eventually(seen, LIMIT)


@pytest.fixture(scope="module")
async def strap(chromium, tmp_path_factory):
    home, port = tmp_path_factory.mktemp("home"), free_port()
    await chromium.pair(Pairing(home).renew(), port)
    async with testing.router(home=home, network="local", plugins=tables(port)) as web:
        await web(resource="browser", action="launch", profile="chrome")
        yield Strap(web, chromium, home, port)


@pytest.fixture
async def caller(strap):
    """A caller of a module's strap; no tab is shared, before and after."""
    yield strap.caller()
    await strap.chromium.close_tabs()
