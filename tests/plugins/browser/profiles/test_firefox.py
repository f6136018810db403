"""Driver `firefox`: a real Firefox, driven by the same engine over WebDriver BiDi."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from strap import ActionError, testing
from strap_browser.chromium.executables import find_firefox
from tests.site.server import Reply
from tests.support.caller import Caller
from tests.support.processes import command_of, descendants, gone
from tests.support.waiting import becomes, eventually


def _is_there() -> bool:
    try:
        find_firefox()
    except ActionError:
        return False
    return True


pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not _is_there(), reason="needs Firefox: strap browser install firefox"),
]
FOX = {"fox": {"driver": "firefox"}}
PAGE = """<!doctype html><title>Page</title><h1>Page</h1><input aria-label=Name>
<button onclick="this.textContent='Pressed'; console.error('boom')">Press</button>
<a href="/second" target=_blank>New window</a> <a href="/a.txt">Get</a>
<button onclick="document.title = confirm('Sure?')">Ask</button>
<button onclick="fetch('/more').then(() => this.textContent = 'Fetched')">Fetch</button>
<select aria-label=To><option>Peru<option>Chile</select><input type=file>
<div id=drag draggable=true>Drag</div><div id=drop>Drop</div>
<script>drag.ondragstart = (e) => e.dataTransfer.setData("text/plain", "it");
drop.ondragover = (e) => e.preventDefault();
drop.ondrop = (e) => drop.textContent = `Got ${e.dataTransfer.getData("text/plain")}`;</script>
<iframe src="OTHER/framed" title=Other></iframe>"""
FRAMED = """<!doctype html><button onclick="this.textContent='Hit'">In the frame</button>
<input aria-label=City>"""
FILE = Reply(headers={"Content-Disposition": 'attachment; filename="a.txt"'}, body="x" * 50)
LOCKED = Reply(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}, body="For members")


@pytest.fixture
def shop(serve_site):
    other = serve_site({"/framed": FRAMED})
    cross = str(other).replace("127.0.0.1", "localhost")
    return serve_site(
        {
            "/": PAGE.replace("OTHER", cross),
            "/second": "<title>Second</title><h1>Second</h1>",
            "/a.txt": FILE,
            "/more": "ok",
            "/locked": LOCKED,
            "/set": Reply(
                headers={"Set-Cookie": "who=me; Max-Age=9999"}, body="<title>Set</title>"
            ),
            "/old": Reply(status=302, headers={"Location": "/second"}),
            "/data.json": Reply(headers={"Content-Type": "application/json"}, body='{"a": 1}'),
        }
    )


@pytest.fixture(scope="module")
async def fox(tmp_path_factory, anyio_backend):
    """A Firefox for all tests of the module."""
    home = tmp_path_factory.mktemp("home")
    plugins = {"browser": {"headless": True, "profiles": FOX}}
    async with testing.router(home=home, network="local", plugins=plugins) as web:
        await web(resource="browser", action="launch", profile="fox")
        yield web


@pytest.fixture
async def call(fox, shop, request):
    """A caller with a page of its own, on the page of the shop."""
    caller = Caller(fox.as_caller(request.node.name, transport="stdio"), shop, profile="fox")
    await caller.open("/")
    yield caller
    for _ in (await caller("list_pages")).splitlines():
        await caller("close_page")


async def test_status(call):
    (entry,) = (await call.result("status")).data["profiles"]
    assert (entry["driver"], entry["running"], entry["experimental"]) == ("firefox", True, True)
    assert "guard" not in entry  # all that its pages do passes the guard
    assert "Firefox/" in await call.run("navigator.userAgent")


async def test_what_a_page_shows_and_what_comes_of_actions(call):
    shown = await call("snapshot")
    assert 'textbox "Name"' in shown
    assert 'combobox "To"' in shown
    await call("fill", selector="[aria-label=Name]", text="Ada")
    assert await call.run("document.querySelector('[aria-label=Name]').value") == "Ada"
    await call("type", selector="[aria-label=Name]", text=" L東")
    assert await call.run("document.querySelector('[aria-label=Name]').value") == "Ada L東"
    answer = await call("click", selector="text=Press")
    assert "Pressed" in answer
    assert "boom" in answer
    assert "Fetched" in await call("click", selector="text=Fetch")
    await call("select", selector="select", value="Chile")
    assert await call.run("document.querySelector('select').value") == "Chile"
    assert await call("evaluate", text="({a: [1, 'b', null]})") == '{"a":[1,"b",null]}'


async def test_two_clicks_are_no_double_click(call):
    heard = "heard = []; for (const type of ['click', 'dblclick']) addEventListener(type, (event)"
    await call("evaluate", text=f"{heard} => heard.push(type)); 0")
    await call("click", selector="h1")
    await call("click", selector="h1")
    assert await call.run("heard.splice(0)") == ["click", "click"]
    await call("click", selector="h1", value="double")
    assert await call.run("heard.splice(0)") == ["click", "click", "dblclick"]


async def test_keys_reach_a_drop_down_that_was_clicked(call):
    await call("click", selector="select")
    assert "Chile" in await call("press", key="ArrowDown")
    assert "Pressed" in await call("click", selector="text=Press")


async def test_frame_of_another_site(call):
    shown = await eventually_shown(call, "In the frame")
    assert 'textbox "City"' in shown
    assert "Hit" in await call("click", selector="iframe >> button")
    await call("fill", selector="iframe >> input", text="Oslo")
    assert 'textbox "City"' in (shown := await call("snapshot"))
    assert "Oslo" in shown


async def eventually_shown(call, text):
    """The snapshot, once it shows `text`: frames of other processes come a little later."""

    async def shown():
        snapshot = await call("snapshot")
        return snapshot if text in snapshot else ""

    return await eventually(shown)


async def test_dialogs(call):
    assert "A confirm dialog is open: 'Sure?'" in await call("click", selector="text=Ask")
    await call("dialog", value="accept")
    assert await call.run("document.title") == "true"
    await call("evaluate", text="addEventListener('beforeunload', (e) => e.preventDefault()); 0")
    await call("click", selector="[aria-label=Name]")
    await call("press", key="a")
    answer = await call("navigate", url=f"{call.site}/second")
    assert "beforeunload dialog is open" in answer
    assert "Second" in await call("dialog", value="accept")


async def test_windows(call):
    assert "A new page opened" in await call("click", selector="text=New window")
    pages = await call("list_pages")
    handle = next(line.split()[0] for line in pages.splitlines() if "/second" in line)
    assert "Second" in await call("snapshot", target_id=handle)
    await call("close_page", target_id=handle)
    assert "/second" not in await call("list_pages")


async def test_what_lies_at_the_edge_of_the_window_is_reached(call):
    style = "position: fixed; right: 0; bottom: 0"
    await call("evaluate", text=f"document.querySelector('button').style = '{style}'; 0")
    assert "Pressed" in await call("click", selector="button >> nth=0")
    await call("evaluate", text="document.querySelector('button').textContent = 'Again'; 0")
    await call("resize", width=1600, height=1100)
    assert "Pressed" in await call("click", selector="button >> nth=0")


async def test_no_window_of_its_own_is_in_the_way(call):
    """Neither the menu of the right button nor a preview of print."""
    await call("click", selector="h1", value="right")
    await call("evaluate", text="setTimeout(print); 0")
    assert "Pressed" in await call("click", selector="text=Press")


async def test_drag(call):
    assert "Got it" in await call("drag", selector="#drag", value="#drop")


async def test_history(call):
    assert "Second" in await call("navigate", url=f"{call.site}/second")
    assert "Page" in await call("back")
    assert "Second" in await call("forward")
    assert "Second" in await call("reload")
    error = await call.fails("forward")
    assert error.code == "no_history"


async def test_files(call):
    assert (await call.result("screenshot")).images
    await call("click", selector="text=Get")

    async def saved():
        return "(50 bytes)" in await call("downloads")

    await eventually(saved)
    assert "page.pdf" in await call("pdf", output="page.pdf")


async def test_cookies_and_traffic(call):
    await call("navigate", url=f"{call.site}/set")
    assert "who" in await call("cookies")
    told = await call("network")
    assert "GET 200 document" in told


async def test_what_servers_say(call, unused_port):
    assert "For members" in await call("navigate", url=f"{call.site}/locked")
    assert '{"a": 1}' in await call("navigate", url=f"{call.site}/data.json")
    error = await call.fails("navigate", url=f"http://127.0.0.1:{unused_port}/")
    assert "refused the connection" in str(error)


async def test_the_guard_holds_for_what_pages_do(call, serve_site):
    """A page of a public address would have to ask this machine: the proxy lets none through."""
    error = await call.fails("navigate", url="http://10.0.0.1/")
    assert error.code == "blocked_address"
    fetched = await call.run("fetch('http://10.0.0.1/').then(() => 'got', () => 'refused')")
    assert fetched == "refused"
    assert "blocked" in (await call("network"))


async def test_no_page_reaches_where_firefox_is_driven(call, fox):
    told = fox.router.config.home / "profiles" / "fox" / "firefox" / "WebDriverBiDiServer.json"
    port = json.loads(told.read_text())["ws_port"]
    for host in ("127.0.0.1", "localhost"):
        asks = f"""new Promise((done) => {{
          const socket = new WebSocket("ws://{host}:{port}/session");
          socket.onopen = () => done("open");
          socket.onerror = () => done("refused");
        }})"""
        assert await call.run(asks) == "refused"
    assert "own_port" in await call("network")


async def test_a_redirect_is_told(call):
    await call("navigate", url=f"{call.site}/old")
    assert "GET 302 document" in await call("network")


async def test_what_needs_chromium_is_refused_by_name(call):
    error = await call.fails("live")
    assert error.code == "unsupported"
    assert "is a Firefox" in str(error)
    answer = await call.result("eval", url=call.site, task="look")
    assert "the agent drives Chromium alone" in answer.data["summary"]


async def test_a_browser_that_is_killed(open_web, shop, home):
    async with open_web(profiles=FOX) as web:
        call = Caller(web, shop, profile="fox")
        await call("launch")
        await call.open("/")
        waiting = asyncio.ensure_future(call.fails("wait", text="never", timeout=20))
        await asyncio.sleep(0.5)
        for pid in _firefoxes(home):
            os.kill(pid, signal.SIGKILL)
        assert (await waiting).code == "page_lost"

        async def running():
            return (await call.result("status")).data["profiles"][0]["running"]

        await becomes(running, False)
        await call("launch")
        assert "Page" in await call.open("/")
        assert "stopped the browser" in await call("close")


def _firefoxes(home):
    """The processes of Firefox below `home`, without those of its pages."""
    numbers = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    own = f"{home}/profiles/fox/firefox".encode()
    return [pid for pid in numbers if own in command_of(pid).split(b"\0")]


LAUNCHING = """
import asyncio, sys
from pathlib import Path
from strap import testing

