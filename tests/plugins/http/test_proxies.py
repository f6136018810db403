"""A proxy from the configuration: what goes through it, what does not, and what the guard sees."""

import asyncio
import base64
import socket

import pytest

from strap import StartupError, testing
from tests.plugins.http.test_bad_input import FOREIGN
from tests.site.certificates import Authority
from tests.site.server import Reply, serve
from tests.site.socks import socks_proxy
from tests.site.tlsproxy import SiteReply, tls_proxy
from tests.unit.names import Names

pytestmark = pytest.mark.anyio


@pytest.fixture
async def through(tmp_path):
    """Open a router in mode `local` that goes through a proxy; names resolve nowhere."""
    opened = []

    async def make(proxy, names=None, **settings):
        context = testing.router(
            home=tmp_path,
            network=settings.pop("network", "local"),
            plugins={"http": settings | {"proxy": proxy, "retries": 0}},
            resolver=Names(names or {}),
        )
        opened.append(context)
        return await context.__aenter__()

    yield make
    for context in opened:
        await context.__aexit__(None, None, None)


async def fetch(web, url, **fields):
    return await web(resource="http", action="fetch", url=url, **fields)


async def failure(web, url, **fields):
    error = await web.fails(resource="http", action="fetch", url=url, **fields)
    assert not FOREIGN.search(str(error))
    assert "secret" not in str(error)
    assert error.hint
    return error


async def test_http_goes_through_an_http_proxy(through):
    with serve({"/page": "through"}) as proxy:
        web = await through(str(proxy).replace("//", "//me:secret%21@"))
        assert (await fetch(web, "http://example.com/page")).text.endswith("through")
        (request,) = proxy.requests
    assert request.headers["host"] == "example.com"
    given = base64.b64encode(b"me:secret!").decode()
    assert request.headers["proxy-authorization"] == f"Basic {given}"


async def test_https_goes_through_a_tunnel_and_is_verified(tmp_path, through):
    with tls_proxy(tmp_path, lambda request: SiteReply(body=f"for {request.host}")) as proxy:
        web = await through(proxy.url, ca_file=str(proxy.ca_file))
        assert (await fetch(web, "https://example.com/")).text.endswith("for example.com")
        other = await through(proxy.url)
        assert (await failure(other, "https://example.com/")).code == "tls"


async def test_a_proxy_that_speaks_tls(tmp_path, through):
    authority = Authority(tmp_path)
    with serve({"/": "through"}, tls=authority.context("127.0.0.1")) as proxy:
        web = await through(str(proxy), ca_file=str(authority.file))
        assert (await fetch(web, "http://example.com/")).text.endswith("through")


@pytest.mark.parametrize("password", ["", "secret"])
async def test_socks_gets_the_name(through, password):
    routes = {"/": "reached", "/again": "kept"}
    with serve(routes) as site, socks_proxy(site.port, password=password) as proxy:
        me = f"me:{password}@" if password else ""
        web = await through(f"socks5://{me}{proxy.address}")
        assert (await fetch(web, "http://example.com/")).text.endswith("reached")
        assert (await fetch(web, "http://example.com/again")).text.endswith("kept")
        assert proxy.asked == [("example.com", 80)]


async def test_https_over_socks(tmp_path, through):
    authority = Authority(tmp_path)
    tls = authority.context("example.com")
    with serve({"/": "safe"}, tls=tls) as site, socks_proxy(site.port) as proxy:
        web = await through(f"socks5://{proxy.address}", ca_file=str(authority.file))
        assert (await fetch(web, "https://example.com/")).text.endswith("safe")


