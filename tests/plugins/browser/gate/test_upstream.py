"""A proxy from the configuration: a real Chromium reaches the web through it, and nothing else."""

import asyncio
import base64
from contextlib import asynccontextmanager

import pytest

from strap import Guard, StartupError, testing
from strap_browser.proxy.guard_proxy import GuardProxy
from strap_browser.proxy.upstream import Upstream
from tests.plugins.browser.gate.test_proxy import connection, granted, request
from tests.plugins.browser.lifecycle.machine import tree
from tests.site.certificates import Authority
from tests.site.server import Reply, serve
from tests.site.socks import socks_proxy
from tests.support.browser import ANY_BROWSER
from tests.unit.names import Names

pytestmark = pytest.mark.anyio

PAGE = "<title>Through</title><h1>Through</h1>"


@pytest.fixture
def through(tmp_path):
    """Open a router whose browser goes through a proxy; names resolve nowhere else."""

    @asynccontextmanager
    async def opened(proxy, *, network="local", names=None, **more):
        browser = {**ANY_BROWSER, "proxy": proxy} | more
        async with testing.router(
            home=tmp_path / "home",
            network=network,
            plugins={"browser": browser},
            resolver=Names(names or {}),
        ) as web:
            await web(resource="browser", action="launch")
            yield web

    return opened


async def go(web, url):
    return (await web(resource="browser", action="navigate", url=url)).text


async def failure(web, url):
    error = await web.fails(resource="browser", action="navigate", url=url)
    assert "hunter2" not in str(error)
    return error


class Gateway:
    """An HTTP proxy: answers plain requests itself, leads every tunnel to one port."""

    def __init__(self, port, *, word="", status=200):
        self.port, self.word, self.status = port, word, status
        self.asked = []

    async def __call__(self, reader, writer):
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

    async def _serve(self, reader, writer):
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.asked.append(lines[0])
        if self.word and f"Proxy-Authorization: Basic {self.word}" not in lines:
            writer.write(b"HTTP/1.1 407 Authenticate\r\nContent-Length: 0\r\n\r\n")
        elif self.status != 200:
            writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % self.status)
        elif lines[0].startswith("CONNECT"):
            await self._lead(reader, writer)
        else:
            assert not any(line.lower().startswith("sec-proxy") for line in lines)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE.encode()))
        await writer.drain()

    async def _lead(self, reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")

        async def pump(source, sink):
            while data := await source.read(65_536):
                sink.write(data)
            sink.close()

        try:
            await asyncio.gather(pump(reader, back), pump(there, writer))
        finally:
            back.close()  # also where the test ends first


@asynccontextmanager
async def gateway(port=0, tls=None, **options):
    asked = Gateway(port, **options)
    server = await asyncio.start_server(asked, "127.0.0.1", 0, ssl=tls)
    try:
        scheme = "https" if tls else "http"
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


@pytest.fixture
def secure(tmp_path):
    """A site of any name that speaks TLS."""
    with serve({"/": PAGE}, tls=Authority(tmp_path).context("example.com")) as running:
        yield running


TRUSTING = {"args": ["--ignore-certificate-errors"]}


async def test_an_http_proxy_gets_requests_and_tunnels(through, secure, tmp_path):
    word = base64.b64encode(b"me:hunter2!").decode()
    async with gateway(secure.port, word=word) as (url, proxy):
        proxied = url.replace("//", "//me:hunter2%21@")
        async with through(proxied, **TRUSTING) as web:
            assert "hunter2" not in str(tree(tmp_path))
            assert "Through" in await go(web, "http://example.com/page?q=1")
            assert "GET http://example.com:80/page?q=1 HTTP/1.1" in proxy.asked
            assert "Through" in await go(web, "https://example.com/")
            assert "CONNECT example.com:443 HTTP/1.1" in proxy.asked


async def test_a_websocket_goes_through_a_tunnel(through, serve_site):
    site = serve_site({"/": Reply(status=400)})
    async with gateway(site.port) as (url, proxy), through(url) as web:
        await go(web, "http://example.com/")
        script = "new Promise((done) => { const x = new WebSocket('ws://example.com/s');"
        script += "x.onerror = () => done('asked') })"
        told = await web(resource="browser", action="evaluate", text=script)
        assert told.text.startswith('"asked"')
        assert "CONNECT example.com:80 HTTP/1.1" in proxy.asked
        assert site.requests[-1].headers["upgrade"] == "websocket"


@pytest.mark.parametrize("password", ["", "hunter2"])
async def test_socks_gets_the_name(through, serve_site, password):
    site = serve_site({"/": PAGE})
    with socks_proxy(site.port, password=password) as proxy:
        me = f"me:{password}@" if password else ""
        async with through(f"socks5://{me}{proxy.address}") as web:
            assert "Through" in await go(web, "http://example.com/")
            assert ("example.com", 80) in proxy.asked


async def test_a_proxy_that_speaks_tls(through, tmp_path, monkeypatch):
    authority = Authority(tmp_path)
    with monkeypatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(authority.file))
        async with gateway(tls=authority.context("127.0.0.1")) as (url, _), through(url) as web:
            assert "Through" in await go(web, "http://example.com/")


