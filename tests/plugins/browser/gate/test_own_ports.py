"""Ports of one strap process, as other processes of the same user meet them."""

import asyncio
import json
import sys

import pytest

from strap import testing
from tests.plugins.browser.lifecycle.machine import gone
from tests.plugins.browser.lifecycle.test_processes import strap_process
from tests.site.server import Reply
from tests.support.browser import ANY_BROWSER

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """Processes of this test alone meet there."""
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))


@pytest.fixture
async def other(tmp_path):
    """Another strap process with a data directory and a running browser of its own."""
    async with strap_process(tmp_path / "other") as process:
        await process("launch")
        yield process


@pytest.fixture
def ports(other, tmp_path):
    record = json.loads((tmp_path / "other/profiles/nebo/running.json").read_text())
    return int(record["address"].split(":")[2].partition("/")[0]), record["gate"]["port"]


@pytest.fixture
async def server(tmp_path):
    """`strap serve --http` without a token, which reaches every network; its port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "strap", "serve", "--home", str(tmp_path / "served")),
        *("--http", "--port", "0", "--network", "all"),
        stderr=asyncio.subprocess.PIPE,
    )
    line = (await process.stderr.readline()).decode()
    yield int(line.rpartition(":")[2].partition("/")[0])
    process.terminate()
    await process.communicate()
    process._transport.close()


PATHS = ["/json/version", "/json/list", "/json/new?file:///etc/passwd", "/", "/x"]


async def test_debugging_and_guarding_ports_are_refused_to_http(web, ports):
    for port in ports:
        for path in PATHS:
            call = {"method": "PUT", "url": f"http://localhost:{port}{path}"}
            error = await web.fails(resource="http", action="fetch", **call)
            assert error.code == "own_port"


async def test_a_process_that_is_killed_gives_its_ports_free(web, other, ports, tmp_path):
    await other.kill()
    await gone(tmp_path / "other")
    for port in ports:
        error = await web.fails(resource="http", action="fetch", url=f"http://127.0.0.1:{port}/")
        assert error.code != "own_port"


async def test_pages_reach_no_port_of_another_process(web, ports, server, serve_site):
    site = serve_site({"/": Reply(body="<title>x</title>", headers={"Content-Type": "text/html"})})
    await web(resource="browser", action="launch")
    await web(resource="browser", action="navigate", url=str(site))
    for port in (*ports, server):
        url = f"http://127.0.0.1:{port}/json/list"
        error = await web.fails(resource="browser", action="navigate", url=url)
        assert error.code == "own_port"
        script = f"fetch('{url}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'refused')"
        answer = await web(resource="browser", action="evaluate", text=script)
        assert answer.data["result"] == "refused"


SOCKETS = """Promise.all(URLS.map((url) => new Promise((tell) => {
  const socket = new WebSocket(url);
  socket.onopen = () => tell("open");
  socket.onclose = ({ code }) => tell(code);
  setTimeout(() => tell("neither"), 10000);
})))"""
ABNORMAL = 1006
"""Status of a WebSocket that was never opened (RFC 6455, 7.4.1)."""


async def test_sockets_of_pages_to_own_ports_fail_at_once(web, ports, server, serve_site, tmp_path):
    launched = await web(resource="browser", action="launch")
    own = launched.data["profiles"][0]["cdp_url"].rpartition(":")[2]
    live = (await web(resource="browser", action="live")).data["url"]
    await web(resource="browser", action="navigate", url=str(serve_site({"/": "<title>x</title>"})))
    places = [f"127.0.0.1:{port}" for port in (*ports, server, own)]
    places += [f"localhost:{own}/devtools/browser/x", f"[::1]:{own}", live.split("/")[2]]
    script = SOCKETS.replace("URLS", json.dumps([f"ws://{place}" for place in places]))
    answer = await web(resource="browser", action="evaluate", text=script)
    assert answer.data["result"] == [ABNORMAL] * len(places)


async def test_pages_in_mode_all_reach_all_but_own_ports(home, ports, serve_site):
    inside = serve_site({"/": "<title>Inside</title>"})
    site = serve_site({"/": "<title>x</title>"})
    tables = {"browser": ANY_BROWSER}
    async with testing.router(home=home, network="all", plugins=tables) as web:
        told = await web(resource="browser", action="launch")
        [entry] = told.data["profiles"]
        assert "guard" not in entry
        await web(resource="browser", action="navigate", url=str(site))
        script = "fetch('{}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'refused')"
        own = f"{entry['cdp_url']}/json/list"
        urls = (inside, own, *(f"http://127.0.0.1:{port}/json/list" for port in ports))
        answers = [
            await web(resource="browser", action="evaluate", text=script.format(url))
            for url in urls
        ]
        assert [answer.data["result"] for answer in answers] == ["reached", *["refused"] * 3]


async def test_a_server_over_http_is_refused(web, server):
    url = f"http://127.0.0.1:{server}/mcp"
    call = {"method": "POST", "body": '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'}
    error = await web.fails(resource="http", action="fetch", url=url, **call)
    assert error.code == "own_port"


async def test_a_server_over_http_refuses_who_does_not_see_its_port(
    home, server, tmp_path, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(elsewhere))
    async with testing.router(home=home, network="local") as web:
        call = {"method": "POST", "url": f"http://127.0.0.1:{server}/mcp", "body": "{}"}
        answer = await web(resource="http", action="fetch", **call)
        assert answer.data["status"] == 403
        for name in ("strap-request", "Strap-Request", " STRAP-REQUEST"):
            error = await web.fails(resource="http", action="fetch", headers={name: ""}, **call)
            assert "cannot be set" in error.message


async def test_the_folder_follows_the_user_and_not_the_data_directory(web, server, tmp_path):
    await web(resource="browser", action="launch")
    assert recorded(tmp_path) == ["devtools", "gate", "http"]
    await web(resource="browser", action="close")
    assert recorded(tmp_path) == ["http"]


def recorded(tmp_path):
    files = (tmp_path / "runtime" / "strap").iterdir()
    return sorted(file.name.split("-")[1] for file in files)


async def test_pages_reach_no_browser_that_others_debug(web, serve_site):
    version = Reply(
        headers={"Content-Type": "application/json", "Access-Control-Allow-Origin": "*"},
        body='{"Browser": "Chrome/150.0", "Protocol-Version": "1.3"}',
    )
    debugged = serve_site({"/json/version": version, "/json/list": version, "/": version})
    site = serve_site({"/": "<title>x</title>"})
    await web(resource="browser", action="launch")
    await web(resource="browser", action="navigate", url=str(site))
    for path, outcome in {
        "/": "reached",
        "/json/list": "refused",
        "/devtools/x": "refused",
    }.items():
        script = (
            f"fetch('{debugged}{path}', {{mode: 'no-cors'}}).then(() => 'reached', () => 'refused')"
        )
        answer = await web(resource="browser", action="evaluate", text=script)
        assert answer.data["result"] == outcome
    script = f"""new Promise(tell => {{
        const socket = new WebSocket("ws://127.0.0.1:{debugged.port}/devtools/browser/x");
        socket.onopen = () => tell("reached"); socket.onerror = () => tell("refused") }})"""
    answer = await web(resource="browser", action="evaluate", text=script)
    assert answer.data["result"] == "refused"
    asked = [request.path for request in debugged.requests]
    assert sorted(asked) == ["/", "/json/version"]
