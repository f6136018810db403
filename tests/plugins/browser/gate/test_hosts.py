"""A policy that names hosts holds for all that a caller's browser asks for by itself."""

from contextlib import asynccontextmanager

import pytest

from strap import testing
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.support.caller import Caller
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
ALLOW = (
    "launch",
    "click",
    "evaluate",
    "snapshot",
    "network",
    "back",
    "wait",
    "list_pages",
    "press",
)
PAGE = """<title>Near</title><h1>Near</h1>
<a href="FAR/link" id=link>Link</a> <a href="FAR/new" id=new target=_blank>New</a>
<form action="FAR/form"><button id=form>Send</button></form>
<form action="FAR/post" method=post target=f><button id=post>Post</button></form>
<iframe name=f></iframe><a href="/moved" id=moved>Moved</a>
<button id=open onclick="open('FAR/popup')">Open</button>
<button id=lone onclick="window.open('FAR/popup', '', 'noopener')">Lone</button>
<button id=later onclick="window.open().location = 'FAR/popup'">Later</button>
<form action="FAR/post" method=post target=_blank><button id=blank>Blank</button></form>
<iframe srcdoc="<a href='FAR/new' target=_blank>In</a>"></iframe>
<button id=within onclick="frames[1].document.links[0].click()">Within</button>
<button id=go onclick="location = 'FAR/script'">Go</button>
<button id=beacon onclick="navigator.sendBeacon('FAR/beacon', 'x')">Beacon</button>"""
CLICKS = (
    *("link", "new", "form", "post", "moved", "open", "lone", "later", "blank", "within"),
    *("go", "beacon"),
)
KEYS = ("Control+Enter", "Shift+Enter", "Control+Shift+Enter")
SCRIPTS = {
    "fetch": "fetch('FAR/fetch', {mode: 'no-cors'}).then(() => 'sent', () => 'failed')",
    "location": "location.href = 'FAR/location'",
    "image": "new Promise(r => { const i = new Image(); i.onload = i.onerror = () => r(1);"
    " i.src = 'FAR/image' })",
    "frame": "document.body.append(Object.assign(document.createElement('iframe'),"
    " {src: 'FAR/frame'}))",
    "script": "document.body.append(Object.assign(document.createElement('script'),"
    " {src: 'FAR/js'}))",
    "style": "document.head.insertAdjacentHTML('beforeend',"
    ' "<link rel=stylesheet href=FAR/css><link rel=prefetch href=FAR/pre>")',
    "socket": "new Promise(r => { const s = new WebSocket('WS/socket');"
    " s.onopen = s.onclose = () => r(1) })",
    "worker": "new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob(["
    " \"fetch('FAR/work', {mode: 'no-cors'}).finally(() => postMessage(1))\"])));"
    " w.onmessage = () => r(1) })",
    "window": "void open('FAR/window')",
    "form": "document.body.insertAdjacentHTML('beforeend',"
    " '<form id=x action=FAR/sent method=post></form>'), x.submit()",
}


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def sites():
    """The near server is localhost, the far one 127.0.0.1, which the policy does not allow."""
    far_routes = dict.fromkeys(
        ("/link", "/new", "/form", "/moved", "/popup"), "<title>Far</title><h1>Far secret</h1>"
    )
    with serve(far_routes) as far:
        routes = {"/": PAGE.replace("FAR", str(far)), "/plain": "<title>Plain</title>"}
        routes["/moved"] = Reply(status=302, headers={"Location": f"{far}/moved"})
        with serve(routes) as near:
            yield str(near).replace("127.0.0.1", "localhost"), far


@asynccontextmanager
async def opened(home, site, **rules):
    tables = {"browser": ANY_BROWSER}
    async with testing.router(home=home, network="local", plugins=tables, **rules) as web:
        page = Caller(web, site)
        await page("launch")
        yield page


