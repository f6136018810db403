"""The guarding proxy as a browser speaks to it, over real sockets."""

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from strap import Guard
from strap_browser.proxy.control import ProxyControl
from strap_browser.proxy.guard_proxy import GuardProxy
from tests.site.server import Reply, serve
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio
LIMIT = 10


@pytest.fixture
def site():
    with serve({"/": Reply(headers={"Content-Type": "text/plain"}, body="secret")}) as running:
        yield running


@pytest.fixture
async def proxy():
    proxy = GuardProxy(Guard("local"))
    await proxy.start()
    yield proxy
    await proxy.aclose()


@asynccontextmanager
async def connection(proxy):
    async with asyncio.timeout(LIMIT):
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.gate.port)
        try:
            yield reader, writer
        finally:
            writer.close()


def connect_to(host, port):
    name = host.encode()
    return b"\5\1\0" + b"\5\1\0\3" + bytes([len(name)]) + name + port.to_bytes(2, "big")


async def granted(reader, writer, host, port):
    writer.write(connect_to(host, port))
    assert await reader.readexactly(2) == b"\5\0"
    return (await reader.readexactly(10))[1] == 0


def request(path="/", **headers):
    fields = {"Host": "x", "Connection": "close"} | headers
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode()


async def address(proxy, site):
    await proxy.gate.address(await Guard("local").check(f"{site}/"))


async def answer(proxy, site, sent):
    async with connection(proxy) as (reader, writer):
        assert await granted(reader, writer, "127.0.0.1", site.port)
        writer.write(sent)
        return await reader.read()


async def test_a_request_of_the_browser_itself_needs_a_caller_who_goes_there(proxy, site):
    asked = request(**{"Sec-Fetch-Site": "none"})
    assert await answer(proxy, site, asked) == b""
    assert site.requests == []
    await address(proxy, site)
    assert b"secret" in await answer(proxy, site, asked)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Referer": "http://public.test/"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:1"},
        {"Origin": "http://public.test"},
        {"Origin": "http://[::"},
    ],
)
async def test_requests_of_unknown_or_public_pages_are_refused(proxy, site, headers):
    await address(proxy, site)
    assert await answer(proxy, site, request(**headers)) == b""
    assert site.requests == []


async def test_a_page_that_was_seen_on_this_machine_may_ask(proxy, site):
    await address(proxy, site)
    await answer(proxy, site, request(**{"Sec-Fetch-Site": "none"}))
    seen = {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:1"}
    assert b"secret" in await answer(proxy, site, request(**seen))


async def test_each_request_on_a_connection_to_a_private_server_is_judged(proxy, site):
    await address(proxy, site)
    own = request(**{"Sec-Fetch-Site": "none", "Connection": "keep-alive"})
    foreign = request(**{"Sec-Fetch-Site": "cross-site", "Connection": "keep-alive"})
    said = await answer(proxy, site, own + own + foreign + own)
    assert said.count(b"secret") == len(site.requests) == 2
    assert len({each.client for each in site.requests}) == 1


async def test_tls_to_a_private_server_needs_a_caller_who_goes_there(proxy, site):
    assert await answer(proxy, site, b"\x16\3\1\0\0") == b""
    assert "more private" in str(await proxy.gate.explain(f"{site}/"))


@pytest.fixture
async def everywhere():
    proxy = GuardProxy(Guard("all"))
    await proxy.start()
    yield proxy
    await proxy.aclose()


TLS = b"\x16\3\1\0\0\r\n"
"""Start of a TLS handshake, of which the site complains."""
NAVIGATES = {"Upgrade-Insecure-Requests": "1"}
UNSEEN = [
    {},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
    {"Sec-Fetch-Site": "cross-site", **NAVIGATES},
    {"Origin": "null"},
    {"Origin": "null", **NAVIGATES},
    {"Origin": "file://"},
]


@asynccontextmanager
async def led_to_a_public_site(proxy):
    """As long as a caller navigates there."""
    async with proxy.gate.journey(await Guard("all").check("http://93.184.215.14/")):
        await eventually(lambda: proxy._sources._journeys)
        yield


async def test_in_mode_all_what_no_public_page_is_seen_to_ask_is_served(everywhere, site):
    """Also while a caller is led to a public site in another tab."""
    for headers in UNSEEN:
        assert b"secret" in await answer(everywhere, site, request(**headers))
    async with led_to_a_public_site(everywhere):
        for headers in UNSEEN:
            assert b"secret" in await answer(everywhere, site, request(**headers))
        assert b"400" in await answer(everywhere, site, TLS)


@pytest.mark.parametrize(
    "headers",
    [
        {"Referer": "http://public.test/"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://public.test"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "null", "Referer": "http://public.test/"},
        {"Origin": "null", "Referer": "http://public.test/"},
    ],
)
async def test_in_mode_all_a_public_page_is_refused(everywhere, site, headers):
    await address(everywhere, site)
    assert await answer(everywhere, site, request(**headers)) == b""
    assert site.requests == []


@pytest.mark.parametrize("headers", [NAVIGATES, {"Sec-Fetch-Site": "none", **NAVIGATES}])
async def test_in_mode_all_a_redirect_of_a_public_site_is_refused(everywhere, site, headers):
    sent = request(**headers)
    assert b"secret" in await answer(everywhere, site, sent)
    site.requests.clear()
    async with led_to_a_public_site(everywhere):
        assert await answer(everywhere, site, sent) == b""
    assert await answer(everywhere, site, sent) == b""  # loading it again
    assert site.requests == []
    assert b"secret" in await answer(everywhere, site, request())
    await address(everywhere, site)
    assert b"secret" in await answer(everywhere, site, sent)


async def test_private_ports_are_not_told_apart(proxy, site, unused_port):
    closed = replace_port(site, unused_port)
    foreign = request(**{"Sec-Fetch-Site": "cross-site"})
    assert await answer(proxy, site, foreign) == await answer(proxy, closed, foreign) == b""


def replace_port(site, port):
    other = type(site)(site)
    other.port = port
    return other


async def test_what_cannot_be_reached_is_refused_and_explained(proxy, unused_port):
    url = f"http://127.0.0.1:{unused_port}/"
    await proxy.gate.address(await Guard("local").check(url))
    async with connection(proxy) as (reader, writer):
        assert not await granted(reader, writer, "127.0.0.1", unused_port)
    assert (await proxy.gate.explain(url)).code == "connection_refused"


@pytest.mark.parametrize("host", ["10.0.0.1", "169.254.169.254", "metadata", "2130706433", "a b"])
async def test_what_the_guard_denies_is_refused(proxy, host):
    async with connection(proxy) as (reader, writer):
        assert not await granted(reader, writer, host, 80)


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\4\1\0\x50\x7f\0\0\1\0",
        b"\5\1\2",
        b"\0nonsense\n",
        b'\0{"do": "address"}\n',
        b"\0" + b"[" * 100_000 + b"\n",
        b"\0 \n",
    ],
)
async def test_nonsense_ends_the_connection(proxy, sent):
    async with connection(proxy) as (reader, writer):
        writer.write(sent)
        said = await reader.read()
    assert said in (b"", b"\5\xff")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"\5\2\0\1\x7f\0\0\1\0\x50", 7),  # BIND
        (b"\5\3\0\1\x7f\0\0\1\0\x50", 7),  # UDP ASSOCIATE
        (b"\5\1\0\7", 8),
    ],
)
async def test_what_is_not_served_is_answered_by_the_standard(proxy, sent, code):
    async with connection(proxy) as (reader, writer):
        writer.write(b"\5\1\0" + sent)
        assert await reader.read() == b"\5\0" + bytes([5, code, 0, 1, 0, 0, 0, 0, 0, 0])


