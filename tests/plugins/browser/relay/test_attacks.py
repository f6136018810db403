"""Attacks on the relay: by pages, other extensions, other programs, bad frames."""

import asyncio
import json
import logging
import struct

import pytest
from websockets.asyncio.client import connect as dial
from websockets.exceptions import ConnectionClosed, InvalidStatus

from strap_browser.cdp.connection import CdpConnection
from strap_browser.relay.access.admission import RateLimiter
from strap_browser.relay.access.pairing import Pairing, bearer
from strap_browser.relay.host import Host
from tests.plugins.browser.relay import scripted

pytestmark = pytest.mark.anyio
PATHS = ("/relay/cdp", "/relay/extension")
ORIGINS = (
    "http://evil.example", "https://evil.example", "http://127.0.0.1:27895", "http://localhost",
    "null", "file://", "chrome-extension://pppppppppppppppppppppppppppppppp",
    f"chrome-extension://{scripted.ID}.evil.example", f"https://{scripted.ID}", "",
)  # fmt: skip


async def status_of(relay, path, origin=None, **headers):
    """The HTTP status with which a WebSocket is refused; fails if it is not."""
    address = f"ws://127.0.0.1:{relay.port}{path}"
    with pytest.raises(InvalidStatus) as refused:
        async with dial(address, origin=origin, additional_headers=headers, proxy=None):
            pass
    return refused.value.response.status_code


async def raw(relay, text):
    """Everything that the relay answers to bytes that are not from any client."""
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(text.replace("\n", "\r\n").encode())
    try:
        async with asyncio.timeout(10):
            return (await reader.read(65_536)).decode()
    finally:
        writer.close()


async def send(client, method, **params):
    """The error message, or None, with which the relay answers a command."""
    session = params.pop("session", None)
    message = {"id": 1, "method": method, "params": params}
    await client.send(json.dumps(message | ({"sessionId": session} if session else {})))
    while (answer := json.loads(await client.recv())).get("id") != 1:
        pass
    return answer.get("error", {}).get("message")


@pytest.fixture
async def client(relay, pairing):
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    headers = bearer(pairing.read())
    async with dial(address, additional_headers=headers, proxy=None, max_size=None) as made:
        yield made


@pytest.fixture
async def session(client, extension):
    """The session of a granted tab."""
    await extension.grant()
    return await first_session(client)


async def first_session(client):
    for _ in range(200):
        await client.send('{"id": 7, "method": "Target.getTargets"}')
        targets = json.loads(await client.recv())["result"]["targetInfos"]
        if targets:
            break
    await client.send(json.dumps({
        "id": 8, "method": "Target.attachToTarget", "params": {"targetId": targets[0]["targetId"]},
    }))  # fmt: skip
    while (answer := json.loads(await client.recv())).get("id") != 8:
        pass
    return answer["result"]["sessionId"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", ORIGINS)
async def test_no_other_origin_is_let_in_even_with_the_secret(relay, pairing, path, origin):
    assert await status_of(relay, path, origin) == 403
    assert await status_of(relay, path, origin, **bearer(pairing.read())) == 403


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:{}", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:{}",
    "[::]:{}", "0.0.0.0:{}", "",
])  # fmt: skip
async def test_a_name_that_was_rebound_to_this_machine_is_refused(relay, pairing, host):
    upgrade = (
        "GET /relay/cdp HTTP/1.1\nHost: {}\nUpgrade: websocket\nConnection: Upgrade\n"
        "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
        f"Authorization: Bearer {pairing.read()}\n\n"
    )
    refused = await raw(relay, upgrade.format(host.format(relay.port)))
    assert refused.startswith("HTTP/1.1 403 ")
    twice = f"127.0.0.1:{relay.port}\nHost: evil.example"
    assert (await raw(relay, upgrade.format(twice))).startswith("HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "token", [None, "", "Bearer ", "Bearer wrong", "Basic {}", "{}", "Bearer {}x"]
)
async def test_a_client_without_the_secret_is_refused(relay, pairing, token):
    headers = {} if token is None else {"Authorization": token.format(pairing.read())}
    assert await status_of(relay, "/relay/cdp", **headers) == 403
    assert await status_of(relay, f"/relay/cdp?token={pairing.read()}", **headers) == 403


