"""Requests and messages that the live view refuses."""

import asyncio
import http.client
import json
import os
import socket
import sys
import time
from contextlib import AsyncExitStack, suppress

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import OP_TEXT, Frame

from strap.network.peers import _LISTS, Peers
from strap_browser.settings.live import LiveSettings
from strap_live.admission import Grant, Tickets, is_foreign
from strap_live.messages import BadMessage, read, read_hello
from strap_live.timeline import Timeline, clean
from tests.support.caller import Caller
from tests.support.waiting import becomes

from .watcher import address, knocking, watching

pytestmark = pytest.mark.anyio
NOT_ADMITTED = 4401
TOO_MANY = 4429
MALFORMED = 4400
NOBODY = 65_534
UPGRADE = (
    "GET /socket HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


async def get(port, path="/", **headers):
    """The status of a plain request, and its header fields."""

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.putrequest("GET", path, skip_host=True)
        for name, value in ({"Host": f"127.0.0.1:{port}"} | headers).items():
            for each in value if isinstance(value, list) else [value]:
                if each is not None:
                    connection.putheader(name.replace("_", "-"), each)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    return await asyncio.to_thread(ask)


async def closed_with(socket):
    """The code with which a socket is closed."""
    async with asyncio.timeout(10):
        try:
            while True:
                await socket.recv()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


async def test_the_page_comes_with_everything_that_keeps_it_to_itself(link):
    port, _ = address(await link())
    status, headers, body = await get(port)
    assert status == 200
    assert b"strap live" in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not {name for name in headers if name.startswith("Access-Control")}


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:PORT", None, "", "[::1]"],
)
async def test_no_other_host_is_answered(link, host):
    port, _ = address(await link())
    status, _, _ = await get(port, Host=host and host.replace("PORT", str(port)))
    assert status in (400, 403)


async def test_two_hosts_are_none(link):
    port, _ = address(await link())
    status, _, _ = await get(port, Host=[f"127.0.0.1:{port}", "evil.example"])
    assert status in (400, 403)


async def test_other_paths_are_not_there(link):
    port, _ = address(await link())
    for path in ("/../view.py", "/index.html", "/page/app.js", "/?x", "//", "/%2e%2e/view.py"):
        assert (await get(port, path))[0] == 404, path


