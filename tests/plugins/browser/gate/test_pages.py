"""Requests that pages may make: a real Chromium behind the guarding proxy.

`public.test` is a public site, played by a server on loopback; the other server is private.
"""

import json
import threading
from contextlib import asynccontextmanager

import pytest

from strap import testing
from strap_browser.proxy import connecting
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER

pytestmark = pytest.mark.anyio
PUBLIC = "http://public.test"
ADDRESS = "93.184.215.14"
INSIDE_ADDRESS = "10.0.0.5"
PLAIN = {"Content-Type": "text/plain", "Access-Control-Allow-Origin": "*"}


async def names(host, port):
    return {"public.test": (ADDRESS,), "inside.test": (INSIDE_ADDRESS,)}.get(host, ())


INSIDE = {path: Reply(headers=PLAIN, body="secret") for path in ("/", "/data", "/socket")}
INSIDE["/file"] = Reply(headers={"Content-Disposition": "attachment; filename=f"}, body="secret")
INSIDE["/page"] = "<title>Private</title><h1>Private</h1>"
INSIDE["/fresh"] = Reply(headers={"Cache-Control": "no-store"}, body=INSIDE["/page"])


@pytest.fixture(scope="module")
def private():
    with serve(INSIDE) as site:
        yield site


HELPERS = """
const told = (word) => { document.title = word };
const ask = (url, more) => fetch(url, more).then(() => told("got it"), () => told("refused"));
const watch = (x) => { x.onload = () => told("got it"); x.onerror = () => told("refused") };
"""
WAYS = {
    "/fetch": "ask('PRIVATE/data')",
    "/opaque": "ask('PRIVATE/data', {mode: 'no-cors', referrerPolicy: 'no-referrer'})",
    "/post": "ask('PRIVATE/data', {method: 'POST', mode: 'no-cors', body: 'x'})",
    "/moved": "ask('/redirect', {mode: 'no-cors'})",
    "/named": "ask('http://localhost:PORT/data', {mode: 'no-cors'})",
    "/script": """
        const x = document.createElement("script");
        x.src = "PRIVATE/data"; watch(x); document.head.append(x)""",
    "/socket": """
        const x = new WebSocket("ws://127.0.0.1:PORT/socket");
        watch(x); x.onopen = x.onload""",
    "/worker": """
        const code = `fetch("PRIVATE/data").then(() => postMessage("got it"),
            () => postMessage("refused"))`;
        const x = new Worker(URL.createObjectURL(new Blob([code])));
        x.onmessage = (event) => told(event.data)""",
}
"""How a page reaches for the private server; its title tells what came of it."""


ASKS = """<title>Asks</title><button>Type</button>
<script>onbeforeunload = (event) => event.preventDefault()</script>"""
NAGS = """<title>Nags</title>
<script>onbeforeunload = () => { setTimeout(() => confirm("Really?")) }</script>"""


LATE = threading.Event()
"""Set when the answer is to come."""
PATIENCE = 60.0


def pages(private):
    away = {"Location": f"{private}/data"}
    return {
        **{
            way: f"<title>waits</title><script>{HELPERS}{script}</script>".replace(
                "PRIVATE", private
            ).replace("PORT", str(private.port))
            for way, script in WAYS.items()
        },
        "/redirect": Reply(status=302, headers=away),
        "/inward": Reply(status=302, headers={"Location": "http://inside.test/data"}),
        "/frame": f"<title>frame</title><iframe src='{private}/page'></iframe>",
        "/save": f"<title>save</title><a href='{private}/file' download>Save</a>",
        "/link": f"<title>link</title><a href='{private}/page'>Go</a>",
        "/": "<title>Public</title><h1>Public</h1>",
        "/asks": ASKS,
        "/late": lambda _: LATE.wait(PATIENCE) and Reply(status=302, headers=away),
    }


@pytest.fixture(scope="module")
def public(private):
    with serve(pages(private)) as site:
        yield site


@asynccontextmanager
async def opened(home, public, private, network):
    connect, patch = connecting.open_stream, pytest.MonkeyPatch()

    async def connect_as_told(address, port):
        if address == ADDRESS:
            return await connect("127.0.0.1", public.port)
        if address == INSIDE_ADDRESS:
            return await connect("127.0.0.1", private.port)
        return await connect(address, port)

    patch.setattr(connecting, "open_stream", connect_as_told)
    async with testing.router(
        home=home,
        network=network,
        plugins={"browser": ANY_BROWSER},
        resolver=names,
    ) as web:
        await web(resource="browser", action="launch")
        yield web
    patch.undo()


