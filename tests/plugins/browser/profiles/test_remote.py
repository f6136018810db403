"""Driver `cdp`: a Chromium that the test runs, and strap only attaches to."""

import asyncio
import json
import os
import signal
import urllib.request
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from strap import StartupError, testing
from strap_browser.chromium.executables import find_executable
from strap_browser.chromium.singleton_lock import Singleton
from tests.site.server import Reply
from tests.support.chromium import FOREIGN
from tests.support.waiting import becomes, eventually

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def chromium(folder, port=0):
    """A Chromium of somebody else's; yields its port."""
    process = await asyncio.create_subprocess_exec(
        find_executable(),
        *FOREIGN,
        f"--user-data-dir={folder}",
        f"--remote-debugging-port={port}",
        "about:blank",
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(60):
            while b"DevTools listening on " not in (line := await process.stderr.readline()):
                assert line
        yield int(line.split(b":")[2].split(b"/")[0])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.stderr.read()
        await process.wait()
        process._transport.close()
        Singleton(folder).remove()  # what is killed leaves a temporary folder


@pytest.fixture(scope="module")
async def port(tmp_path_factory, anyio_backend):
    async with chromium(tmp_path_factory.mktemp("foreign")) as port:
        yield port


def told(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/{path}", timeout=5) as answer:
        return json.load(answer)


def pages(port):
    return [page["url"] for page in told(port, "list") if page["type"] == "page"]


def fleet(port, **more):
    return {"fleet": {"driver": "cdp", "cdp_url": f"http://127.0.0.1:{port}"} | more}


async def test_it_attaches_works_and_leaves(open_web, caller, site, port, home):
    async with open_web(profiles=fleet(port)) as web:
        call = caller(web, "fleet")
        (entry,) = (await call.result("status")).data["profiles"]
        assert entry == {
            "name": "fleet",
            "driver": "cdp",
            "running": True,
            "page_count": 0,
            "cdp_url": f"http://127.0.0.1:{port}",
            "connected": False,
            "guard": "navigations only",
        }
        (entry,) = (await call.result("launch")).data["profiles"]
        assert "connected" not in entry
        assert "Home" in await call("navigate", url=site)
        assert await call.run("document.title") == "Home"
        assert f"{site}/" in pages(port)
        assert await call("close") == (
            "Closed 1 page. The browser of profile 'fleet' keeps running: strap does not own it."
        )
        await becomes(lambda: pages(port), ["about:blank"])
        assert "Home" in await call("navigate", url=site)
    await becomes(lambda: pages(port), ["about:blank"])
    assert not list((home / "profiles" / "fleet").iterdir())


async def test_the_websocket_address_will_do(open_web, caller, site, port):
    address = told(port, "version")["webSocketDebuggerUrl"]
    async with open_web(profiles={"fleet": {"driver": "cdp", "cdp_url": address}}) as web:
        call = caller(web, "fleet")
        assert "Home" in await call("navigate", url=site)
        (entry,) = (await call.result("status")).data["profiles"]
        assert entry["cdp_url"] == f"ws://127.0.0.1:{port}"
        await call("close")


async def test_settings_that_fit(open_web, caller, site, port):
    more = {"locale": "de-DE", "viewport": [700, 400], "extra_headers": {"X-Team": "blue"}}
    async with open_web(profiles=fleet(port, ephemeral=True, **more)) as web:
        call = caller(web, "fleet")
        headers = await call.headers(site)
        assert headers["x-team"] == "blue"
        assert await call.run("[innerWidth, (1.5).toLocaleString()]") == [700, "1,5"]
        await call.run("document.cookie = 'a=b'")
    async with open_web(profiles=fleet(port)) as web:
        call = caller(web, "fleet")
        await call("navigate", url=site)
        assert await call.run("document.cookie") == ""


async def test_a_download_of_a_browser_on_this_machine(open_web, caller, serve_site, port, home):
    file = Reply(headers={"Content-Disposition": 'attachment; filename="a.txt"'}, body="x" * 50)
    site = serve_site({"/": "<title>Files</title><a href=/a.txt>Get</a>", "/a.txt": file})
    async with open_web(profiles=fleet(port)) as web:
        call = caller(web, "fleet")
        await call("navigate", url=site)
        await call("click", selector="a")

        async def saved():
            return "(50 bytes)" in await call("downloads")

        await eventually(saved)
        assert (home / "outputs" / "downloads" / "a.txt").stat().st_size == 50


async def test_navigations_obey_the_guard_and_its_port_is_refused(open_web, caller, port):
    async with open_web(profiles=fleet(port)) as web:
        call = caller(web, "fleet")
        for url in ("http://10.0.0.1/", f"http://127.0.0.1:{port}/json", "file:///etc/passwd"):
            error = await web.fails(resource="browser", action="navigate", profile="fleet", url=url)
            assert type(error).__name__ in ("PolicyDenied", "UsageError")
        await call("close")


async def test_where_nothing_answers(open_web, unused_port):
    urls = (f"http://127.0.0.1:{unused_port}", f"ws://127.0.0.1:{unused_port}/devtools?token=abc")
    for url in urls:
        async with open_web(profiles={"fleet": {"driver": "cdp", "cdp_url": url}}) as web:
            (entry,) = (await web(resource="browser", action="status", profile="fleet")).data[
                "profiles"
            ]
            assert (entry["running"], "guard" in entry) == (False, False)
            error = await web.fails(resource="browser", action="launch", profile="fleet")
            shown = url.split("/devtools")[0]
            assert str(error) == (
                f"Cannot launch the browser of profile 'fleet': it runs elsewhere, and {shown} "
                "does not answer. Start it there; the operator sets its cdp_url."
            )
            error = await web.fails(resource="browser", action="snapshot", profile="fleet")
            assert str(error) == (
                "Browser not running for profile 'fleet'. "
                "It runs elsewhere and is not launched: start it there."
            )


async def test_a_browser_that_ends_and_comes_back(open_web, caller, site, tmp_path):
    async with chromium(tmp_path / "one") as port:
        web_context = open_web(profiles=fleet(port))
        web = await web_context.__aenter__()
        call = caller(web, "fleet")
        await call("navigate", url=site)
    try:

        async def noticed():
            return not (await call.result("status")).data["profiles"][0]["running"]

        await eventually(noticed)
        error = await web.fails(resource="browser", action="snapshot", profile="fleet")
        assert error.code in ("not_running", "not_launchable", "page_lost")
        async with chromium(tmp_path / "two", port):
            news = await call.result("navigate", url=site)
            assert "Home" in news.text
            assert "was lost" in news.text
    finally:
        await web_context.__aexit__(None, None, None)


@asynccontextmanager
async def cut_off(port):
    """A way to the browser that can be cut; yields its port, and what cuts it."""
    open_ways = set()

    async def carry(reader, writer):
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def lead(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        open_ways.update((writer, back))
        await asyncio.gather(carry(reader, back), carry(there, writer))

    def cut():
        for way in open_ways:
            way.transport.abort()
        open_ways.clear()

    async with await asyncio.start_server(lead, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], cut
        cut()


async def test_a_connection_that_drops_costs_one_call_and_no_page(open_web, caller, site, port):
    async with cut_off(port) as (way, cut), open_web(profiles=fleet(way)) as web:
        call = caller(web, "fleet")
        await call("navigate", url=site)
        await call("evaluate", text="window.mark = 5")
        pending = asyncio.ensure_future(call.fails("evaluate", text="new Promise(() => {})"))
        await asyncio.sleep(0.3)
        cut()
        error = await pending
        assert error.code == "page_lost"
        assert "The connection to the browser was lost during the call" in str(error)
        assert await call("evaluate", text="window.mark") == "5"
        assert "Home" in await call("navigate", url=site)


@asynccontextmanager
async def reluctant(port, refuses):
    """A way to the browser that answers commands which `refuses` means with an error.

    Yields the address, and a set: nothing is refused any more when it is cleared.
    """
    refusing = {True}

    async def lead(socket):
        async with connect(told(port, "version")["webSocketDebuggerUrl"], max_size=None) as browser:

            async def back():
                async for text in browser:
                    await socket.send(text)

            answering = asyncio.create_task(back())
            async for text in socket:
                asked = json.loads(text)
                if refusing and refuses(asked):
                    kept = {key: asked[key] for key in ("id", "sessionId") if key in asked}
                    error = {"code": -32000, "message": "Not allowed"}
                    await socket.send(json.dumps({**kept, "error": error}))
                else:
                    await browser.send(text)
            answering.cancel()

    async with serve(lead, "127.0.0.1", 0, max_size=None) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/devtools/browser", refusing


def follows(asked, *, page):
    """Whether a command asks to follow what there is, of a page or of the whole browser."""
    return asked["method"] == "Target.setAutoAttach" and page is ("sessionId" in asked)


async def test_a_browser_that_lets_nobody_follow_its_pages(open_web, caller, site, port):
    async with reluctant(port, partial(follows, page=False)) as (address, refusing):
        profiles = {"fleet": {"driver": "cdp", "cdp_url": address}}
        async with open_web(profiles=profiles) as web:
            error = await web.fails(resource="browser", action="launch", profile="fleet")
            assert error.code == "connect"
            assert "The browser did not accept a connection." in str(error)
            refusing.clear()
            assert "Home" in await caller(web, "fleet")("navigate", url=site)


async def test_a_browser_that_lets_nobody_follow_frames_and_workers(
    open_web, caller, site, serve_site, port
):
    around = serve_site({"/": f"<title>Around</title><h1>Above</h1><iframe src='{site}'></iframe>"})
    async with reluctant(port, partial(follows, page=True)) as (address, _):
        profiles = {"fleet": {"driver": "cdp", "cdp_url": address}}
        async with open_web(profiles=profiles) as web:
            call = caller(web, "fleet")
            assert "Above" in await call("navigate", url=around)
            assert "user-agent" in (await call("snapshot")).lower()  # of the frame
            assert "Around" in await call("evaluate", text="document.title")


async def test_nothing_is_compressed_on_the_way_to_a_browser(open_web, caller):
    heads = []

    async def refuse(reader, writer):
        with suppress(asyncio.IncompleteReadError):  # some only look whether anybody listens
            heads.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        address = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/devtools/browser/x"
        profiles = {"fleet": {"driver": "cdp", "cdp_url": address}}
        async with open_web(profiles=profiles) as web:
            error = await web.fails(resource="browser", action="launch", profile="fleet")
    assert error.code == "connect"
    (asked,) = [head for head in heads if "upgrade: websocket" in head]
    assert "sec-websocket-extensions" not in asked


async def test_header_fields_and_tokens_are_secrets(tmp_path, caller, serve_site, port, home):
    """A gateway in front of the browser: it wants a token, in the address and in a header."""
    version = told(port, "version")

    def gate(request):
        if request.headers.get("authorization") != "Bearer let-me-in-now":
            return Reply(status=401)
        if request.query.get("key") != ["let-me-in-now"]:
            return Reply(status=403)
        return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(version))

    gateway = serve_site({"/json/version": gate, "/json/version/": gate})
    profile = {
        "driver": "cdp",
        "cdp_url": f"{gateway}/?key={{{{door}}}}",
        "headers": {"Authorization": "Bearer {{door}}"},
    }
    for origins, running in (([str(gateway)], True), (["https://a.test"], False)):
        secrets = {"door": {"value": "let-me-in-now", "origins": origins}}
        plugins = {"browser": {"profiles": {"fleet": profile}}}
        async with testing.router(
            home=home, network="local", plugins=plugins, secrets=secrets
        ) as web:
            (entry,) = (await web(resource="browser", action="status", profile="fleet")).data[
                "profiles"
            ]
            assert (entry["running"], entry["cdp_url"]) == (running, str(gateway))
            if not running:
                error = await web.fails(resource="browser", action="launch", profile="fleet")
                assert str(error).startswith("The secret 'door' is not for")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "'cdp_url' is missing"),
        ({"cdp_url": "ftp://token-abc"}, "profiles.fleet.cdp_url.*must be like"),
        ({"cdp_url": ""}, "profiles.fleet.cdp_url.*must be like"),
        ({"cdp_url": "http://"}, "profiles.fleet.cdp_url"),
        ({"cdp_url": "http://a:99999"}, "profiles.fleet.cdp_url"),
        ({"cdp_url": "http://a:1", "timezone": "UTC"}, "'timezone' does not go with driver 'cdp'"),
        ({"cdp_url": "http://a:1", "driver": "nebo"}, "'cdp_url' does not go with driver 'nebo'"),
        ({"cdp_url": "http://a:1", "headers": "x"}, "profiles.fleet.headers"),
    ],
)
async def test_bad_settings_are_named(tmp_path, table, said):
    profiles = {"fleet": {"driver": "cdp"} | table}
    with pytest.raises(StartupError, match=said) as caught:
        async with testing.router(home=tmp_path, plugins={"browser": {"profiles": profiles}}):
            pass
    assert "token-abc" not in str(caught.value)