async def test_nothing_hands_out_the_secret(relay, pairing):
    secret = pairing.read()
    paths = (
        "/", "/token", "/json/version", "/json", "/relay", "/relay/token", "/relay/cdp",
        "/relay/extension", "/relay/identity", "/relay/identity?nonce=",
        f"/relay/identity?nonce={'a' * 32}", "/relay/cdp/../secret", "/%2e%2e/secret",
    )  # fmt: skip
    for path in paths:
        for method in ("GET", "POST", "OPTIONS"):
            answer = await raw(relay, f"{method} {path} HTTP/1.1\nHost: 127.0.0.1:{relay.port}\n\n")
            assert secret not in answer
            assert "Access-Control" not in answer
            assert " 200 " not in answer.split("\r\n")[0] or path.endswith("a" * 32)


async def test_a_page_in_the_browser_reaches_nothing(relay, chromium, serve_site):
    site = serve_site({"/": "<title>Evil</title>"})
    script = """(async () => {
      const opens = (url) => new Promise((done) => {
        const socket = new WebSocket(url);
        socket.onopen = () => done("open");
        socket.onclose = () => done("closed");
      });
      const reads = (url) => fetch(url).then((answer) => answer.text(), () => "closed");
      return Promise.all([
        opens(`ws://127.0.0.1:${PORT}/relay/cdp`), opens(`ws://localhost:${PORT}/relay/cdp`),
        opens(`ws://127.0.0.1:${PORT}/relay/extension`),
        reads(`http://127.0.0.1:${PORT}/relay/identity?nonce=${"a".repeat(32)}`),
      ]);
    })()""".replace("${PORT}", str(relay.port))
    cdp = await CdpConnection.connect(chromium)
    try:
        target = (await cdp.call("Target.createTarget", url=f"{site}/"))["targetId"]
        session = (await cdp.call("Target.attachToTarget", targetId=target, flatten=True))[
            "sessionId"
        ]
        for _ in range(200):
            if "Evil" in str(await cdp.call("Target.getTargetInfo", targetId=target)):
                break
            await asyncio.sleep(0.02)
        answer = await cdp.call(
            "Runtime.evaluate", session, expression=script, awaitPromise=True, returnByValue=True
        )
        assert answer["result"]["value"] == ["closed"] * 4
    finally:
        await cdp.aclose()


async def test_the_right_extension_with_a_wrong_secret_sees_nothing(relay, pairing, client):
    address = f"ws://127.0.0.1:{relay.port}/relay/extension"
    async with dial(address, origin=scripted.ORIGIN, proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "protocol": 1, "nonce": "a" * 32}))
        challenge = json.loads(await socket.recv())
        assert pairing.read() not in json.dumps(challenge)
        # The relay's own proof is no proof of the other side's.
        await socket.send(json.dumps({"type": "proof", "proof": challenge["proof"]}))
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 4401
    assert "not connected" in await send(client, "Browser.getVersion")


async def test_strap_shows_the_secret_to_no_other_program_on_the_port(tmp_path, caplog):
    """Another user's program took the port first: it may ask, and learns nothing."""
    heard = bytearray()

    async def listen(reader, writer):
        heard.extend(await reader.read(65_536))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + b"0" * 64)
        writer.close()

    pairing = Pairing(tmp_path)
    secret = pairing.renew()
    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        host = Host(pairing, server.sockets[0].getsockname()[1])
        assert await host.status() is None
        with pytest.raises(OSError, match="something else listens"):
            await host.token()
    assert b"/relay/identity" in heard
    assert secret.encode() not in heard