@pytest.fixture(scope="module")
async def web(tmp_path_factory, anyio_backend, public, private):
    async with opened(tmp_path_factory.mktemp("home"), public, private, "local") as web:
        yield web


@pytest.fixture
def neighbour(serve_site):
    """A server of this machine that nobody has gone to."""
    return serve_site(INSIDE)


@pytest.fixture
def here(neighbour, serve_site):
    """Another server of this machine, whose pages reach for it."""
    return serve_site(pages(neighbour))


async def go(web, url):
    return await web(resource="browser", action="navigate", url=url)


async def outcome(web):
    script = """new Promise((tell) => setInterval(() => {
        if (document.title !== "waits") tell(document.title)
    }, 20))"""
    return (await web(resource="browser", action="evaluate", text=script)).text


@pytest.fixture(scope="module")
async def launched(web, private):
    private.requests.clear()
    return web


@pytest.mark.parametrize("way", WAYS)
async def test_a_public_page_reaches_nothing_private(launched, private, way):
    await go(launched, PUBLIC + way)
    assert "refused" in await outcome(launched)
    assert private.requests == []


async def test_a_public_page_frames_nothing_private(launched, private):
    await go(launched, f"{PUBLIC}/frame")
    assert "Private" not in (await launched(resource="browser", action="snapshot")).text
    assert private.requests == []


async def test_a_public_link_leads_to_nothing_private(launched, private):
    await go(launched, f"{PUBLIC}/link")
    answer = await launched(resource="browser", action="click", selector="a")
    assert "Private" not in answer.text
    assert private.requests == []


async def test_a_public_page_downloads_nothing_private(launched, private):
    await go(launched, f"{PUBLIC}/save")
    await launched(resource="browser", action="click", selector="a")
    listed = await launched(resource="browser", action="downloads")
    assert " at " not in listed.text
    assert private.requests == []


SERVING = """<title>waits</title><script>
navigator.serviceWorker.onmessage = (event) => { document.title = event.data };
navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)
  .then((registration) => registration.active.postMessage("TARGET"));
</script>"""
SERVICE = """onmessage = (event) => fetch(event.data, { mode: "no-cors" }).then(
  () => event.source.postMessage("got it"), () => event.source.postMessage("refused"));"""


async def test_a_service_worker_reaches_nothing_more_private(web, private, neighbour, serve_site):
    """Only secure sites have them, such as this machine's own."""
    targets = {"/in": "http://inside.test/data", "/next": f"{neighbour}/data"}
    routes = {way: SERVING.replace("TARGET", target) for way, target in targets.items()}
    script = Reply(headers={"Content-Type": "text/javascript"}, body=SERVICE)
    site = serve_site(routes | {"/worker.js": script})
    private.requests.clear()
    await go(web, f"{site}/next")
    assert "got it" in await outcome(web)
    await go(web, f"{site}/in")
    assert "refused" in await outcome(web)
    assert private.requests == []


async def test_a_redirect_leads_to_nothing_private(launched, private):
    call = {"resource": "browser", "action": "navigate", "url": f"{PUBLIC}/redirect"}
    error = await launched.fails(**call)
    assert error.code == "more_private"
    assert "more private network" in error.message
    assert private.requests == []


async def test_the_rules_for_pages_hold_in_mode_all(tmp_path, public, private, neighbour, here):
    async with opened(tmp_path, public, private, "all") as web:
        for url in (f"{private}/page", "http://inside.test/page"):
            await go(web, url)
        private.requests.clear()
        for way in ("/redirect", "/inward"):
            redirect = {"resource": "browser", "action": "navigate", "url": PUBLIC + way}
            assert (await web.fails(**redirect)).code == "more_private"
        for way in WAYS.keys() - {"/opaque"}:
            await go(web, PUBLIC + way)
            assert "refused" in await outcome(web), way
        # The icon of a page that was open before may be asked for late.
        assert [each for each in private.requests if each.path != "/favicon.ico"] == []
        for site in (here, PUBLIC):  # a page that hides is not told apart
            await go(web, f"{site}/opaque")
            assert "got it" in await outcome(web)
        assert [request.path for request in neighbour.requests] == ["/data"]
        neighbour.requests.clear()
        await go(web, f"{here}/fetch")
        assert "got it" in await outcome(web)
        assert [request.path for request in neighbour.requests] == ["/data"]


@pytest.mark.parametrize("way", ["/fetch", "/post", "/worker", "/socket"])
async def test_a_page_of_this_machine_reaches_its_neighbours(web, neighbour, here, way):
    await go(web, f"{here}{way}")
    wanted = "refused" if way == "/socket" else "got it"  # the server speaks no WebSocket
    assert wanted in await outcome(web)
    assert [request.path for request in neighbour.requests] in (["/data"], ["/socket"])


