"""Attacks by pages of other sites in the same browser, and the rest of the list of attacks."""

import asyncio
import json

import pytest
from playwright.async_api import async_playwright
from websockets.exceptions import InvalidStatus

from tests.support.caller import Caller
from tests.support.chromium import LEAN
from tests.support.waiting import becomes

from .test_attacks import MALFORMED, NOT_ADMITTED, TOO_MANY, closed_with, get
from .watcher import Person, address, knocking, watching

pytestmark = pytest.mark.anyio
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}
TRIES = """async (port) => {
  const at = `http://127.0.0.1:${port}`, told = {};
  const loads = (name, node, key, url) => new Promise((done) => {
    node.onload = () => done(told[name] = 'got');
    node.onerror = () => done(told[name] = 'refused');
    node[key] = url;
    document.body.append(node);
  });
  for (const mode of ['cors', 'no-cors'])
    told[mode] = await fetch(`${at}/app.js`, {mode})
      .then((a) => a.status || 'opaque', () => 'refused');
  await loads('script', document.createElement('script'), 'src', `${at}/app.js`);
  await loads('image', new Image(), 'src', `${at}/icon.svg`);
  told.socket = await new Promise((done) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
    socket.onopen = () => done('got');
    socket.onerror = () => done('refused');
  });
  const opened = window.open(`${at}/`);
  await new Promise((done) => setTimeout(done, 500));
  try { told.window = String(opened.document.title); } catch { told.window = 'refused'; }
  try { told.closed = opened.closed; } catch { told.closed = 'refused'; }
  return told;
}"""
DIALOG = """<!doctype html><title>Says</title><script>
confirm('\u202e<img src=x onerror=alert(1)>' + 'x'.repeat(1e6))</script>"""


async def test_a_page_of_another_site_gets_nothing(serve_site, link):
    made = await link()
    port, _ = address(made)
    other = serve_site({"/": "<title>Other</title><body>"})
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[LEAN])
        page = await browser.new_page()
        await page.goto(f"{str(other).replace('127.0.0.1', 'localhost')}/")
        told = await page.evaluate(TRIES, port)
        await page.evaluate(
            "(port) => { const form = document.createElement('form');"
            " form.method = 'post'; form.action = `http://127.0.0.1:${port}/`;"
            " document.body.append(form); form.submit() }",
            port,
        )
        await browser.close()
    # Of a window only that it is there: the page keeps itself apart (Cross-Origin-Opener-Policy).
    assert told == {
        "cors": "refused",
        "no-cors": "refused",
        "script": "refused",
        "image": "refused",
        "socket": "refused",
        "window": told["window"],
        "closed": told["closed"],
    }
    assert "strap" not in told["window"]
    async with watching(made):
        pass  # nobody has used the ticket


async def test_two_origins_are_none(link):
    port, _ = address(await link())
    own = f"http://127.0.0.1:{port}"
    status, _, _ = await get(port, "/socket", Origin=[own, "https://evil.example"], **UPGRADE)
    assert status == 403


async def test_only_get_is_answered(link):
    port, _ = address(await link())
    for method in ("POST", "PUT", "OPTIONS"):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.read(200)
        assert b"strap live" not in answer
        assert b" 200 " not in answer
        writer.close()


async def test_half_a_request_is_waited_for_five_seconds(link):
    made = await link()
    port, _ = address(made)
    slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(30)]
    for _, writer in slow:
        writer.write(b"GET /socket HTTP/1.1\r\nHo")
    async with watching(made):  # nobody is kept out meanwhile
        for reader, writer in slow:
            await asyncio.wait_for(reader.read(), 20)
            writer.close()


async def test_neither_ticket_nor_key_is_logged(link, caplog):
    caplog.set_level("DEBUG")
    made = await link()
    async with watching(made) as viewer:
        key = viewer.last("welcome")["key"]
    port, ticket = address(made)
    async with knocking(port) as socket:
        await socket.send(json.dumps({"type": "hello", "v": 1, "key": "k" * 43}))
        assert await closed_with(socket) == NOT_ADMITTED
    logged = "\n".join(
        record.getMessage()
        for record in caplog.records
        if not record.name.startswith("websockets.client")
    )
    assert ticket not in logged
    assert key not in logged


async def test_one_viewer_too_many_is_turned_away(open_web, site):
    async with open_web(live={"viewers": 1}) as web:
        caller = Caller(web, site)
        first, second = [(await caller.result("live")).data["url"] for _ in range(2)]
        async with watching(first):
            port, ticket = address(second)
            async with knocking(port) as socket:
                await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
                assert await closed_with(socket) == TOO_MANY


async def test_no_page_of_the_agents_frames_the_live_page(caller, link):
    port, _ = address(await link())
    shown = await caller.run(
        "new Promise((done) => { const f = document.createElement('iframe');"
        f" f.src = 'http://127.0.0.1:{port}/'; f.onload = () => {{ try {{"
        " done(f.contentDocument ? 'own' : 'foreign'); } catch { done('foreign'); } };"
        " document.body.append(f); setTimeout(() => done('nothing'), 3000); })"
    )
    assert shown != "own"
    with pytest.raises(InvalidStatus):
        async with knocking(port, origin="null"):
            pass


async def test_a_dialog_of_a_megabyte_is_told_short_and_turns_nothing_around(
    caller, link, serve_site
):
    own = serve_site({"/": DIALOG})
    async with watching(await link()) as viewer:
        person = Person(viewer, await viewer.open())
        await viewer.picture()
        await person.order("take", "held")
        await person.do("go", to="url", url=f"{own}/")
        told = await viewer.next("place", lambda told: told["dialog"])
        text = told["dialog"]["text"]
        assert text.startswith("<img")
        assert len(text) <= 600
        await person.do("dialog", accept=True)
        await becomes(lambda: person.now["dialog"], None)
        await person.order("give", "agent")


@pytest.mark.parametrize("half", ['{"type": "ack", "seq"', '{"type":"run","id":"' + "0" * 36])
async def test_half_a_message_ends_the_connection(link, half):
    async with watching(await link()) as viewer:
        await viewer.socket.send(half)
        await viewer.socket.wait_closed()
        assert viewer.socket.close_code == MALFORMED