@pytest.mark.parametrize("method", [
    "Browser.crash", "Browser.setWindowBounds", "Browser.grantEverything", "Debugger.enable",
    "DOM.setFileInputFiles", "Extensions.loadUnpacked", "HeapProfiler.enable", "Memory.crash",
    "Network.clearBrowserCookies", "Network.loadNetworkResource", "Page.crash",
    "Page.setDownloadBehavior", "Storage.clearCookies",
    "Storage.clearDataForOrigin",
    "SystemInfo.getInfo", "Target.createBrowserContext", "Target.exposeDevToolsProtocol",
    "Tethering.bind", "Tracing.start", "WebAuthn.enable", "", "page.navigate", "Page",
])  # fmt: skip
async def test_methods_outside_the_list_are_not_passed_on(client, session, extension, method):
    extension.asked.clear()
    assert "relay" in await send(client, method, session=session)
    assert "relay" in await send(client, method)
    assert method not in extension.asked


async def test_no_file_of_this_machine_is_dropped_on_a_page(client, session, extension):
    extension.asked.clear()
    data = {"items": [], "files": ["/etc/passwd"], "dragOperationsMask": 1}
    drop = {"type": "drop", "x": 1, "y": 1, "data": data}
    assert "no files" in await send(client, "Input.dispatchDragEvent", session=session, **drop)
    assert extension.asked == []


@pytest.mark.parametrize("url", [
    "file:///etc/passwd", "FILE:///etc/passwd", " \tfile:///etc/passwd", "fi\nle:///etc/passwd",
    "\x00file:///etc/passwd", "view-source:file:///etc/passwd", "filesystem:http://x/t/y",
    "chrome://settings", "chrome-extension://x/y", "devtools://devtools/", "about:settings",
    "javascript:alert(1)", "ftp://x/", "//x", "x", "", 7, None,
])  # fmt: skip
async def test_a_tab_goes_to_addresses_of_the_web_only(client, session, extension, url):
    extension.asked.clear()
    assert "addresses only" in await send(client, "Page.navigate", session=session, url=url)
    if url:
        assert "addresses only" in await send(client, "Target.createTarget", url=url)
    assert extension.asked == []


async def test_a_tab_that_was_never_granted_is_out_of_reach(client, session, extension, chromium):
    cdp = await CdpConnection.connect(chromium)
    try:
        other = (await cdp.call("Target.createTarget", url="about:blank"))["targetId"]
        own = (await cdp.call("Target.attachToTarget", targetId=other, flatten=True))["sessionId"]
        extension.asked.clear()
        for method in ("attachToTarget", "closeTarget", "activateTarget", "getTargetInfo"):
            assert "No target" in await send(client, f"Target.{method}", targetId=other)
        expression = {"expression": "1"}
        assert "Session" in await send(client, "Runtime.evaluate", session=own, **expression)
        assert extension.asked == []
        await client.send('{"id": 9, "method": "Target.getTargets"}')
        assert other not in await client.recv()
    finally:
        await cdp.aclose()


async def test_cookies_of_other_sites_are_not_shown_and_not_changed(client, session, chromium):
    cdp = await CdpConnection.connect(chromium)
    try:
        cookie = {"name": "login", "value": "secret", "url": "https://bank.example/"}
        await cdp.call("Storage.setCookies", cookies=[cookie])
        for method in ("Storage.getCookies", "Network.getCookies", "Network.getAllCookies"):
            message = {"id": 3, "method": method, "params": {}}
            if method != "Storage.getCookies":
                message["sessionId"] = session
                message["params"] = {"urls": ["https://bank.example/"]}
            await client.send(json.dumps(message))
            while (answer := json.loads(await client.recv())).get("id") != 3:
                pass
            assert answer["result"]["cookies"] == []
        refused = await send(client, "Storage.setCookies", cookies=[cookie])
        assert "granted tabs only" in refused
        refused = await send(client, "Network.deleteCookies", session=session, **cookie)
        assert "granted tabs only" in refused
    finally:
        await cdp.call("Storage.clearCookies")
        await cdp.aclose()