async def main(home):
    profiles = {"fox": {"driver": "firefox"}}
    plugins = {"browser": {"headless": True, "profiles": profiles}}
    async with testing.router(home=Path(home), network="local", plugins=plugins) as web:
        await web(resource="browser", action="launch", profile="fox")
        print("running", flush=True)
        await asyncio.sleep(60)

asyncio.run(main(sys.argv[1]))
"""


async def test_a_killed_process_leaves_no_firefox(home):
    """And none of another process is used, or hurt, meanwhile."""
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LAUNCHING, str(home), stdout=PIPE, stderr=PIPE
    )
    assert other.stdout
    assert await other.stdout.readline() == b"running\n"
    pids = _firefoxes(home)
    assert pids
    below = [child for pid in pids for child in descendants(pid)]
    plugins = {"browser": {"headless": True, "profiles": FOX}}
    async with testing.router(home=home, network="local", plugins=plugins) as web:
        error = await web.fails(resource="browser", action="launch", profile="fox")
        assert error.code == "profile_in_use"
        other.kill()
        await other.communicate()
        assert await asyncio.to_thread(gone, *pids, *below)
        await web(resource="browser", action="launch", profile="fox")


async def test_where_there_is_none(open_web, tmp_path):
    missing = {"fox": {"driver": "firefox", "firefox_path": str(tmp_path / "none")}}
    async with open_web(profiles=missing) as web:
        error = await web.fails(resource="browser", action="launch", profile="fox")
        assert error.code == "no_browser"
        assert "strap browser install firefox" in str(error)


async def test_logins_are_kept(open_web, shop):
    async with open_web(profiles=FOX) as web:
        call = Caller(web, shop, profile="fox")
        for path in ("set", ""):
            await call("launch")
            await call.open(path)
            kept = await call.run("document.cookie")
            await call("close")
        assert kept == "who=me"
