"""Playwright drives real pages through the relay, alone and beside others."""

import asyncio
import base64
import json

import pytest
from websockets.asyncio.client import connect as dial
from websockets.exceptions import ConnectionClosed

from strap_browser.relay.access.pairing import bearer
from strap_live.pictures.frames import size_of
from tests.plugins.browser.relay import scripted
from tests.support.waiting import becomes

pytestmark = pytest.mark.anyio
FRAME = "<iframe src='{}/inner' name='inner'></iframe>"
INNER = "<title>Inner</title><button onclick=\"this.textContent='Pressed'\">Press</button>"
WORKER = """<script>
const code = new Blob(["onmessage = (event) => postMessage(event.data * 2)"]);
const worker = new Worker(URL.createObjectURL(code));
worker.onmessage = (event) => { document.title = "got " + event.data; };
worker.postMessage(21);
</script>"""


MOVING = """<title>Moving</title><style>h1 { animation: go 1s infinite alternate linear }
@keyframes go { to { transform: translateX(300px) } }</style><h1>Here</h1>"""


async def first_page(browser):
    await becomes(lambda: len(browser.contexts[0].pages) > 0)
    return browser.contexts[0].pages[0]


async def test_playwright_sees_the_granted_tabs_and_works_in_them(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title><button onclick=\"this.textContent='Yes'\">No"})
    await extension.grant(f"{site}/")
    browser = await connect()
    page = await first_page(browser)
    assert await page.title() == "Home"
    await page.click("button")
    assert await page.inner_text("button") == "Yes"
    assert "Browser.setDownloadBehavior" not in extension.asked
    await page.screenshot()


class Casting:
    """A client that looks at a page; `widths` are those of the pictures."""

    def __init__(self, session):
        self.session = session
        self.widths = []
        session.on("Page.screencastFrame", self._frame)

    async def start(self, most):
        await self.session.send("Page.startScreencast", {"format": "jpeg", "maxWidth": most})

    def _frame(self, told):
        self.widths.append(size_of(base64.b64decode(told["data"]))[0])
        number = {"sessionId": told["sessionId"]}
        work = asyncio.ensure_future(self.session.send("Page.screencastFrameAck", number))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())  # the page closes


async def casting(page):
    return Casting(await page.context.new_cdp_session(page))


async def test_frames_of_another_site_and_workers_are_reached(connect, extension, serve_site):
    inner = serve_site({"/inner": INNER})
    other = str(inner).replace("127.0.0.1", "localhost")
    outer = serve_site({"/": FRAME.format(other), "/worker": WORKER})
    await extension.grant(f"{outer}/")
    page = await first_page(await connect())
    await page.frame_locator("iframe").get_by_role("button").click()
    assert await page.frame_locator("iframe").get_by_role("button").inner_text() == "Pressed"
    await page.goto(f"{outer}/worker")
    await becomes(page.title, "got 42")
    await becomes(lambda: len(page.workers), 1)
    assert await page.workers[0].evaluate("6 * 7") == 42


async def test_a_dialog_is_answered_while_a_command_waits_for_it(connect, extension, serve_site):
    site = serve_site({"/": "<title>Ask</title>"})
    await extension.grant(f"{site}/")
    page = await first_page(await connect())
    page.once("dialog", lambda dialog: dialog.accept("Ada"))
    assert await page.evaluate("prompt('Who?')") == "Ada"