async def test_a_thousand_connections_a_minute_are_refused_quietly(relay, pairing, caplog):
    for _ in range(100):
        await asyncio.gather(*(status_of(relay, "/relay/cdp", ORIGINS[0]) for _ in range(10)))
    assert len([r for r in caplog.records if "refused" in r.message]) <= 60
    refused = [record.message for record in caplog.records if "refused" in record.message]
    assert refused[0] == "relay '/relay/cdp' refused: Origin 'http://evil.example'"
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    async with dial(address, additional_headers=bearer(pairing.read()), proxy=None) as client:
        assert await send(client, "Target.setAutoAttach", autoAttach=False) is None


async def test_who_has_the_secret_is_limited_too():
    now = 0.0
    rate = RateLimiter(600, clock=lambda: now)
    for _ in range(600):
        assert not rate.exceeded
        rate.count()
    assert rate.exceeded
    now = 60.0
    assert not rate.exceeded


@pytest.mark.parametrize("announced", [100_000_000, 2**40])
async def test_a_frame_of_100_mb_is_refused_before_it_is_read(relay, pairing, client, announced):
    del client  # another one, which stays connected
    head = (
        f"GET /relay/cdp HTTP/1.1\nHost: 127.0.0.1:{relay.port}\nUpgrade: websocket\n"
        "Connection: Upgrade\nSec-WebSocket-Version: 13\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
        f"Authorization: Bearer {pairing.read()}\n\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
    writer.write(head.replace("\n", "\r\n").encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    writer.write(struct.pack("!BBQ4s", 0x81, 0xFF, announced, b"mask"))  # and not a byte more
    async with asyncio.timeout(10):
        answer = await reader.read()
    opcode, _, code = struct.unpack("!BBH", answer[:4])
    assert (opcode, code) == (0x88, 1009)
    writer.close()


async def test_an_extension_that_is_not_known_yet_gets_little_room(relay):
    address = f"ws://127.0.0.1:{relay.port}/relay/extension"
    async with dial(address, origin=scripted.ORIGIN, proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "nonce": "a" * 100_000}))
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 1009


@pytest.mark.parametrize(
    "frame", ["", "hello", "[1]", "7", "null", b"\xff\x00", "[" * 60_000, '{"a":']
)
async def test_frames_that_are_no_json_objects_end_their_connection(relay, pairing, client, frame):
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    async with dial(address, additional_headers=bearer(pairing.read()), proxy=None) as other:
        await other.send(frame)
        with pytest.raises(ConnectionClosed):
            await other.recv()
        assert other.close_code == 1002
    async with dial(
        address.replace("cdp", "extension"), origin=scripted.ORIGIN, proxy=None
    ) as other:
        await other.send(frame)
        with pytest.raises(ConnectionClosed):
            await other.recv()
        assert other.close_code == 1002
    assert await send(client, "Target.setAutoAttach", autoAttach=False) is None


async def test_odd_commands_get_an_error_and_nothing_else(client, session):
    for method in (7, None, ["Page"]):
        assert "method" in await send(client, method)
    await client.send('{"id": 1, "method": "Page.enable", "params": []}')
    assert json.loads(await client.recv())["error"]["code"] == -32600
    assert await send(client, "Runtime.enable", session=session) is None


async def test_every_connection_leaves_a_line(relay, pairing, connect, extension, caplog):
    caplog.set_level(logging.INFO, "strap.audit")
    await (await connect()).close()
    for _ in range(200):
        if any("closed" in record.message for record in caplog.records):
            break
        await asyncio.sleep(0.02)
    lines = [record.message for record in caplog.records if record.name == "strap.audit"]
    assert lines[0] == "relay cdp accepted"
    assert lines[1].startswith("relay cdp closed")
    assert pairing.read() not in caplog.text


