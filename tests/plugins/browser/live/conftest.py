"""One browser for all tests of this folder, and pages to watch."""

import threading
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count

import pytest

from strap import testing
from strap_agent.contract import EvalAnswer, Timeouts
from strap_agent.recovery import open_store
from strap_agent.store.records import Event
from tests.plugins.browser.runs.conftest import PNG
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller

from .watcher import Person, watching

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


FRAMED = """<!doctype html><title>Framed</title><body style="margin:0"><iframe src="/form"
style="position:absolute;left:40px;top:50px;width:600px;height:500px;border:10px solid"></iframe>
"""


SAYS = """<!doctype html><title>Says</title><script>
const said = new URLSearchParams(location.search).get("said");
console.error(said); fetch("/log?" + said); document.title = said;
setTimeout(() => { throw new Error(said); });</script>"""
EVIL = "\u202e<img src=x onerror=alert(1)>"
DETAILS = {
    "goal": "buy",
    "actions": [{"click": {"index": 3}}],
    "elements": [{"role": "button", "name": f"Buy {EVIL}"}],
    "boxes": [[0.25, 0.5, 0.2, 0.1]],
    "results": [{"text": "Clicked"}],
    "took": {"model_s": 1.0, "page_s": 0.5},
}


FAR = """<!doctype html><title>Far</title><body style="margin:0"><iframe src="SITE/form"
style="position:absolute;left:40px;top:2050px;width:600px;height:500px;border:10px solid"></iframe>
<div style="height:4000px"></div><script>scrollTo(0, 2000)</script>"""
FARTHER = """<!doctype html><title>Farther</title><body style="margin:0"><iframe src="SITE/far"
style="position:absolute;left:30px;top:20px;width:900px;height:650px;border:0"></iframe>"""


def at_another_site(page):
    """Serve a page whose frames are of the same server under its other name."""

    def serving(request):
        names = ("127.0.0.1", "localhost")
        host = request.headers["host"]
        other = host.replace(*names if names[0] in host else names[::-1])
        return page.replace("SITE", f"http://{other}")

    return serving


def keep_run(root, *, owner="local", task="Buy an oak", events=0, at=1_000.0):
    """A finished run in the store below `root`."""
    answer = EvalAnswer(
        session_id=str(uuid.uuid4()),
        tool_call_id=str(uuid.uuid4()),
        url="http://127.0.0.1/",
        task=task,
        mode="compact",
        status="success",
        stop_reason="done",
        result="Bought",
        summary="Bought",
        timeouts=Timeouts(budget_s=60, step_timeout_s=15, max_steps=25),
    )
    with closing(open_store(root)) as store:
        store.begin(answer, owner=owner, model="scripted")
        step = Event(type="agent", summary="step 1: buy", at=at, step=1, details=DETAILS)
        kinds = ("network", "console")
        more = [
            Event(type=kinds[n % 2], summary=f"{n} {EVIL}", at=at + n, has_error=n % 10 == 1)
            for n in range(1, events + 1)
        ]
        store.add(answer.session_id, [step, *more])
        store.add_shot(answer.session_id, PNG, step=1)
        store.add_shot(answer.session_id, PNG, step=1, kind="stream_sample")
        store.add_shot(answer.session_id, PNG, step=1)
        store.finish(answer, steps=1)
    return answer.session_id


@pytest.fixture(scope="package")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="package")
def site():
    routes = {"/": REST, "/moving": MOVING, "/hostile": HOSTILE, "/form": FORM, "/asks": ASKS}
    routes |= {"/framed": FRAMED, "/says": SAYS}
    routes |= {"/far": at_another_site(FAR), "/farther": at_another_site(FARTHER)}
    with serve(routes) as running:
        yield running


@pytest.fixture(scope="package")
async def shared(tmp_path_factory, anyio_backend):
    home = tmp_path_factory.mktemp("home")
    tables = {"browser": ANY_BROWSER}
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


@dataclass
class Stuck:
    """An answer that holds a page up from `reached` on, until the test sets `release`."""

    url: str
    reached: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    @property
    def in_it(self):
        """A script that comes no further until then."""
        return f"const a = new XMLHttpRequest(); a.open('GET', '{self.url}', false); a.send()"

    @property
    def then(self):
        """A script that waits for it, while the page goes on."""
        return f"fetch('{self.url}').then(() => {{ document.body.append('There') }}); 0"


@pytest.fixture
def stuck():
    def held(_):
        made.reached.set()
        made.release.wait(60)
        return Reply(headers={"Access-Control-Allow-Origin": "*"})

    with serve({"/held": held}) as running:
        made = Stuck(f"{running}/held")
        yield made
        made.release.set()


@pytest.fixture
def keep(shared, caller):
    """Keep a finished run, of the caller unless somebody else is named."""

    def kept(**about):
        own = {"owner": f"local/{caller.web.caller.session}"}
        return keep_run(shared.router.config.home / "runs", **own | about)

    return kept


@pytest.fixture
async def person(caller, link):
    """Somebody who watches the caller's form and may take part."""
    await caller.open("/form")
    async with watching(await link()) as viewer:
        place = await viewer.open()
        await viewer.picture()
        yield Person(viewer, place)
        await caller.web.router.end_session(f"local/{caller.web.caller.session}")
