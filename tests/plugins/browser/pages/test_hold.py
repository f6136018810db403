"""Requests that wait: told in words, sent or dropped, and never sent unasked."""

import asyncio
import re
import time

import pytest

from strap_browser.interaction.settle import NAVIGATION_LIMIT
from tests.site.server import Reply
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
FORM = """<title>Shop</title><h1>Shop</h1><form method=post action=/order>
<input name=item value=spade>
<input type=password name=password value=hunter2><button id=go>Buy</button></form>
<form method=post action=/order target=_blank>
<input name=item value=rake><button id=new>New</button>
</form><form method=post action=/file enctype=multipart/form-data><input name=note value=hello>
<button id=file>File</button></form>
<button id=json onclick="post('/order', JSON.stringify({item: 'hoe', qty: 1}))">Json</button>
<button id=put onclick="fetch('/order', {method: 'PUT', body: 'raw'})">Put</button>
<button id=delete onclick="fetch('/order', {method: 'DELETE'})">Delete</button>
<button id=beacon onclick="navigator.sendBeacon('/order', 'x=1')">Beacon</button>
<button id=alive onclick="fetch('/order',
  {method: 'POST', keepalive: true, body: 'a'})">Keep</button>
<button id=two onclick="post('/order', JSON.stringify({n: 1}));
  post('/order', JSON.stringify({n: 2}))">Two</button>
<script>const post = (url, body) => fetch(url, {method: 'POST', body,
  headers: {'Content-Type': 'application/json'}});</script>"""
WAYS = [
    ("go", r'POST http://\S+/order \{"item": "spade", "password": "••••"\}'),
    ("new", r'POST http://\S+/order \{"item": "rake"\}'),
    ("file", r'POST http://\S+/file \{"note": "hello"\}'),
    ("json", r'POST http://\S+/order \{"item": "hoe", "qty": 1\}'),
    ("put", r"PUT http://\S+/order \(3 bytes of text/plain\)"),
    ("delete", r"DELETE http://\S+/order"),
    ("beacon", r"POST http://\S+/order"),
    ("alive", r"POST http://\S+/order"),
]


@pytest.fixture
def site(serve_site):
    return serve_site({"/": FORM, "/order": "<h1>Ordered</h1>", "/file": "<h1>Kept</h1>"})


@pytest.fixture
async def holds(page, site):
    await page("navigate", url=f"{site}/")
    assert "wait" in await page("mock", value="hold")
    yield page
    await page("mock", value="clear")


def sent(site):
    return [each for each in site.requests if each.method not in ("GET", "OPTIONS")]


@pytest.mark.parametrize(("button", "words"), WAYS)
async def test_the_answer_tells_what_would_be_sent(holds, site, button, words):
    said = await holds("click", selector=f"#{button}")
    if "Held" not in said:  # what leaves the page is told by the next answer at the latest
        said = await holds("mock")
    assert re.search(rf"Held h\d+: {words}", said), said
    assert "hunter2" not in said
    assert not sent(site)
    assert (await holds("mock", value="send")).startswith("Sent h")
    assert await eventually(lambda: asyncio.sleep(0, sent(site)))
    assert len(sent(site)) == 1


async def test_a_click_does_not_wait_for_what_is_held(holds):
    began = time.monotonic()
    assert "Held h" in await holds("click", selector="#go")
    assert time.monotonic() - began < NAVIGATION_LIMIT


async def test_a_service_worker_sends_nothing(page, serve_site):
    script = (
        "onfetch = (e) => e.respondWith(fetch(e.request)); onactivate = (e) =>"
        " e.waitUntil(clients.claim());"
    )
    worker = Reply(body=script, headers={"Content-Type": "text/javascript"})
    site = serve_site({"/": FORM, "/sw.js": worker, "/order": "ok"})
    await page("navigate", url=f"{site}/".replace("127.0.0.1", "localhost"))
    ready = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
    claimed = "new Promise(r => navigator.serviceWorker.oncontrollerchange = r)"
    await page("evaluate", text=f"Promise.all([{claimed}, {ready}]).then(() => 1)")
    await page("mock", value="hold")
    await page("click", selector="#json")
    assert "Held h" in await page("mock")
    assert not sent(site)
    await page("mock", value="clear")
    assert not sent(site)


