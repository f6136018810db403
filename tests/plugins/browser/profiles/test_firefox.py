"""Driver `firefox`: a real Firefox, driven by the same engine over WebDriver BiDi."""

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path

import pytest

from strap import ActionError, testing
from strap_browser.chromium.executables import find_firefox
from tests.support.caller import Caller
from tests.support.processes import command_of, descendants, gone
from tests.support.waiting import eventually


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


@pytest.fixture(scope="module")
async def fox(tmp_path_factory, anyio_backend):
    """A Firefox for all tests of the module."""
    home = tmp_path_factory.mktemp("home")
    plugins = {"browser": {"headless": True, "profiles": FOX}}
    async with testing.router(home=home, network="local", plugins=plugins) as web:
        await web(resource="browser", action="launch", profile="fox")
        yield web


@pytest.fixture
async def call(fox, shop):
    """A caller on the page of the shop; tests share one page, as a window takes time."""
    caller = Caller(fox, shop, profile="fox")
    await caller.open("/")
    return caller


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


async def test_what_is_typed_replaces_what_is_selected(call):
    name = "[aria-label=Name]"
    await call("fill", selector=name, text="Ada")
    assert 'Selected: "Ada"' in await call("press", selector=name, key="Control+A")
    await call("type", selector=name, text="Bob")
    assert await call.run(f"document.querySelector('{name}').value") == "Bob"


async def test_no_text_is_for_what_took_the_focus(call):
    other = "document.querySelector('[aria-label=Name]')"
    await call("evaluate", text="document.body.append(mine = document.createElement('input')); 0")
    await call("evaluate", text=f"mine.onfocus = () => queueMicrotask(() => {other}.focus()); 0")
    error = await call.fails("fill", selector="body > input:last-child", text="secret")
    assert error.code == "focus_lost"
    assert await call.run(f"{other}.value") == ""


async def test_a_document_that_is_edited_as_a_whole(call, serve_site):
    page = (
        "<iframe title=Letter srcdoc='<body onload=document.designMode=`on`><p>old</p>'></iframe>"
    )
    await call("navigate", url=serve_site({"/": page}))
    await call("wait", value="idle")
    assert await call("fill", selector="iframe", value="new") == "Filled 'iframe'."
    assert ": new" in await call("snapshot")


async def test_two_clicks_are_no_double_click(call):
    heard = "heard = []; for (const type of ['click', 'dblclick']) addEventListener(type, (event)"
    await call("evaluate", text=f"{heard} => heard.push(type)); 0")
    await call("click", selector="h1")
    await call("click", selector="h1")
    assert await call.run("heard.splice(0)") == ["click", "click"]
    await call("click", selector="h1", value="double")
    assert await call.run("heard.splice(0)") == ["click", "click", "dblclick"]


async def test_keys_reach_a_drop_down_that_was_clicked(call):
    assert "no click" not in await call("click", selector="select")
    assert "Chile" in await call("press", key="ArrowDown")
    assert "Pressed" in await call("click", selector="text=Press")


async def test_frame_of_another_site(call):
    shown = await call.until("In the frame")
    assert 'textbox "City"' in shown
    assert "Hit" in await call("click", selector="iframe >> button")
    await call("fill", selector="iframe >> input", text="Oslo")
    assert 'textbox "City"' in (shown := await call("snapshot"))
    assert "Oslo" in shown


async def test_frame_of_another_site_in_a_shadow_root(call, shop, serve_site):
    """And one of the same site after it, which is another one for its number."""
    inner = str(shop).replace("127.0.0.1", "localhost")
    page = f"""<div><template shadowrootmode=open><iframe src="{inner}/locked"></iframe></template>
      </div><iframe src=/own></iframe>"""
    own = "<p>Of this site</p>"
    await call("navigate", url=serve_site({"/": page, "/own": own}))
    shown = await call.until("For members")
    assert shown.index("For members") < shown.index("Of this site")


async def test_dialogs(call):
    assert "A confirm dialog is open: 'Sure?'" in await call("click", selector="text=Ask")
    await call("dialog", value="accept")
    assert await call.run("document.title") == "true"
    for leave in (call("dialog", value="accept"), call.open("/second")):
        await call.open("/")
        asks = "addEventListener('beforeunload', (e) => e.preventDefault()); 0"
        await call("evaluate", text=asks)
        await call("fill", selector="[aria-label=Name]", text="not sent")
        assert "beforeunload dialog is open" in await call.open("/second")
        assert "Second" in await leave


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


async def test_what_custom_elements_say_of_themselves(call, serve_site):
    page = """<label for=it>Large</label><x-it id=it tabindex=0>L</x-it>
      <script>customElements.define("x-it",
      class extends HTMLElement {
        static formAssociated = true;
        said = this.attachInternals();
        constructor() {
          super();
          Object.assign(this.said, { role: "checkbox", ariaChecked: "false" });
          this.onclick = () => this.said.ariaChecked = "true";
        }
      })</script>"""
    assert 'checkbox "Large"' in await call("navigate", url=serve_site({"/": page}))
    assert 'checkbox "Large"' in (answer := await call("click", selector="x-it"))
    assert "checked" in answer
    written = await call.run("HTMLElement.prototype.attachInternals.toString()")
    assert "[native code]" in written