async def test_other_sites_get_no_file_but_may_be_left_for_the_page(link):
    port, _ = address(await link())
    cross = {"Sec_Fetch_Site": "cross-site"}
    assert (await get(port, "/app.js", **cross))[0] == 403
    framed = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "iframe"}
    assert (await get(port, **cross, **framed))[0] == 403
    followed = {"Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert (await get(port, **cross, **followed))[0] == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
async def test_sockets_of_other_origins_are_refused(link, origin):
    port, _ = address(await link())
    with pytest.raises(InvalidStatus):
        async with knocking(port, origin=origin):
            pass


async def test_a_socket_without_an_origin_is_refused(link):
    port, _ = address(await link())
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13"}
    status, _, _ = await get(
        port, "/socket", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==", **upgrade
    )
    assert status == 403


async def test_a_link_works_once(link):
    made = await link()
    port, ticket = address(made)
    async with watching(made), knocking(port) as socket:
        await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
        assert await closed_with(socket) == NOT_ADMITTED


async def test_who_was_let_in_may_come_back_with_the_key(link):
    made = await link()
    async with watching(made) as first:
        key = first.last("welcome")["key"]
    async with watching(made, key=key) as again:
        assert again.last("welcome")["role"] == "control"


async def test_guessing_opens_nothing_and_keeps_nobody_out(link):
    made = await link()
    for number in range(12):
        async with knocking(address(made)[0]) as socket:
            await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": f"{number:043}"}))
            assert await closed_with(socket) == NOT_ADMITTED
    async with watching(made):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's socket")
async def test_another_user_of_the_machine_has_no_use_of_a_good_link(link, caplog):
    made = await link()
    port, ticket = address(made)
    os.seteuid(NOBODY)
    try:
        theirs = socket.socket()
    finally:
        os.seteuid(0)
    theirs.connect(("127.0.0.1", port))
    async with knocking(port, sock=theirs) as stranger:
        with suppress(ConnectionClosed):
            await stranger.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
        assert await closed_with(stranger) == NOT_ADMITTED
    async with watching(made):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's socket")
async def test_another_user_who_orders_blindly_and_is_gone_has_no_effect(link):
    made = await link()
    port, ticket = address(made)
    async with watching(await link()) as viewer:
        place = await viewer.open()
        await viewer.next("place")
        os.seteuid(NOBODY)
        try:
            theirs = socket.socket()
        finally:
            os.seteuid(0)
        epoch = viewer.last("place")["epoch"]
        said = [
            {"type": "hello", "v": 1, "ticket": ticket},
            {"type": "open", "place": place},
            {"type": "stop", "place": place, "epoch": epoch},
            # so much behind it that the server is busy reading when they are gone
            *({"type": "open", "place": " " * 60_000} for _ in range(10)),
        ]
        with theirs:
            theirs.connect(("127.0.0.1", port))
            theirs.setblocking(False)
            with suppress(BlockingIOError):
                theirs.sendall(
                    UPGRADE.replace("PORT", str(port)).encode()
                    + b"".join(
                        Frame(OP_TEXT, json.dumps(each).encode()).serialize(mask=True)
                        for each in said
                    )
                )
        async with watching(made):  # their ticket is not used up, either
            assert viewer.last("place")["state"] == "agent"


@pytest.mark.parametrize(("user", "foreign"), [("{own}", False), ("0", False), ("{other}", True)])
def test_whose_a_connection_is(tmp_path, monkeypatch, user, foreign):
    table = tmp_path / "tcp"
    shown = user.format(own=os.geteuid(), other=os.geteuid() + 1)
    ends = [f"{int.from_bytes(bytes([127, 0, 0, 1]), sys.byteorder):08X}:{n:04X}" for n in (1, 2)]
    table.write_text(f"  sl  local_address\n 0: {' '.join(ends)} 01 0:0 00:0 0 {shown} 0 99")
    monkeypatch.setitem(_LISTS, socket.AF_INET, table)
    client, own = ("127.0.0.1", 1), ("127.0.0.1", 2)
    peers = Peers()
    assert is_foreign(peers, client, own) == foreign
    assert is_foreign(peers, own, client)  # closed meanwhile: nobody's
    peers.close()


def test_a_link_is_void_after_five_minutes():
    now = [0.0]
    tickets = Tickets(lambda: now[0])
    first, second = tickets.issue(Grant(role="watch")), tickets.issue(Grant(role="watch"))
    now[0] = 299
    assert tickets.redeem(first) is not None
    now[0] = 301
    assert tickets.redeem(second) is None


def test_of_more_than_twenty_links_the_oldest_is_void():
    tickets = Tickets()
    made = [tickets.issue(Grant(role="watch")) for _ in range(21)]
    assert tickets.redeem(made[0]) is None
    assert tickets.redeem(made[1]) is not None


def test_no_secret_is_kept():
    tickets = Tickets()
    ticket = tickets.issue(Grant(role="watch"))
    key, _ = tickets.redeem(ticket)
    assert ticket not in repr(vars(tickets))
    assert key not in repr(vars(tickets))


async def test_nobody_sees_what_is_another_callers(shared, site, sessions, link):
    other = Caller(shared.as_caller(f"caller{next(sessions)}"), site)
    await other.open("/form")
    async with watching(await link()) as viewer:
        [place] = (await viewer.next("places", lambda told: told["places"]))["places"]
        assert place["url"].endswith("/")
        view = (await other.result("live")).data["url"]
        async with watching(view) as foreign:
            [own] = (await foreign.next("places", lambda told: told["places"]))["places"]
            assert own["id"] != place["id"]
            await foreign.send(type="open", place=place["id"])
            assert (await foreign.next("refused"))["of"] == "open"
            assert not foreign.pictures


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "{}", '{"type": "nothing"}', '{"type": "ack"}', "[" * 60_000),
        '{"type": "ack", "seq": "1"}',
        '{"type": "ack", "seq": 1, "more": 1}',
        '{"type": "open", "place": ' + '"x' * 30_000 + '"}',
        b"\x00\x01",
    ],
)
def test_what_makes_no_sense_is_refused(text):
    with pytest.raises(BadMessage):
        read(text)
    with pytest.raises(BadMessage):
        read_hello(text)


async def test_a_message_that_makes_no_sense_ends_the_connection(link):
    async with watching(await link()) as viewer:
        await viewer.socket.send('{"type": "open", "place": "x", "code": "evil"}')
        await viewer.socket.wait_closed()
        assert viewer.socket.close_code == MALFORMED


async def test_too_large_a_message_ends_the_connection(link):
    async with watching(await link()) as viewer:
        await viewer.socket.send("x" * 70_000)
        await viewer.socket.wait_closed()
        assert viewer.socket.close_code == 1009