async def test_what_is_dropped_is_not_sent(holds, site):
    await holds("click", selector="#json")
    assert "Dropped, not sent, h" in await holds("mock", value="drop")
    assert (await holds.fails("mock", value="send")).code == "unknown_ref"
    await holds("click", selector="#go")
    await holds("mock", value="clear")
    await holds("snapshot")
    assert not sent(site)


async def test_one_of_several_is_named(holds, site):
    await holds("click", selector="#two")
    error = await holds.fails("mock", value="send")
    first, second = re.findall(r"(h\d+): POST \S+ \{", str(error))
    await holds("mock", value=f"send={second}")
    assert await eventually(lambda: asyncio.sleep(0, sent(site)))
    assert [each.body for each in sent(site)] == [b'{"n":2}']
    await holds("mock", value=f"drop={first}")


@pytest.mark.parametrize("button", ["json", "alive", "beacon"])
@pytest.mark.parametrize("how", ["close_page", "close", "window"])
async def test_a_page_that_closes_sends_nothing(page, site, how, button):
    await page("navigate", url=f"{site}/")
    if how == "window":
        await page("new_page", url=f"{site}/")
    await page("mock", value="hold")
    assert "Held h1" in await page("click", selector=f"#{button}")
    if how == "window":
        await page("evaluate", text="setTimeout(() => window.close(), 0); 0")
    else:
        await page(how)
        await page("launch")
        await page("new_page")
    await asyncio.sleep(0.4)
    assert not sent(site)
    await page("mock", value="clear")


async def test_what_is_mocked_is_not_held(holds, site):
    await holds("mock", url="*/order", value="200", body="mocked")
    await holds("navigate", url=f"{site}/")  # a document whose requests the browser holds too
    post = "fetch('/order', {method: 'POST'}).then(r => r.text())"
    assert "mocked" in await holds("evaluate", text=post)
    await holds("mock", url="*/order", value="clear")
    assert "Held h" in await holds("click", selector="#json")
    assert (await holds("mock", value="send")).startswith("Sent h")
    assert await eventually(lambda: asyncio.sleep(0, sent(site)))
    assert "No request is held" in str(await holds.fails("mock", value="send"))
    assert len(sent(site)) == 1


async def test_a_worker_that_pages_share_sends_nothing(page, serve_site):
    script = "onconnect = (e) => fetch('/order', {method: 'POST', body: 'shared'})"
    worker = Reply(body=script, headers={"Content-Type": "text/javascript"})
    site = serve_site({"/": FORM, "/w.js": worker, "/order": "ok"})
    await page("navigate", url=f"{site}/")
    await page("mock", value="hold")
    await page("evaluate", text="new SharedWorker('/w.js'); 0")
    assert await eventually(lambda: held_by(page))
    assert not sent(site)
    await page("mock", value="clear")
    assert not sent(site)


async def held_by(page):
    return "Held h" in await page("mock")


async def test_a_page_that_tries_again_without_end(page, site):
    await page("navigate", url=f"{site}/")
    await page("mock", value="hold")
    again = "(go = (n) => fetch('/order', {method: 'POST', keepalive: true, body: n}).catch(go))(0)"
    await page("navigate", url=f"{site}/")
    assert "Held h" in await page("evaluate", text=f"void {again}; 0")
    await page("new_page")
    await page("close_page", target_id=re.search(r"t\d+", await page("list_pages"))[0])
    await asyncio.sleep(0.5)
    assert not sent(site)
    await page("mock", value="clear")
    assert not sent(site)


async def test_a_service_worker_that_runs_already_sends_nothing(page, serve_site):
    script = "onmessage = () => fetch('/order', {method: 'POST', body: 'worker'})"
    worker = Reply(body=script, headers={"Content-Type": "text/javascript"})
    site = serve_site({"/": FORM, "/sw.js": worker, "/order": "ok"})
    await page("navigate", url=f"{site}/".replace("127.0.0.1", "localhost"))
    tell = "navigator.serviceWorker.ready.then(r => r.active.postMessage(1)).then(() => 1)"
    await page("evaluate", text=f"navigator.serviceWorker.register('/sw.js'); {tell}")
    assert await eventually(lambda: asyncio.sleep(0, sent(site)))
    await page("mock", value="hold")
    await page("evaluate", text=tell)
    assert await eventually(lambda: held_by(page))
    assert len(sent(site)) == 1
    await page("mock", value="clear")
    assert len(sent(site)) == 1
