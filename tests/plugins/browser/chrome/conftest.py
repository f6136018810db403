"""A user's Chromium with the extension, shared by the tests of a module, and a site to look at."""

import pytest

from tests.plugins.browser.chrome.chromium import running
from tests.site.server import serve

FRAME = "<title>Frame</title><button onclick=\"this.textContent='Pressed'\">In the frame</button>"
HOME = """<!doctype html><title>Home</title><h1>Home</h1>
<a id=popup href=/two target=_blank rel=opener>Another page</a>
<a id=apart href=/two target=_blank rel=noopener>Apart</a>
<button onclick="this.textContent=confirm('Sure?')">Ask</button>"""


@pytest.fixture(scope="module")
def site():
    with serve({"/frame": FRAME}) as frames:
        far = f"http://localhost:{frames.port}/frame"
        routes = {
            "/": HOME,
            "/two": "<!doctype html><title>Two</title><h1>Two</h1>",
            "/frames": f"<!doctype html><title>Frames</title><iframe src='{far}'></iframe>",
            "/worker.js": "postMessage('up')",
        }
        with serve(routes) as served:
            yield served


@pytest.fixture(scope="module")
async def chromium(tmp_path_factory, anyio_backend):
    async with running(tmp_path_factory.mktemp("chromium")) as started:
        yield started