async def test_this_machine_and_exceptions_are_reached_directly(through, serve_site):
    site = serve_site({"/": "<title>Direct</title>", "/frame": "x"})
    names = {"a.test": [["127.0.0.1"]], "b.a.test": [["127.0.0.1"]]}
    async with (
        gateway() as (url, proxy),
        through(url, network="all", names=names, no_proxy="A.test, c.test") as web,
    ):
        for host in ("127.0.0.1", "localhost", "a.test", "b.a.test"):
            assert "Direct" in await go(web, f"http://{host}:{site.port}/")
        assert not [line for line in proxy.asked if "test" in line or "127" in line]
        assert "Through" in await go(web, "http://xa.test/")


async def test_the_guard_checks_what_it_can_see(through, serve_site):
    private = serve_site({"/": "secret"})
    page = f"<title>P</title><script>fetch('{private}/', {{mode: 'no-cors'}})"
    page += ".then(() => { document.title = 'got it' }, () => { document.title = 'refused' })"
    site = serve_site(
        {"/": f"{page}</script>", "/moved": Reply(status=302, headers={"Location": f"{private}/"})}
    )
    with socks_proxy(site.port) as proxy:
        async with through(f"socks5://{proxy.address}") as web:
            for url in ("http://10.0.0.5/", "http://169.254.169.254/", "http://wiki.corp/"):
                assert (await failure(web, url)).code.startswith("blocked")
            assert not [host for host, _ in proxy.asked if host[0] in "1w"]
            await go(web, "http://example.com/")
            for _ in range(100):
                told = await web(resource="browser", action="evaluate", text="document.title")
                if told.text.startswith(('"refused"', '"got it"')):
                    break
            assert told.text.startswith('"refused"')
            await failure(web, "http://example.com/moved")
            assert private.requests == []


@asynccontextmanager
async def asked(url, port):
    """Ask for `example.com` behind the proxy at `url`: why that failed, and what came."""
    proxy = GuardProxy(Guard("local", resolver=Names({})), Upstream(url))
    await proxy.start()
    try:
        async with asyncio.timeout(20), connection(proxy) as (reader, writer):
            if await granted(reader, writer, "example.com", port):
                writer.write(b"\x16" if port == 443 else request())
            answer = await reader.read()
            yield await proxy.gate.explain(f"http://example.com:{port}/"), answer
    finally:
        await proxy.aclose()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"word": "eA=="}, "The proxy refuses its credentials."),
        ({"status": 403}, "The proxy does not connect to 'example.com:443'."),
    ],
)
async def test_an_http_proxy_that_refuses(options, message):
    async with gateway(**options) as (bare, _):
        url = bare.replace("//", "//me:hunter2@")
        async with asked(url, 443) as (error, answer):
            assert (error.message, error.code, answer) == (message, "proxy", b"")
        async with asked(url, 80) as (error, answer):
            if "word" in options:
                assert (error.message, answer) == (message, b"")
            else:  # a page of the proxy's own says why
                assert (error, answer[:12]) == (None, b"HTTP/1.1 403")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reply": 2}, "The proxy does not connect to 'example.com:80'."),
        ({"reply": None}, "The proxy does not connect to 'example.com:80'."),
        ({"password": "other"}, "The proxy refuses its credentials."),
    ],
)
async def test_a_socks_proxy_that_refuses(serve_site, options, message):
    with socks_proxy(serve_site({}).port, **options) as proxy:
        async with asked(f"socks5://me:hunter2@{proxy.address}", 80) as (error, _):
            assert error.message == message
            assert error.hint == "The operator of strap has to check `proxy` of the browser."


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 x\r\n\r\n", b""])
@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
async def test_what_is_no_proxy(scheme, answer):
    async def talk(reader, writer):
        await reader.read(10)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with asked(f"{scheme}://127.0.0.1:{port}", 443) as (error, _):
            assert error.code == "proxy"


async def test_a_proxy_that_is_not_there(through, unused_port):
    async with through(f"http://me:hunter2@127.0.0.1:{unused_port}") as web:
        for scheme in ("http", "https"):
            error = await failure(web, f"{scheme}://example.com/")
            assert error.message == "The proxy cannot be reached."
            assert error.code == "proxy"


async def test_profiles_have_proxies_of_their_own(tmp_path, serve_site):
    one, two = (serve_site({"/": f"<title>{name}</title>"}) for name in ("One", "Two"))
    with socks_proxy(one.port) as first, socks_proxy(two.port) as second:
        profiles = {"other": {"proxy": f"socks5://{second.address}"}}
        browser = {**ANY_BROWSER, "proxy": f"socks5://{first.address}"}
        async with testing.router(
            home=tmp_path,
            network="public",
            plugins={"browser": browser | {"profiles": profiles}},
            resolver=Names({}),
        ) as web:
            for profile, title in (("nebo", "One"), ("other", "Two")):
                await web(resource="browser", action="launch", profile=profile)
                assert f'Now at "{title}"' in await go(web, "http://example.com/")


@pytest.mark.parametrize(
    "proxy", ["ftp://a:1", "a:1", "http://", "http://a:x", "http://a:1/path", "socks4://a:1"]
)
async def test_a_bad_setting_does_not_show_its_value(tmp_path, proxy):
    for table in (
        {"proxy": f"{proxy}#hunter2"},
        {"profiles": {"x": {"proxy": f"{proxy}#hunter2"}}},
    ):
        with pytest.raises(StartupError, match="proxy'") as caught:
            async with testing.router(home=tmp_path, plugins={"browser": table}):
                pass
        assert "hunter2" not in str(caught.value)