async def test_a_tab_granted_later_and_a_popup_join(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title>", "/popup": "<title>Popup</title>"})
    browser = await connect()
    number = await extension.grant(f"{site}/")
    page = await first_page(browser)
    await becomes(lambda: extension.asked.count("attach"), 1)
    async with page.expect_popup() as opened:
        await page.evaluate("void 0")
        await extension.grant(f"{site}/popup", openerTabId=number)
    popup = await opened.value
    await becomes(popup.title, "Popup")
    assert await popup.opener() is page
    fresh = await browser.contexts[0].new_page()
    await fresh.goto(f"{site}/popup")
    assert await fresh.title() == "Popup"
    assert len(browser.contexts[0].pages) == 3
    await fresh.close()
    await becomes(lambda: len(browser.contexts[0].pages), 2)


async def test_a_tab_that_is_taken_back_is_gone_at_once(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    number = await extension.grant(f"{site}/")
    browser = await connect()
    page = await first_page(browser)
    await extension.revoke(number)
    await becomes(page.is_closed)
    assert browser.contexts[0].pages == []
    assert browser.is_connected()


async def test_a_page_that_may_not_be_debugged_comes_back(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    number = await extension.grant(f"{site}/")
    browser = await connect()
    page = await first_page(browser)
    await extension.lose(number)
    await becomes(page.is_closed)
    await extension.regain(number)
    again = await first_page(browser)
    assert again is not page
    assert await again.title() == "Home"


async def test_a_tab_at_such_a_page_is_there_when_the_user_leaves_it(connect, extension):
    extension.closed_off.add(101)
    assert await extension.grant() == 101
    await extension.grant()
    browser = await connect()
    await becomes(lambda: len(browser.contexts[0].pages), 1)
    await extension.regain(101)
    await becomes(lambda: len(browser.contexts[0].pages), 2)
    for page in browser.contexts[0].pages:
        assert await page.evaluate("1 + 1") == 2


async def test_who_reads_nothing_is_cut_off(relay, pairing, extension, monkeypatch):
    from strap_browser.relay import outbox

    monkeypatch.setattr(outbox, "MOST_BYTES", 1_000_000)
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    headers = bearer(pairing.read())
    deaf = {"max_queue": 1, "close_timeout": 0.1}  # nor does it hear the end
    async with dial(address, additional_headers=headers, proxy=None, **deaf) as socket:
        socket.transport.pause_reading()
        (client,) = relay.hub.clients
        for _ in range(2_000):
            client.event("Page.noise", {"text": "x" * 50_000})
            await asyncio.sleep(0)
            if client.outbox.closed:
                break
        assert client.outbox.closed
        await becomes(lambda: len(relay.hub.clients), 0)


async def test_two_clients_see_a_tab_as_large_as_either_wishes(connect, extension, serve_site):
    site = serve_site({"/": MOVING})
    await extension.grant(f"{site}/")
    small, large = [await casting(await first_page(await connect())) for _ in range(2)]
    await small.start(100)
    await becomes(lambda: len(small.widths) > 1)
    assert set(small.widths) == {100}
    await large.start(400)
    await becomes(lambda: {*small.widths[-1:], *large.widths[-1:]}, {400})
    small.widths.clear()
    await large.session.send("Page.stopScreencast")
    await becomes(lambda: small.widths[-1:], [100])
    extension.asked.clear()
    await small.session.detach()
    await becomes(lambda: "Page.stopScreencast" in extension.asked)
    assert "Page.startScreencast" not in extension.asked


async def test_two_clients_share_a_tab(connect, extension, serve_site):
    """Each is told all that it would be told if it were alone."""
    inner = serve_site({"/inner": INNER})
    other = str(inner).replace("127.0.0.1", "localhost")
    site = serve_site({"/": f"<title>Home</title>{FRAME.format(other)}", "/next": "<title>Next"})
    await extension.grant(f"{site}/")
    first, second = await connect(), await connect()
    one, two = await first_page(first), await first_page(second)
    await one.evaluate("window.n = 1")
    assert await two.evaluate("window.n") == 1
    for page in (two, one):
        assert await page.frame_locator("iframe").get_by_role("button").inner_text() == "Press"
    await one.goto(f"{site}/next")
    await becomes(two.title, "Next")
    await first.close()
    assert await two.evaluate("document.title") == "Next"
    await two.goto(f"{site}/")
    assert await two.frame_locator("iframe").get_by_role("button").inner_text() == "Press"
    assert extension.asked.count("attach") == 1
    await second.close()
    await becomes(lambda: extension.asked.count("detach"), 1)


async def test_two_clients_work_on_different_tabs_at_once(connect, extension, serve_site):
    site = serve_site({"/a": "<title>A</title>", "/b": "<title>B</title>"})
    for name in "ab":
        await extension.grant(f"{site}/{name}")

    async def work(name):
        browser = await connect()
        await becomes(lambda: len(browser.contexts[0].pages), 2)
        (page,) = [page for page in browser.contexts[0].pages if page.url.endswith(name)]
        for number in range(20):
            assert await page.evaluate(f"document.title + {number}") == f"{name.upper()}{number}"
        await browser.close()

    await asyncio.gather(work("a"), work("b"))


@pytest.mark.soak
async def test_fifty_connects_in_a_row(connect, extension, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    await extension.grant(f"{site}/")
    for number in range(50):
        browser = await connect()
        page = await first_page(browser)
        assert await page.evaluate(f"{number} + 1") == number + 1
        await browser.close()
    await becomes(lambda: extension.asked.count("detach"), 50)


async def test_the_extension_goes_and_comes_again(connect, extension, relay, pairing, chromium):
    browser = await connect()
    async with scripted.extension(relay.port, pairing.read(), chromium) as newer:
        await becomes(lambda: not browser.is_connected())
        await asyncio.wait_for(extension.ended.wait(), 10)
        assert extension._socket.close_code == 4409
        await newer.grant()
        again = await connect()
        page = await first_page(again)
        assert await page.evaluate("1 + 1") == 2
    await becomes(lambda: not again.is_connected())


async def test_a_new_pairing_ends_what_the_old_one_allowed(relay, pairing, monkeypatch, connect):
    from strap_browser.relay import server

    monkeypatch.setattr(server, "PING", 0.05)
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    async with dial(address, additional_headers=bearer(pairing.read()), proxy=None) as socket:
        pairing.renew()
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 4401


async def test_a_screenshot_of_many_megabytes_passes(relay, pairing, extension):
    await extension.grant()
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    headers = bearer(pairing.read())
    async with dial(
        address, additional_headers=headers, proxy=None, max_size=None, ping_interval=None
    ) as socket:
        auto = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        await socket.send(json.dumps({"id": 1, "method": "Target.setAutoAttach", "params": auto}))
        session = ""
        while not session:
            session = json.loads(await socket.recv()).get("params", {}).get("sessionId", "")
        params = {"expression": "'x'.repeat(30000000)", "returnByValue": True}
        message = {"id": 2, "method": "Runtime.evaluate", "params": params, "sessionId": session}
        await socket.send(json.dumps(message))
        while (answer := json.loads(await socket.recv())).get("id") != 2:
            pass
        assert len(answer["result"]["result"]["value"]) == 30_000_000