async def test_a_flood_ends_the_connection(link):
    async with watching(await link()) as viewer:
        with suppress(ConnectionClosed):
            for _ in range(5_000):
                await viewer.send(type="ack", seq=0)
        await viewer.socket.wait_closed()
        assert viewer.socket.close_code == TOO_MANY


async def test_two_hundred_that_say_nothing_keep_nobody_out(link):
    made = await link()
    port, _ = address(made)
    async with AsyncExitStack() as stack:
        silent = [await stack.enter_async_context(knocking(port)) for _ in range(200)]
        await becomes(lambda: sum(each.close_code is None for each in silent) <= 8)
        began = time.monotonic()
        await becomes(lambda: all(each.close_code is not None for each in silent))
        assert time.monotonic() - began < 15
    async with watching(made):
        pass


async def test_no_agent_gets_to_the_live_page(caller, link):
    made = await link()
    port, _ = address(made)
    for url in (made, f"http://localhost:{port}/"):
        error = await caller.fails("navigate", url=url)
        assert error.code == "denied" or "strap" in str(error)
    await caller.open("/")
    status = await caller.run(
        f"new Promise((done) => {{ const s = new WebSocket('ws://127.0.0.1:{port}/socket');"
        " s.onopen = () => done('got'); s.onerror = () => done('not'); })"
    )
    assert status == "not"


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://Live.Example.com/", "https://live.example.com"),
        ("https://live.example.com:443", "https://live.example.com"),
        ("https://live.example.com:8443", "https://live.example.com:8443"),
        ("http://[::1]:80", "http://[::1]"),
        *((wrong, None) for wrong in ("live.example.com", "http://live.example.com", "https://")),
        *((f"https://{wrong}", None) for wrong in ("a/path", "a?b", "u:p@a", "a:99999", "ä.de")),
    ],
)
def test_an_origin_of_a_proxy_is_one_or_refused(given, origin):
    if origin is None:
        with pytest.raises(ValueError, match="public_url"):
            LiveSettings(public_url=given, port=7_000)
    else:
        assert LiveSettings(public_url=given, port=7_000).public_url == origin


def test_an_origin_of_a_proxy_needs_a_port_and_lets_models_only_watch():
    with pytest.raises(ValueError, match="needs a 'port'"):
        LiveSettings(public_url="https://live.example.com")
    assert LiveSettings(public_url="https://live.example.com", port=7_000).allows == "watch"
    assert LiveSettings().allows == "control"


async def test_behind_a_proxy_its_host_is_let_in_and_no_other(open_web, site, unused_port):
    own, name = "https://live.example.com", "live.example.com"
    live = {"public_url": own, "port": unused_port}
    async with open_web(live=live, auto_launch=True) as web:
        caller = Caller(web, site)
        link = (await caller.result("live")).data["url"]
        assert link.startswith(f"{own}/#")
        hosts = (name, f"127.0.0.1:{unused_port}")
        assert [(await get(unused_port, Host=host))[0] for host in hosts] == [200, 200]
        wrong = (f"{name}:443", f"{name}.", f"x.{name}", f"{name}.evil.example", name.upper())
        for host in (*wrong, [name, name], "example.com", f"{name}@evil.example"):
            assert (await get(unused_port, Host=host))[0] in (400, 403), host
        for origin in (f"{own}:443", f"http://{name}", f"{own}.evil.example", "null"):
            with pytest.raises(InvalidStatus):
                async with knocking(unused_port, origin=origin):
                    pass
        async with knocking(unused_port, origin=own) as socket:
            ticket = link.partition("#")[2]
            await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": ticket}))
            assert json.loads(await socket.recv())["role"] == "watch"
        for url in (link, f"https://{name}:443/", f"https://{name}./"):
            assert (await caller.fails("navigate", url=url)).code == "own_port"


async def test_the_operator_may_switch_it_off(open_web, site):
    async with open_web(live={"enabled": False}) as web:
        error = await Caller(web, site).fails("live")
        assert error.code == "disabled"


def test_texts_of_pages_turn_nothing_around_and_stay_short():
    assert clean("a\u202eb\u2066c\x00d\ne" + "x" * 10_000).startswith("abcd ex")
    assert len(clean("x" * 1_000_000)) == 600


def test_what_looks_like_a_secret_is_masked_in_the_timeline():
    timeline = Timeline(lambda text: text.replace("canary", "••••"))
    timeline.add("console", "the canary sang: password=hunter2")
    [entry] = timeline.since(0)
    assert "canary" not in entry["text"]
    assert "hunter2" not in entry["text"]