@pytest.mark.parametrize(("method", "params"), [
    ("Storage.setCookies", {"cookies": [1]}),
    ("Storage.setCookies", {"cookies": [{"url": "http://[x"}]}),
    ("Input.dispatchDragEvent", {"data": "x"}),
    ("Network.setCookies", {"cookies": ["x"]}),
    ("Target.attachToTarget", {"targetId": {}}),
    ("Browser.getWindowForTarget", {"targetId": ["x"]}),
    ("Page.navigateToHistoryEntry", {"entryId": {}}),
])  # fmt: skip
async def test_malformed_parameters_are_an_error_and_not_the_end(client, session, method, params):
    for where in ({}, {"session": session}):
        assert await send(client, method, **params, **where)
    assert await send(client, "Runtime.enable", session=session) is None


@pytest.mark.parametrize("odd", [{}, {"a": 1}, [], 7, True, "x"])
async def test_a_session_that_is_none_is_an_error(client, odd):
    await client.send(json.dumps({"id": 1, "method": "Runtime.enable", "sessionId": odd}))
    assert "Session" in json.loads(await client.recv())["error"]["message"]


async def history(client, session, url):
    """The ids of the tab's entries by address, as soon as `url` is among them."""
    for _ in range(200):
        message = {"id": 5, "method": "Page.getNavigationHistory", "sessionId": session}
        await client.send(json.dumps(message))
        while (answer := json.loads(await client.recv())).get("id") != 5:
            pass
        found = answer.get("result", {}).get("entries", ())  # none while it changes processes
        entries = {entry["url"]: entry["id"] for entry in found}
        if url in entries:
            return entries
        await asyncio.sleep(0.05)
    raise AssertionError(answer)


async def test_a_tab_goes_back_to_pages_of_the_web_only(client, extension, serve_site):
    site = serve_site({"/": "<title>Home</title>", "/two": "<title>Two</title>"})
    await extension.grant("chrome://version/")
    session = await first_session(client)
    for url in ("chrome://version/", f"{site}/", f"{site}/two"):
        if url.startswith("http"):
            assert await send(client, "Page.navigate", session=session, url=url) is None
        entries = await history(client, session, url)
    go = "Page.navigateToHistoryEntry"
    own = entries["chrome://version/"]
    assert "addresses only" in await send(client, go, session=session, entryId=own)
    assert await send(client, go, session=session, entryId=entries[f"{site}/"]) is None


async def test_proofs_of_identity_keep_nobody_out(relay, pairing):
    own = Host(pairing, relay.port)
    assert await own.token()
    proof = f"GET /relay/identity?nonce={'a' * 32} HTTP/1.1\nHost: 127.0.0.1:{relay.port}\n"
    assert " 403 " in await raw(relay, f"{proof}Sec-Fetch-Site: cross-site\n\n")
    assert " 403 " in await raw(relay, f"{proof}Sec-Fetch-Site: same-site\n\n")
    for _ in range(60):
        await asyncio.gather(*(raw(relay, f"{proof}\n") for _ in range(11)))
    assert await own.token()
    address = f"ws://127.0.0.1:{relay.port}/relay/cdp"
    async with dial(address, additional_headers=bearer(pairing.read()), proxy=None) as client:
        assert await send(client, "Target.setAutoAttach", autoAttach=False) is None


async def test_neither_odd_tokens_nor_secrets_in_an_address_reach_the_log(relay, pairing, caplog):
    upgrade = (
        f"GET /relay/cdp?token={pairing.read()} HTTP/1.1\nHost: 127.0.0.1:{relay.port}\n"
        "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
    )
    for token in ("", "Authorization: Bearer é\n"):
        assert " 403 " in await raw(relay, f"{upgrade}{token}\n")
    lines = [record.message for record in caplog.records if "refused" in record.message]
    assert lines == ["relay '/relay/cdp' refused: missing or wrong token"] * 2


async def test_connections_that_say_nothing_keep_nobody_out(relay, pairing):
    silent = [await asyncio.open_connection("127.0.0.1", relay.port) for _ in range(300)]
    try:
        async with asyncio.timeout(3):  # before they are too old
            assert await silent[0][0].read() == b""
        assert await Host(pairing, relay.port).token()
    finally:
        for _, writer in silent:
            writer.close()