async def test_links_frames_and_redirects_of_this_machine_work(web, here):
    await go(web, f"{here}/redirect")
    await go(web, f"{here}/frame")
    assert "Private" in (await web(resource="browser", action="snapshot")).text
    await go(web, f"{here}/link")
    answer = await web(resource="browser", action="click", selector="a")
    assert "Private" in answer.text
    await web(resource="browser", action="reload")
    await web(resource="browser", action="back")
    answer = await web(resource="browser", action="forward")
    assert "Private" in answer.text


async def test_a_server_that_is_not_there_is_told(web, unused_port):
    call = {"resource": "browser", "action": "navigate", "url": f"http://127.0.0.1:{unused_port}/"}
    error = await web.fails(**call)
    assert error.code == "connection_refused"


async def test_the_proxy_is_no_target(launched):
    record = json.loads((launched.router.config.home / "profiles/nebo/running.json").read_text())
    url = f"http://127.0.0.1:{record['gate']['port']}/"
    error = await launched.fails(resource="browser", action="navigate", url=url)
    assert error.code == "own_port"


async def test_a_public_redirect_leads_to_no_server_that_was_gone_to(web, private, serve_site):
    back = Reply(status=302, headers={"Location": f"{PUBLIC}/redirect"})
    start = serve_site({"/": "<title>Start</title>", "/away": back})
    await go(web, f"{private}/page")
    for url in (f"{PUBLIC}/redirect", f"{start}/away"):
        await go(web, str(start))
        private.requests.clear()
        for action in ("navigate", "reload", "new_page"):
            call = {"resource": "browser", "action": action}
            error = await web.fails(**call, **({} if action == "reload" else {"url": url}))
            assert error.code == "more_private"
        script = "history.back(); setTimeout(() => history.forward(), 300)"
        await web(resource="browser", action="evaluate", text=script)
        await web(resource="browser", action="wait", value="1")
        assert private.requests == []
    await go(web, f"{private}/page")
    for action in ("reload", "back", "forward"):
        await web(resource="browser", action=action)
    assert "/page" in [request.path for request in private.requests]


async def held(web, start):
    """Have a navigation that is redirected to a private server wait for the answer to a dialog."""
    await go(web, start)
    await web(resource="browser", action="click", selector="button")
    answer = await go(web, f"{PUBLIC}/redirect")
    assert "A beforeunload dialog is open" in answer.text


@pytest.mark.parametrize("answer", ["dialog", "navigate", "reload"])
async def test_a_dialog_lets_a_redirect_lead_nowhere_else(web, private, serve_site, answer):
    start = serve_site({"/": ASKS})
    await go(web, f"{private}/page")
    await held(web, str(start))
    private.requests.clear()
    if answer == "reload":  # of the error page in the place of what was kept from the redirect
        error = await web.fails(resource="browser", action="reload")
        assert error.code == "more_private"
    else:
        where = {"url": str(start)} if answer == "navigate" else {}
        await web(resource="browser", action=answer, **where)
    assert private.requests == []


async def test_a_dialog_on_the_way_lets_a_redirect_lead_nowhere_else(web, private, serve_site):
    await go(web, f"{private}/page")
    await go(web, str(serve_site({"/": NAGS})))
    private.requests.clear()
    answer = await go(web, f"{PUBLIC}/late")
    assert "A confirm dialog is open" in answer.text
    await web(resource="browser", action="dialog")
    LATE.set()
    await web(resource="browser", action="wait", value="1")
    assert private.requests == []


async def test_a_navigation_that_a_dialog_held_arrives(web, private, serve_site):
    await go(web, str(serve_site({"/": ASKS})))
    await web(resource="browser", action="click", selector="button")
    await go(web, f"{private}/page")
    assert "Private" in (await web(resource="browser", action="dialog")).text


@pytest.mark.parametrize("way", ["reload", "navigate"])
async def test_a_navigation_is_over_when_its_dialog_is_dismissed(web, private, way):
    """One to a public site that went on would keep the history from the private server."""
    await go(web, f"{private}/fresh")
    await go(web, f"{PUBLIC}/asks")
    await web(resource="browser", action="click", selector="button")
    await web(resource="browser", action=way, **({"url": PUBLIC} if way == "navigate" else {}))
    await web(resource="browser", action="dialog", value="dismiss")
    private.requests.clear()
    script = "onbeforeunload = null; history.back(); 0"
    await web(resource="browser", action="evaluate", text=script)
    await web(resource="browser", action="wait", text="Private")
    assert "/fresh" in [request.path for request in private.requests]