@pytest.fixture(scope="module", params=["allow", "deny"])
async def held(request, tmp_path_factory, sites):
    """A browser that may get to the near server alone."""
    near = sites[0]
    rules = {"deny": ["browser.navigate@127.0.0.1"]}
    if request.param == "allow":
        allow = ["browser.navigate@localhost", "browser.new_page@localhost"]
        rules = {"allow": [*allow, *(f"browser.{name}" for name in ALLOW)]}
    async with opened(tmp_path_factory.mktemp("home"), near, **rules) as page:
        yield page


@pytest.fixture
async def page(held, sites):
    """The near page, and at the end nothing of the far server in it, and nothing sent there."""
    await held.open("/")
    sites[1].requests.clear()
    yield held
    assert not sites[1].requests
    assert "Far secret" not in await held("snapshot")


async def test_a_redirect_is_refused_and_told(page, sites):
    error = await page.fails("navigate", url=f"{sites[0]}/moved")
    assert error.code == "denied"
    assert f"The policy does not allow browser to reach '{sites[1]}/'" in str(error)


@pytest.mark.parametrize("element", CLICKS)
async def test_nothing_that_is_clicked_leads_there(page, sites, element):
    told = await page("click", selector=f"#{element}")
    assert "Far secret" not in told
    listed = await eventually(lambda: _refused(page))
    assert "REFUSED_BY_STRAP (denied)" in listed


@pytest.mark.parametrize("keys", KEYS)
async def test_no_key_opens_a_window_there(page, keys):
    await page("press", selector="#link", key=keys)
    await page("wait", value="0.5")  # the window has no opener: no answer tells of it


async def _refused(page):
    listed = await page("network")
    return listed if "REFUSED_BY_STRAP" in listed else ""


@pytest.mark.parametrize("way", SCRIPTS)
async def test_no_script_of_the_model_gets_there(page, sites, way):
    far = str(sites[1])
    script = SCRIPTS[way].replace("FAR", far).replace("WS", far.replace("http", "ws"))
    await page("evaluate", text=script)
    await page("wait", value="0.3")


async def test_new_pages_and_steps_of_a_batch(page, sites):
    error = await page.fails("new_page", url=f"{sites[0]}/moved")
    assert error.code == "denied"
    error = await page.fails("navigate", url=f"{sites[1]}/link")
    assert error.code == "denied"


async def test_a_port_is_held_to_as_well(tmp_path, sites):
    near, far = sites
    other = str(far).replace("127.0.0.1", "localhost")
    rules = {"deny": [f"browser.navigate@localhost:{far.port}"]}
    far.requests.clear()
    async with opened(tmp_path, near, **rules) as page:
        await page.open("/")
        await page("evaluate", text=f"fetch('{other}/link', {{mode: 'no-cors'}}).catch(() => 1)")
        assert not far.requests
        assert (await page.fails("navigate", url=f"{other}/link")).code == "denied"
        await page("navigate", url=f"{far}/link")
    assert len(far.requests) >= 1


async def test_what_is_not_denied_is_reached(tmp_path, sites):
    async with opened(tmp_path, sites[0], deny=["browser.navigate@other.example"]) as page:
        await page.open("/")
        for keys in KEYS:
            sites[1].requests.clear()
            await page("press", selector="#link", key=keys)
            await eventually(lambda: [each.path for each in sites[1].requests])
        assert "Far secret" in await page("click", selector="#link")


@pytest.mark.parametrize("name", ["mock", "navigate", "*"])
async def test_a_rule_answers_from_no_host_that_is_denied(tmp_path, sites, name):
    async with opened(tmp_path, sites[0], deny=[f"browser.{name}@127.0.0.1"]) as page:
        await page.open("/")
        rule = await page("mock", url=f"{sites[1]}/*", value="200", body="Made up")
        assert rule.startswith("Rule:")  # its url is a pattern, and goes nowhere
        script = f"fetch('{sites[1]}/plain').then(r => r.text(), () => 'failed')"
        assert "failed" in await page("evaluate", text=script)
        await page("mock", url="*/plain", value="200", body="Made up")
        assert "Made up" in await page("evaluate", text="fetch('/plain').then(r => r.text())")
