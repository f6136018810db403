"""A browser each of whose actions needs a person's yes on one host, and a person who is asked."""

from contextlib import asynccontextmanager

import pytest

from strap import Caller, testing
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller as PageCaller
from tests.support.person import Person

FORM = """<title>Pay</title><h1>Bank</h1><script>
done = [];
const note = (what) => done.push(what);
const swap = () => { document.querySelector("#pay").outerHTML =
  `<button id=pay onclick="note('swapped')">Pay 10</button>`; };
const rename = () => { document.querySelector("#pay").textContent = "Pay 9999"; };
</script>
<button id=pay onclick="note('paid')">Pay 10</button>
<div id=plain onclick="note('plain')" style="cursor: pointer">Plain text</div>
<label>Name <input id=name oninput="note('name')" onkeydown="note('key')"></label>
<label>Pin <input id=pin type=password></label>
<label>Kind <select id=kind onchange="note('kind')"><option>a<option>b</select></label>
<input type=file id=file onchange="note('file')" aria-label=File>
<p id=drop ondragover="event.preventDefault()" style="height: 40px">Drop here</p>"""
OUTER = """<title>Outer</title><script>done = []</script>
<button onclick="done.push('outer')">Outer</button>
<iframe src="FAR/form" width=600 height=400></iframe>"""


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def site():
    """The bank is localhost, everything else 127.0.0.1."""
    from tests.site.server import serve

    routes = {"/form": FORM, "/plain": "<title>Plain</title><button>Go</button>"}
    routes["/outer"] = lambda request: OUTER.replace("FAR", far(served))
    with serve(routes) as served:
        yield served


def far(site):
    """The address of the bank."""
    return str(site).replace("127.0.0.1", "localhost")


@pytest.fixture(scope="module")
async def browsers(tmp_path_factory, site):
    """Open a browser with patterns of `confirm`; one for each set of them, for all tests."""

    @asynccontextmanager
    async def opened(*patterns):
        home = tmp_path_factory.mktemp("home")
        tables = {"browser": ANY_BROWSER}
        async with testing.router(
            home=home, network="local", plugins=tables, confirm=list(patterns)
        ) as web:
            yield web

    return opened


@pytest.fixture(scope="module")
async def strict(browsers):
    """Every action of the browser needs a yes."""
    async with browsers("browser.*") as web:
        yield web


@pytest.fixture(scope="module")
async def by_host(browsers):
    """Those on the bank do."""
    async with browsers("browser.*@localhost") as web:
        yield web


def caller_of(web, person, session, site=""):
    """Somebody with pages of their own, before whom `person` sits."""
    caller = Caller(transport="http", session=session, confirm=person)
    return PageCaller(testing.Web(web.router, caller, web.calls), site)


@pytest.fixture
def person():
    return Person()


@pytest.fixture
async def page(strict, site, person, request):
    """A page of the bank's form, where each action needs a yes."""
    caller = caller_of(strict, person, request.node.name, site)
    await caller("launch")
    await caller.open("form")
    person.asked.clear()
    yield caller
    await strict.router.end_session(f"local/{request.node.name}")


@pytest.fixture
async def host_page(by_host, site, person, request):
    """A blank page of a browser that asks on localhost alone."""
    caller = caller_of(by_host, person, request.node.name, site)
    await caller("launch")
    yield caller
    await by_host.router.end_session(f"local/{request.node.name}")