async def test_areas_of_a_picture(call, serve_site):
    page = """<img usemap=#m width=200 height=100 style="border: 5px solid; padding: 9px"
      alt=Plan src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><map name=m>
      <area alt=Wedge shape=poly coords="100,50,110,0,100,20" href="#wedge">
      <area alt=Right shape=circle coords="150,50,40" href="#right"></map>"""
    await call("navigate", url=serve_site({"/": page}))
    for name in ("Wedge", "Right"):
        assert f"#{name.lower()}\n" in await call("click", selector=f"[alt={name}]")


async def test_drag(call):
    assert "Got it" in await call("drag", selector="#drag", value="#drop")


async def test_history(call):
    assert "Second" in await call("navigate", url=f"{call.site}/second")
    assert "Page" in await call("back")
    assert "Second" in await call("forward")
    assert "Second" in await call("reload")
    error = await call.fails("forward")
    assert error.code == "no_history"


async def test_a_page_that_goes_back_by_itself(call):
    """And one that comes there again by a link: the addresses are the same."""
    await call("navigate", url=f"{call.site}/second")
    await call("evaluate", text="history.back(); 0")
    await call.until("In the frame")
    assert "Second" in await call("forward")
    await call("evaluate", text=f"location.href = '{call.site}/'; 0")
    await call.until("In the frame")
    assert (await call.fails("forward")).code == "no_history"
    await call("evaluate", text="history.pushState(0, '', '/within'); history.back(); 0")
    assert "/within" in await call("forward")
    assert "Second" in [await call("back") for _ in range(2)][1]


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
    assert "GET 200 document" in await call("network")
    posts = "fetch('/more', {method: 'POST', body: 'what=this'}).then(() => 'sent')"
    assert await call.run(posts) == "sent"
    ref = next(line for line in (await call("network")).splitlines() if "POST" in line).split()[0]
    assert "Request body:\nwhat=this\nResponse body:\nok" in await call("network", ref=ref)


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


async def test_no_page_reaches_where_firefox_is_driven(call):
    port = _port(call)
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


async def test_a_page_that_crashes(call):
    waiting = asyncio.ensure_future(call.fails("wait", text="never", timeout=20))
    await asyncio.sleep(0.5)
    for pid in _page_processes(_home(call)):
        os.kill(pid, signal.SIGKILL)
    error = await waiting
    assert error.code == "page_lost"
    assert f"The page {call.site}/ crashed." in str(error)
    assert "Page" in await call.open("/")


@pytest.mark.parametrize("lost", ["browser", "connection"])
async def test_a_browser_that_is_lost(call, lost):
    """Another one takes its place; nothing is left of it."""
    before = _firefoxes(_home(call))
    waiting = asyncio.ensure_future(call.fails("wait", text="never", timeout=20))
    await asyncio.sleep(0.5)
    if lost == "browser":
        for pid in before:
            os.kill(pid, signal.SIGKILL)
    else:
        _disconnect(_port(call))
    assert (await waiting).code == "page_lost"
    assert "was started again" in str(await call.fails("snapshot"))
    assert await asyncio.to_thread(gone, *before)
    assert "Page" in await call.open("/")


def _home(call):
    return call.web.router.config.home


def _port(call):
    """The port where Firefox is driven."""
    told = _home(call) / "profiles" / "fox" / "firefox" / "WebDriverBiDiServer.json"
    return json.loads(told.read_text())["ws_port"]


def _disconnect(port):
    """Cut this process's connections to a port."""
    for opened in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if str(opened.readlink()).startswith("socket:"):
                with socket.socket(fileno=os.dup(int(opened.name))) as ours:
                    if ours.family == socket.AF_INET and ours.getpeername()[1] == port:
                        ours.shutdown(socket.SHUT_RDWR)


def _page_processes(home):
    """The processes of Firefox's pages."""
    below = {child for pid in _firefoxes(home) for child in descendants(pid)}
    return [pid for pid in below if command_of(pid).rstrip(b"\0").endswith(b"tab")]


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


async def test_where_its_directory_cannot_be_made(open_web, home):
    (home / "profiles").mkdir(parents=True)
    (home / "profiles" / "fox").write_text("a file")
    async with open_web(profiles=FOX) as web:
        error = await web.fails(resource="browser", action="launch", profile="fox")
        assert error.code == "home"
        assert "cannot be made" in str(error)


async def test_logins_are_kept(call):
    await call.open("/set")
    assert "stopped the browser" in await call("close")
    await call("launch")
    await call.open("/")
    assert await call.run("document.cookie") == "who=me"
