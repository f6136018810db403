"""Rules where something is in the way: workers with a cache, sockets, many requests, odd files."""

import asyncio
import json
from base64 import b64encode

import pytest

from tests.site.server import Reply

pytestmark = pytest.mark.anyio
CACHING = """oninstall = (e) => { skipWaiting(); e.waitUntil(caches.open("v1").then((c) =>
  c.put("/data", new Response("from the cache")))) };
onactivate = (e) => e.waitUntil(clients.claim());
onfetch = (e) => e.respondWith(caches.match(e.request).then((r) => r ?? fetch(e.request)));"""
GET = "fetch('/data').then(async (r) => r.status + ' ' + await r.text(), () => 'failed')"
CLAIMED = """new Promise((done) => {
  navigator.serviceWorker.oncontrollerchange = () => done(1);
  navigator.serviceWorker.register("/sw.js");
})"""
SOCKET = """new Promise((done) => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
})"""
MANY = 510


@pytest.fixture
def site(serve_site):
    worker = Reply(body=CACHING, headers={"Content-Type": "text/javascript"})
    return serve_site({"/": "<h1>Shop</h1>", "/sw.js": worker, "/data": "from the server"})


@pytest.fixture
async def there(page, site):
    await page("navigate", url=f"{site}/".replace("127.0.0.1", "localhost"))
    yield page
    await page("mock", value="clear")
    await page("emulate", value="off")


@pytest.mark.parametrize(
    ("rule", "seen"),
    [({"value": "500", "body": "mocked"}, "500 mocked"), ({"value": "block"}, "failed")],
)
async def test_a_service_worker_that_answers_from_its_cache(there, rule, seen):
    await there("evaluate", text=CLAIMED)
    assert "from the cache" in await there("evaluate", text=GET)
    await there("mock", url="*/data", **rule)
    assert seen in await there("evaluate", text=GET)
    await there("mock", value="clear")
    assert "from the cache" in await there("evaluate", text=GET)


async def test_a_socket_is_not_opened_while_offline(there, site):
    await there("emulate", value="offline")
    assert "refused" in await there("evaluate", text=SOCKET)
    assert "/socket" not in [each.path for each in site.requests]


async def test_five_hundred_requests_are_held_and_no_more(there, site):
    await there("mock", value="hold")
    send = f"""const all = Array.from({{length: {MANY}}}, (_, n) =>
      fetch("/data", {{method: "POST", body: String(n)}}).then(() => 0, () => 1));
    window.failed = 0; all.forEach((each) => each.then((n) => {{ window.failed += n }}));
      window.ended = Promise.all(all); 0"""
    await there("evaluate", text=send)
    await asyncio.sleep(1)
    held = await there("mock", max_tokens=25_000)
    assert held.count("Held h") == 500, held.count("Held h")
    assert f"{MANY - 500}" in await there("evaluate", text="window.failed")
    await there("mock", value="clear")
    assert str(MANY) in await there("evaluate", text="window.ended.then(() => window.failed)")
    assert not [each for each in site.requests if each.method == "POST"]


def entry(url, text, **content):
    """An entry as the tools below have in common."""
    return {
        "startedDateTime": "2026-01-02T03:04:05.678+01:00",
        "time": 12.5,
        "request": {
            "method": "GET",
            "url": url,
            "httpVersion": "HTTP/2",
            "cookies": [],
            "headers": [{"name": "Accept", "value": "*/*"}],
            "queryString": [],
            "headersSize": 300,
            "bodySize": 0,
        },
        "response": {
            "status": 200,
            "statusText": "OK",
            "httpVersion": "HTTP/2",
            "cookies": [],
            "headers": [
                {"name": "content-type", "value": "text/plain; charset=utf-8"},
                {"name": "content-encoding", "value": "br"},
                {"name": "content-length", "value": "3"},
            ],
            "content": {"mimeType": "text/plain; charset=utf-8", "size": 9, "text": text} | content,
            "redirectURL": "",
            "headersSize": 200,
            "bodySize": 3,
        },
        "cache": {},
        "timings": {"blocked": 0, "dns": -1, "connect": -1, "send": 0, "wait": 12, "receive": 0},
    }


def of_firefox(url):
    """As the network monitor of Firefox saves it: pages, an address, details of its own."""
    page = {"id": "page_1", "pageTimings": {"onContentLoad": 1, "onLoad": 2}, "title": url}
    page["startedDateTime"] = "2026-01-02T03:04:05.678+01:00"
    own = {"pageref": "page_1", "serverIPAddress": "127.0.0.1", "connection": "80"}
    own["_securityState"] = "insecure"
    log = {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"}}
    log |= {"browser": log["creator"], "pages": [page], "entries": [entry(url, "Grüße") | own]}
    return json.dumps({"log": log}, indent=2)


def of_charles(url):
    """As Charles exports it: everything in base64, with a BOM, entries before the version."""
    coded = entry(url, b64encode("Grüße".encode()).decode(), encoding="base64")
    coded["request"]["httpVersion"] = coded["response"]["httpVersion"] = "HTTP/1.1"
    log = {"entries": [coded], "comment": "", "creator": {"name": "Charles Proxy"}}
    return "\ufeff" + json.dumps({"log": log | {"version": "1.2"}})


@pytest.mark.parametrize("write", [of_firefox, of_charles])
async def test_a_har_of_another_tool(there, outputs, write):
    outputs.mkdir(parents=True, exist_ok=True)
    origin = json.loads((await there("evaluate", text="location.origin")).splitlines()[0])
    name = f"{write.__name__}.har"
    (outputs / name).write_text(write(f"{origin}/data"), "utf-8")
    assert "It has 1 answer." in await there("mock", value=f"from={name}")
    assert "200 Grüße" in await there("evaluate", text=GET)


async def test_a_har_of_300_mb(there, outputs):
    outputs.mkdir(parents=True, exist_ok=True)
    with (outputs / "large.har").open("wb") as file:
        file.write(b'{"log":{"entries":[')
        file.truncate(300_000_000)
    error = await there.fails("mock", value="from=large.har")
    assert "'large.har' is too large: 200,000,000 bytes are the limit." in str(error)
