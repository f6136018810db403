"""Stored runs without a browser, and a laboratory for real ones."""

import base64
import threading
import uuid
from dataclasses import replace

import pytest

from strap_agent.contract import EvalAnswer, Timeouts
from strap_agent.recovery import open_store
from tests.site.server import Raw, Reply, serve
from tests.support.model_server import done

from .lab import laboratory

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SHOP = """<!doctype html><title>Shop</title><h1>Shop</h1>
<button onclick="document.title='Bought';document.querySelector('h1').textContent='Thank you'">Buy
</button> <a href="/second">Second page</a>"""
ENDLESS = """<!doctype html><title>Endless</title><h1>Endless</h1>
<button onclick="while (true) {}">Go on</button>"""
FORM = """<!doctype html><title>Form</title><form method=post><input name=first>
<input name=email type=email autocomplete=username><input name=pass type=password></form>"""
LOGIN = """<!doctype html><title>Log in</title><form method=post action=/second>
<input type=password name=word aria-label=Password></form>"""
UNSAVED = """<!doctype html><title>Unsaved</title><button>Stay</button>
<script>addEventListener("beforeunload", (event) => event.preventDefault())</script>"""
NAMES = "abcd"
OWN = """<!doctype html><title>Run NAME</title><h1>Run NAME</h1>
<script>console.log('I am NAME'); fetch('/second?NAME', {mode: 'no-cors'})</script>"""
"""A page for each of several runs side by side."""
NOISY = """<!doctype html><title>Noisy</title><h1>Noisy</h1>
<button onclick="alert('one');this.textContent = confirm('two') && 'Confirmed'">Ask</button>
<a href="/popup" target="_blank" rel="opener">Pop up</a>
<a href="/file.bin" download>Download</a>
<script>
console.log('fine'); console.error('boom', 42);
setTimeout(() => { throw new Error('late') }, 10);
fetch('/broken'); fetch('/moved'); fetch('/missing?secret=1#x');
new Image().src = '/never';
</script>"""


@pytest.fixture(scope="package")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="package")
def site():
    release = threading.Event()

    def never(request):
        release.wait(30)
        return Raw()

    def far(request):
        address = f"http://{request.headers['host']}/file".replace("127.0.0.1", "localhost")
        return f"<!doctype html><style>* {{ margin: 0 }}</style><iframe src={address}></iframe>"

    routes = {
        "/": SHOP,
        "/far": far,
        "/second": "<!doctype html><title>Second</title><h1>Second</h1>",
        "/closed": "<title>Closed</title><script>window.open = () => null</script>",
        "/noisy": NOISY,
        "/form": FORM,
        "/file": "<!doctype html><style>* { margin: 0 }</style><input type=file>",
        "/login": LOGIN,
        "/unsaved": UNSAVED,
        "/endless": ENDLESS,
        "/at-once": "<!doctype html><title>At once</title><script>while (true) {}</script>",
        **{f"/run/{name}": OWN.replace("NAME", name) for name in NAMES},
        "/popup": "<!doctype html><title>Popped</title><h1>Popped up</h1>",
        "/locked": Reply(
            status=401,
            headers={"WWW-Authenticate": 'Basic realm="Staff"'},
            body="<!doctype html><title>Staff</title><h1>Staff only</h1>",
        ),
        "/broken": Reply(status=500, body="x"),
        "/moved": Reply(status=302, headers={"Location": "/second"}),
        "/file.bin": Reply(headers={"Content-Type": "application/octet-stream"}, body=b"\0" * 64),
        "/never": never,
        "/hang": never,
    }
    with serve(routes) as served:
        yield served
        release.set()


@pytest.fixture(scope="package")
async def shared_lab(tmp_path_factory, site):
    """One for all modules, as what workers are forked from takes long to start.

    Its event loop ends with the package: tests of others run one of their own.
    """
    async with laboratory(tmp_path_factory.mktemp("home"), site) as opened:
        await opened.run(done("ready"))
        yield opened


@pytest.fixture(scope="package")
def lab(shared_lab):
    """Runs have browsers of their own."""
    return shared_lab


@pytest.fixture(scope="module")
async def quick_lab(shared_lab):
    """Runs work in a browser that is there: for tests of what has nothing to do with it."""
    await shared_lab.web(resource="browser", action="launch", profile="nebo")
    yield replace(shared_lab, profile="nebo")
    await shared_lab.web(resource="browser", action="close", profile="nebo")


@pytest.fixture
def hang(lab):
    """A model that does not answer until the test is over."""

    def wait(body):
        lab.model.released.wait(60)
        return Raw()

    lab.model.released.clear()
    yield wait
    lab.model.released.set()


@pytest.fixture
def draft():
    """Make a draft of an answer: what is stored if the process is killed."""

    def make(**changes):
        fields = {
            "session_id": str(uuid.uuid4()),
            "tool_call_id": str(uuid.uuid4()),
            "url": "http://localhost:3000",
            "task": "look",
            "mode": "compact",
            "status": "failed",
            "stop_reason": "cancelled",
            "summary": "strap ended while the run was going on.",
            "timeouts": Timeouts(budget_s=60, step_timeout_s=15, max_steps=25),
        }
        return EvalAnswer(**fields | changes)

    return make


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "runs")
    yield opened
    opened.close()
