"""One browser for all tests of this folder, and pages to watch."""

from itertools import count

import pytest

from strap import testing
from tests.site.server import serve
from tests.support.caller import Caller

REST = (
    "<!doctype html><title>Rest</title><h1>At rest</h1><button onclick='this.remove()'>Go</button>"
)
MOVING = """<!doctype html><title>Moving</title><style>div { width: 40px; height: 40px;
background: red; animation: go 1s infinite alternate linear } @keyframes go { to {
transform: translateX(600px) } }</style><div></div>"""
HOSTILE = """<!doctype html><title>&lt;img src=x onerror=alert(1)&gt; \u202egnp.exe</title>
<h1>Hostile</h1><script>console.error('<script>alert(1)</script>\u202e' + 'x'.repeat(100000))
</script>""".replace("</script>\\u202e", "<\\/script>\\u202e")
ASKS = "<!doctype html><title>Asks</title><script>confirm('Go on?')</script><h1>Asked</h1>"
FORM = """<!doctype html><title>Form</title><body style="margin:0"><input id=a autofocus
style="position:absolute;left:100px;top:100px;width:300px;height:40px"><select id=s
style="position:absolute;left:100px;top:200px;width:200px;height:30px"><option>One<option>Two
</select><button id=b style="position:absolute;left:100px;top:300px;width:200px;height:40px"
onclick="document.title = 'Pressed ' + a.value">Press</button>"""


@pytest.fixture(scope="package")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="package")
def site():
    routes = {"/": REST, "/moving": MOVING, "/hostile": HOSTILE, "/form": FORM, "/asks": ASKS}
    with serve(routes) as running:
        yield running


@pytest.fixture(scope="package")
async def shared(tmp_path_factory, anyio_backend):
    home = tmp_path_factory.mktemp("home")
    tables = {"browser": {"headless": True, "port": 0}}
    async with testing.router(home=home, network="local", plugins=tables) as web:
        await web(resource="browser", action="launch")
        yield web


@pytest.fixture(scope="package")
def sessions():
    return count(1)


@pytest.fixture
async def caller(shared, site, sessions):
    """A caller with a page of its own, which nobody watches yet."""
    session = f"caller{next(sessions)}"
    made = Caller(shared.as_caller(session), site)
    await made.open("/")
    yield made
    await shared.router.end_session(f"local/{session}")


@pytest.fixture
def link(caller):
    """Ask for a link, as a model does."""

    async def ask(**fields):
        return (await caller.result("live", **fields)).data["url"]

    return ask