NO_HOSTS = ["127.0.0.1/x", "127.0.0.1:80", "a@127.0.0.1", "127.0.0.1#x", "127.0.0.1?x", "x\r\n", ""]


@pytest.mark.parametrize("host", [*NO_HOSTS, "[::1]", "127.0.0.1\0", "%31.test", "ü.test", "::1%1"])
async def test_what_is_no_host_is_reached_nowhere(proxy, site, host):
    for port in (80, site.port):
        await proxy.gate.address(await Guard("local").check(f"http://127.0.0.1:{port}/"))
        async with connection(proxy) as (reader, writer):
            assert not await granted(reader, writer, host, port)
            assert await reader.read() == b""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("said", [r"\x05\x01\x00", r"\x00x {}\n"])
async def test_another_user_is_not_served(proxy, said, listed):
    """Be that told of the connection alone or in the list of all of them."""
    if listed:
        proxy._peers.close()
        proxy._peers._tells = False
    port = proxy.gate.port
    ask = f"exec 3<>/dev/tcp/127.0.0.1/{port}; printf '{said}' >&3; head -c 2 <&3 | od -An -tx1"
    for user, answered in (("12345", False), ("0", "x05" in said)):
        stranger = await asyncio.create_subprocess_exec(
            *("setpriv", f"--reuid={user}", "--clear-groups", "bash", "-c", ask),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
        )
        told, _ = await stranger.communicate()
        assert (told.split() == [b"05", b"00"]) is answered


async def test_only_who_knows_the_secret_may_open_a_server(proxy, site):
    target = await Guard("local").check(f"{site}/")
    await ProxyControl(port=proxy.gate.port, token="guessed").address(target)
    assert await answer(proxy, site, request(**{"Sec-Fetch-Site": "none"})) == b""


async def test_a_gate_that_is_gone_says_nothing(proxy, site):
    await proxy.aclose()
    await address(proxy, site)
    assert await proxy.gate.explain(f"{site}/") is None


async def test_connections_that_are_broken_off_are_no_errors(caplog):
    proxy = GuardProxy(Guard("public"))
    await proxy.start()
    _, writer = await asyncio.open_connection("127.0.0.1", proxy.gate.port)
    writer.write(b"\x05")
    await asyncio.sleep(0.1)
    await proxy.aclose()
    await asyncio.sleep(0.1)
    writer.close()
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []
