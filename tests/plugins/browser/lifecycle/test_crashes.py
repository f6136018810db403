"""A renderer, or the driver, that dies before or during a call ends it at once, with the truth."""

import asyncio
import json
import os
import signal
import threading
from urllib.request import urlopen

import pytest

from strap import StrapError, testing
from strap_browser.engine.browser_connection import BrowserConnection
from tests.plugins.browser.lifecycle.machine import browser_pid, renderers
from tests.support.browser import SETTINGS
from tests.support.caller import Caller
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio

HOME = """<title>Home</title><button id=b>Go</button><input id=i><div id=d draggable=true>x</div>
<select id=s><option>a<option>b</select><input type=file id=f><div id=e>y</div>"""
CALLS = [
    ("text", {}),
    ("screenshot", {}),
    ("click", {"selector": "#b"}),
    ("scroll", {"y": 300}),
    ("snapshot", {}),
    ("navigate", {"url": "/two"}),
    ("reload", {}),
    ("back", {}),
    ("wait", {"text": "never"}),
    ("wait", {"selector": "#never"}),
    ("wait", {"value": "idle"}),
    ("wait", {"value": "20"}),
    ("evaluate", {"text": "1"}),
    ("fill", {"selector": "#i", "value": "x"}),
    ("type", {"selector": "#i", "text": "abc"}),
    ("press", {"key": "Enter"}),
    ("drag", {"selector": "#d", "value": "#e"}),
    ("hover", {"selector": "#b"}),
    ("select", {"selector": "#s", "value": "b"}),
    ("upload", {"selector": "#f", "paths": ["a.txt"]}),
    ("pdf", {"output": "page.pdf"}),
    ("resize", {"width": 500, "height": 400}),
]
LOST_SOON = 15.0
"""Seconds: far below the time limit of a call, far above what a busy machine needs."""


@pytest.fixture
def home(common_home):
    return common_home


@pytest.fixture
def web(newcomer):
    return newcomer


@pytest.fixture
def site(serve_site, asked):
    release = threading.Event()

    def slow(request):
        asked.set()
        release.wait(20)
        return "<title>Slow</title>"

    yield serve_site({"/": HOME, "/two": "<title>Two</title>", "/slow": slow})
    release.set()


@pytest.fixture
def asked():
    """Set when the slow page is asked for."""
    return threading.Event()


@pytest.fixture
async def opened(common, browse, site):
    outputs = common.router.config.outputs
    outputs.mkdir(parents=True, exist_ok=True)
    (outputs / "a.txt").write_text("a")
    await browse("launch")
    await browse("navigate", url=f"{site}/two")
    await browse("navigate", url=site)


def ref_of_go(answer):
    """The ref of the button."""
    return answer.text.split('button "Go" ')[1].split()[0]


def send(pids, sign):
    for pid in pids:
        os.kill(pid, sign)


async def lost(call, site):
    """The error of a call that ends because its page did."""
    async with asyncio.timeout(LOST_SOON):
        error = await call
    assert error.code == "page_lost", error
    assert f"The page {site}/ crashed." in str(error)
    return error


async def outcome(call):
    """The error of a call, None if it worked."""
    try:
        await call
    except StrapError as error:
        return error
    return None


@pytest.mark.soak
async def test_a_renderer_killed_during_a_call_ends_it(common, home, site, opened):
    """Each action on a page of its own, all at once: to start a browser for each takes long."""
    callers = [Caller(common.as_caller(f"crowd{n}", transport="stdio")) for n in range(len(CALLS))]
    for caller in callers:
        await caller("navigate", url=f"{site}/two")
        await caller("navigate", url=site)
    pids = renderers(home)
    send(pids, signal.SIGSTOP)
    calls = {}
    for caller, (action, fields) in zip(callers, CALLS, strict=True):
        given = {k: f"{site}{v}" if k == "url" else v for k, v in fields.items()}
        call = caller.fails(action, timeout=60, **given)
        calls[f"{action} {fields}"] = asyncio.create_task(call)
    await asyncio.sleep(0.5)
    assert [name for name, call in calls.items() if call.done()] == []
    send(pids, signal.SIGKILL)
    for call in calls.values():
        await lost(call, site)
    for caller in callers:
        await common.router.end_session(f"local/{caller.web.caller.session}")


@pytest.mark.parametrize(
    "action",
    [
        "text",
        "navigate",
        *(pytest.param(a, marks=pytest.mark.soak) for a in ("reload", "wait", "click")),
    ],
)
async def test_a_renderer_killed_right_before_a_call_ends_it(
    browse, fails, home, site, opened, action
):
    fields = {"navigate": {"url": f"{site}/two"}, "click": {"selector": "#b"}}.get(action, {})
    send(renderers(home), signal.SIGKILL)
    call = asyncio.create_task(browse(action, timeout=60, **fields))
    async with asyncio.timeout(LOST_SOON):
        error = await outcome(call)
    if error:
        assert (error.code, error.retryable) == ("page_lost", action in ("navigate", "reload"))
    else:  # the new document came before anybody knew of the end of the old one
        assert action in ("navigate", "reload")
    answer = str(error) if error else call.result().text
    assert f"The page {site}/ crashed." in answer
    assert "Two" in (await browse("navigate", url=f"{site}/two")).text


async def test_refs_from_before_a_crash_of_the_browser(browse, fails, home, site, opened):
    """The page in the place of the lost one has its name; no other one ever has that of another."""
    await browse("new_page")
    lost_ref = ref_of_go(await browse("navigate", url=site))
    first, second = [page["id"] for page in (await browse("list_pages")).data]
    kept = ref_of_go(await browse("snapshot", target_id=first))
    send([browser_pid(home)], signal.SIGKILL)
    await outcome(fails("text"))
    await browse("navigate", url=f"{site}/two")
    assert (await fails("click", ref=kept)).code == "stale_ref"
    await browse("new_page")
    fresh = ref_of_go(await browse("navigate", url=site))
    third = (await browse("list_pages")).data[-1]["id"]
    assert len({kept, lost_ref, fresh}) == 3
    error = await fails("click", ref=lost_ref)
    assert error.code == "stale_ref"
    assert f"on page {second}, which is closed, not on this page, {third}" in str(error)


async def test_a_renderer_killed_while_the_server_is_slow_is_no_success(
    fails, home, site, opened, asked
):
    call = asyncio.create_task(fails("navigate", url=f"{site}/slow", timeout=60))
    await asyncio.to_thread(asked.wait, LOST_SOON)
    send(renderers(home), signal.SIGKILL)
    await lost(call, site)


async def test_what_is_held_is_dropped_with_its_renderer(browse, fails, home, site, opened):
    await browse("mock", value="hold")
    post = "fetch('/two', {method: 'POST'}).catch(() => 0); 1"
    await browse("evaluate", text=post)
    assert "Held h1" in (await browse("mock")).text
    send(renderers(home), signal.SIGKILL)
    await outcome(fails("text"))
    told = (await browse("navigate", url=f"{site}/two")).text
    told += (await browse("mock")).text
    assert "h1 is dropped with its page: not sent." in told
    assert "Held h1" not in told
    assert "POST" not in [each.method for each in site.requests]


async def test_a_batch_tells_at_which_step_the_page_was_lost(browse, home, site, opened):
    pids = renderers(home)
    send(pids, signal.SIGSTOP)
    call = asyncio.create_task(browse("batch", steps=["click selector=#b", "text"], timeout=60))
    await asyncio.sleep(0.2)
    send(pids, signal.SIGKILL)
    async with asyncio.timeout(LOST_SOON):
        told = (await call).text
    assert f"1. Failed: The page {site}/ crashed." in told


@pytest.mark.parametrize("url", ["/slow", "/"])
async def test_the_renderer_of_the_first_page_ends_a_call_as_well(tmp_path, site, asked, url):
    tables = {"browser": SETTINGS}
    async with testing.router(home=tmp_path, network="local", plugins=tables) as web:
        await web(resource="browser", action="launch")
        if url == "/slow":
            call = web.fails(resource="browser", action="navigate", url=f"{site}{url}", timeout=60)
            task = asyncio.create_task(call)
            await asyncio.to_thread(asked.wait, LOST_SOON)
        else:
            await web(resource="browser", action="navigate", url=f"{site}{url}")
            task = asyncio.create_task(web.fails(resource="browser", action="text", timeout=60))
        send(renderers(tmp_path), signal.SIGKILL)
        async with asyncio.timeout(LOST_SOON):
            assert (await task).code == "page_lost"
        assert "Two" in (await web(resource="browser", action="navigate", url=f"{site}/two")).text


async def test_a_page_that_crashed_is_closed_when_another_one_is_there(browse, home, site):
    address = (await browse("launch")).data["profiles"][0]["cdp_url"]

    async def pages():
        with await asyncio.to_thread(urlopen, f"{address}/json/list") as told:
            return [each["url"] for each in json.load(told) if each["url"].startswith(str(site))]

    for _ in range(2):
        await browse("navigate", url=f"{site}/two")
        send(renderers(home), signal.SIGKILL)
        await eventually(lambda: crashed(browse))
        assert "Two" in (await browse("navigate", url=f"{site}/two")).text
        await becomes(pages, [f"{site}/two"])


async def crashed(browse):
    return "crashed" in (await browse("list_pages")).text


async def test_a_frame_whose_process_dies_is_told_and_its_page_goes_on(browse, home, serve_site):
    inner = serve_site({"/": "<button>Inside</button>"})
    other = str(inner).replace("127.0.0.1", "localhost")
    site = serve_site({"/": f"<button>Outside</button><iframe src={other}/></iframe>"})
    await browse("launch")
    await browse("navigate", url=site)
    assert "Inside" in (await browse("snapshot")).text
    os.kill(max(renderers(home)), signal.SIGKILL)  # the one that was started last
    told = f"The frame {other}/ crashed: it is empty until it is reloaded."

    async def noticed():
        return told in (await browse("snapshot")).text

    await eventually(noticed)
    assert "Outside" in (await browse("text")).text
    assert "Clicked" in (await browse("click", selector="button")).text
    answer = await browse("evaluate", text="document.querySelector('iframe').src += '?again'")
    assert "Inside" in answer.text or "Inside" in (await browse("wait", text="Inside")).text
    assert "Inside" in (await browse("text")).text


async def test_a_browser_that_ends_as_a_lost_page_is_replaced(
    browse, fails, home, site, opened, monkeypatch
):
    """As where both were killed at once; the call goes on in the browser that comes after it."""
    new_page = BrowserConnection.new_page

    async def ended(self, *given):
        monkeypatch.undo()
        os.kill(browser_pid(home), signal.SIGKILL)
        return await new_page(self, *given)

    monkeypatch.setattr(BrowserConnection, "new_page", ended)
    send(renderers(home), signal.SIGKILL)
    error = await fails("snapshot")
    assert error.code == "page_lost", error
    assert "Home" in (await browse("navigate", url=site)).text