async def test_this_machine_and_exceptions_are_reached_directly(through):
    with serve({"/": "proxy"}) as proxy, serve({"/": "direct"}) as site:
        names = {"a.test": [["127.0.0.1"]], "b.a.test": [["127.0.0.1"]]}
        web = await through(str(proxy), names, no_proxy="A.test, c.test", network="all")
        for host in ("127.0.0.1", "localhost", "a.test", "b.a.test"):
            assert (await fetch(web, f"http://{host}:{site.port}/")).text.endswith("direct")
        for host in ("xa.test", "example.com"):
            assert (await fetch(web, f"http://{host}/")).text.endswith("proxy")


async def test_the_guard_checks_what_it_can_see(through):
    with serve({"/": Reply(status=302, headers={"Location": "http://127.0.0.1:1/"})}) as proxy:
        web = await through(str(proxy))
        for url in ("http://10.0.0.5/", "http://169.254.169.254/", "http://wiki.corp/"):
            error = await web.fails(resource="http", action="fetch", url=url)
            assert error.code.startswith("blocked")
        assert proxy.requests == []
        error = await web.fails(resource="http", action="fetch", url="http://example.com/")
        assert "redirects to a forbidden address" in str(error)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_is_not_there(through, scheme):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    web = await through(f"http://me:secret@127.0.0.1:{port}")
    error = await failure(web, f"{scheme}://example.com/")
    assert str(error).startswith("The proxy cannot be reached.")
    assert error.code == "proxy"


async def test_a_proxy_that_refuses(through):
    with serve({}) as site:
        for options, message in (
            ({"reply": 2}, "The proxy does not connect to 'example.com:80'."),
            ({"reply": None}, "The proxy does not connect to 'example.com:80'."),
            ({"password": "other"}, "The proxy refuses its credentials."),
        ):
            me = "me:secret@" if "password" in options else ""
            with socks_proxy(site.port, **options) as proxy:
                web = await through(f"socks5://{me}{proxy.address}")
                assert str(await failure(web, "http://example.com/")).startswith(message)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "The proxy does not connect to 'example.com:443'."),
        (b"HTTP/1.1 407 Authenticate\r\n\r\n", "The proxy refuses its credentials."),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "The proxy does not answer as a proxy does."),
        (b"", "The proxy does not answer as a proxy does."),
    ],
)
async def test_a_tunnel_that_does_not_come_about(through, answer, message):
    async def refuse(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        web = await through(f"http://me:secret@127.0.0.1:{port}")
        error = await failure(web, "https://example.com/")
    assert str(error).startswith(message)
    assert error.code == "proxy"


async def test_a_proxy_with_a_bad_certificate(tmp_path, through):
    with serve({"/": "through"}, tls=Authority(tmp_path).context("127.0.0.1")) as proxy:
        web = await through(str(proxy))
        for url in ("http://example.com/", "https://example.com/"):
            error = await failure(web, url)
            assert str(error).startswith("The proxy cannot be reached.")
            assert error.code == "proxy"


async def test_a_proxy_that_never_answers(through):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        web = await through(f"http://127.0.0.1:{silent.getsockname()[1]}")
        urls = ("http://example.com/", "https://example.com/")
        errors = await asyncio.gather(*(failure(web, url, timeout=2) for url in urls))
    assert [error.code for error in errors] == ["timeout"] * 2


async def test_what_breaks_inside_a_tunnel_is_of_the_target(tmp_path, through):
    with tls_proxy(tmp_path, lambda _: SiteReply(drop=True)) as proxy:
        web = await through(proxy.url, ca_file=str(proxy.ca_file))
        error = await failure(web, "https://example.com/")
    assert str(error).startswith("'example.com:443' closed the connection before it answered.")


@pytest.mark.parametrize("proxy", ["ftp://a:1", "a:1", "http://", "http://a:x", "http://a:1/path"])
async def test_a_bad_setting_does_not_show_its_value(tmp_path, proxy):
    with pytest.raises(StartupError, match="'proxy'") as caught:
        async with testing.router(home=tmp_path, plugins={"http": {"proxy": f"{proxy}#hunter2"}}):
            pass
    assert "hunter2" not in str(caught.value)
